"""The view supersede_chains: one row for each story."""

from datetime import timedelta

from memories import DAY, NOW, call, remember, row, view


def moved(db, *cities, at=NOW):
    """Live in one city after another, a day each."""
    return [
        remember(db, f"lives in {city}", in_slot="city", at=at + n * DAY)
        for n, city in enumerate(cities)
    ]


def chains(db):
    return view(db, "supersede_chains", "user_id, newest_at", user_id="ann")


def test_a_story_is_one_row_with_its_texts_in_order(db):
    *_, rome = moved(db, "Berlin", "Paris", "Rome")
    remember(db, "likes tea")
    remember(db, "lives in Oslo", "bob", in_slot="city")

    assert chains(db) == [
        {
            "user_id": "ann",
            "newest_id": rome,
            "scope": "user",
            "slot": "city",
            "state": "active",
            "memories": 3,
            "contents": ["lives in Berlin", "lives in Paris", "lives in Rome"],
            "oldest_content": "lives in Berlin",
            "oldest_at": NOW,
            "newest_content": "lives in Rome",
            "newest_at": NOW + 2 * DAY,
            "last_replaced_at": NOW + 2 * DAY,
        }
    ]
    assert view(db, "supersede_chains", user_id="bob") == []


def test_links_of_archived_memories_belong_to_the_story(db):
    berlin, _, rome = moved(db, "Berlin", "Paris", "Rome")
    for target in (berlin, rome):
        call(db, "archive_memory", for_user="ann", target=target)

    (story,) = chains(db)
    assert (story["state"], story["memories"]) == ("archived", 3)


def test_two_memories_replaced_by_one_are_one_story(db):
    tea, milk, water = (remember(db, f"likes {what}") for what in ("tea", "milk", "only water"))
    for older in (tea, milk):
        call(db, "supersede_memory", for_user="ann", older=older, newer=water)

    (story,) = chains(db)
    assert (story["memories"], sorted(story["contents"])) == (
        3,
        ["likes milk", "likes only water", "likes tea"],
    )


def test_an_erased_end_leaves_the_rest_of_the_story(db):
    _, _, rome = moved(db, "Berlin", "Paris", "Rome")
    call(db, "forget", for_user="ann", wanted=[rome])

    (story,) = chains(db)
    assert (story["state"], story["contents"]) == (
        "replacement erased",
        ["lives in Berlin", "lives in Paris"],
    )


def test_an_erased_middle_makes_two_stories(db):
    _, paris, _ = moved(db, "Berlin", "Paris", "Rome")
    call(db, "forget", for_user="ann", wanted=[paris])

    assert [(s["state"], s["contents"]) for s in chains(db)] == [
        ("replacement erased", ["lives in Berlin"])
    ]


def test_a_link_into_nothing_ends_the_story(db):
    berlin, paris = moved(db, "Berlin", "Paris")
    db.execute("delete from aimemory.memories where memory_id = %s", [paris])

    assert [(s["newest_id"], s["state"]) for s in chains(db)] == [(berlin, "replacement erased")]


def superseded(db, older, newer):
    db.execute(
        "update aimemory.memories set status = 'superseded', superseded_by = %s,"
        " superseded_at = %s where memory_id = %s",
        [newer, NOW, older],
    )


def test_a_circle_of_links_ends(db):
    tea, milk, wine = (remember(db, f"likes {what}") for what in ("tea", "milk", "wine"))
    for older, newer in ((tea, milk), (milk, wine), (wine, tea)):
        superseded(db, older, newer)

    assert chains(db) == []


def test_a_circle_through_a_memory_that_is_in_two_places_ends(db):
    """Its archived copy has no successor, so the way back starts there and comes by again."""
    tea, milk = remember(db, "likes tea"), remember(db, "likes milk")
    kept = row(db, "memories", tea)
    call(db, "archive_memory", for_user="ann", target=tea, as_of=NOW + timedelta(hours=1))
    columns = ", ".join(kept)
    db.execute(
        f"insert into aimemory.memories ({columns}) select {columns} from aimemory.archive"
        " where memory_id = %s",
        [tea],
    )
    superseded(db, tea, milk)
    superseded(db, milk, tea)

    assert {s["newest_id"] for s in chains(db)} == {tea}
