"""get_memories: by id, wherever they are."""

from uuid import uuid4

from memories import DAY, NOW, call, contents, ids, remember


def get(db, wanted, user="ann"):
    return call(db, "get_memories", for_user=user, wanted=wanted)


def test_memories_come_in_the_order_asked_for_whatever_their_state(db):
    old = remember(db, "lives in Berlin", in_slot="city")
    new = remember(db, "lives in Paris", in_slot="city")
    archived = remember(db, "likes tea")
    call(db, "archive_memory", for_user="ann", target=archived, as_of=NOW + DAY)

    for wanted in ([archived, new, old], [old, archived, new]):
        assert ids(get(db, wanted)) == wanted
    found = {hit["memory_id"]: hit for hit in get(db, [old, new, archived])}
    assert (found[old]["status"], found[old]["superseded_by"]) == ("superseded", new)
    assert (found[archived]["archived_at"], found[archived]["archive_reason"]) == (
        NOW + DAY,
        "manual",
    )
    assert found[new]["archived_at"] is None


def test_unknown_ids_and_those_of_others_are_left_out(db):
    mine, theirs = remember(db, "mine"), remember(db, "theirs", "bob")

    assert contents(get(db, [uuid4(), theirs, mine])) == ["mine"]
    assert contents(get(db, [mine], "bob")) == []


def test_asking_twice_for_one_gives_it_once(db):
    memory = remember(db, "likes tea")

    assert ids(get(db, [memory, memory])) == [memory]


def test_asking_for_nothing_gives_nothing(db):
    remember(db, "likes tea")

    assert get(db, []) == []
    assert get(db, None) == []


def test_the_use_counts_come_along(db):
    memory = remember(db, "likes tea")
    call(db, "touch_memories", for_user="ann", targets=[memory], as_of=NOW + DAY)
    (found,) = get(db, [memory])

    assert (found["access_count"], found["last_access_at"]) == (1, NOW + DAY)
