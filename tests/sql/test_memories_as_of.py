"""memories_as_of: what was known then, in the words of then."""

from datetime import timedelta

import pytest

from memories import DAY, NOW, call, contents, refused, remember

MOMENT = timedelta(microseconds=1)


def known(db, at, user="ann", **named):
    return call(db, "memories_as_of", for_user=user, as_of=at, **named)


def texts(db, at, **named):
    return sorted(contents(known(db, at, **named)))


def around(db, at):
    """What was known just before a change, and at its very instant."""
    return texts(db, at - MOMENT), texts(db, at)


def test_a_memory_is_known_from_the_instant_it_was_added(db):
    remember(db, "likes tea", at=NOW)

    assert around(db, NOW) == ([], ["likes tea"])


def test_a_correction_shows_from_its_instant_on_and_the_old_text_before(db):
    tea = remember(db, "likes tea", at=NOW)
    for n, text in ((1, "likes green tea"), (2, "likes black tea")):
        call(
            db,
            "update_memory",
            for_user="ann",
            target=tea,
            new_content=text,
            as_of=NOW + n * DAY,
        )

    assert around(db, NOW + DAY) == (["likes tea"], ["likes green tea"])
    assert around(db, NOW + 2 * DAY) == (["likes green tea"], ["likes black tea"])
    (then,) = known(db, NOW)
    assert (then["content"], then["content_now"]) == ("likes tea", "likes black tea")


def test_a_merge_shows_from_its_instant_on(db):
    cat = remember(db, "has a cat", at=NOW)
    call(
        db,
        "merge_memory",
        for_user="ann",
        target=cat,
        merged_text="has a cat called Tom",
        as_of=NOW + DAY,
    )

    assert around(db, NOW + DAY) == (["has a cat"], ["has a cat called Tom"])


def test_a_slot_has_one_holder_at_every_instant(db):
    remember(db, "lives in Berlin", in_slot="city", at=NOW)
    remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)

    assert around(db, NOW + DAY) == (["lives in Berlin"], ["lives in Paris"])
    assert known(db, NOW)[0]["state_now"] == "superseded"


def test_what_is_superseded_in_the_archive_was_known_until_it_went_there(db):
    tea = remember(db, "likes tea", at=NOW)
    milk = remember(db, "likes milk", at=NOW)
    call(db, "archive_memory", for_user="ann", target=tea, as_of=NOW + DAY)
    call(db, "supersede_memory", for_user="ann", older=tea, newer=milk, as_of=NOW + 2 * DAY)

    assert texts(db, NOW) == ["likes milk", "likes tea"]
    assert around(db, NOW + DAY) == (["likes milk", "likes tea"], ["likes milk"])
    assert around(db, NOW + 2 * DAY) == (["likes milk"], ["likes milk"])


def test_a_memory_in_the_archive_was_known_before_and_is_known_when_it_returns(db):
    tea = remember(db, "likes tea", at=NOW)
    call(db, "archive_memory", for_user="ann", target=tea, as_of=NOW + DAY)
    assert known(db, NOW)[0]["state_now"] == "archived"
    call(db, "restore_memory", for_user="ann", target=tea, as_of=NOW + 2 * DAY)

    assert around(db, NOW + DAY) == (["likes tea"], [])
    assert around(db, NOW + 2 * DAY) == ([], ["likes tea"])
    assert known(db, NOW)[0]["state_now"] == "active"


def test_a_superseded_memory_that_was_restored_has_a_gap(db):
    tea = remember(db, "likes tea", at=NOW)
    milk = remember(db, "likes milk", at=NOW)
    call(db, "supersede_memory", for_user="ann", older=tea, newer=milk, as_of=NOW + DAY)
    call(db, "restore_memory", for_user="ann", target=tea, as_of=NOW + 2 * DAY)

    assert around(db, NOW + DAY) == (["likes milk", "likes tea"], ["likes milk"])
    assert around(db, NOW + 2 * DAY) == (["likes milk"], ["likes milk", "likes tea"])


@pytest.mark.parametrize("function", ["confirm_memory", "pin_memory"])
def test_other_changes_change_nothing_that_was_known(db, function):
    tea = remember(db, "likes tea", at=NOW)
    call(db, function, for_user="ann", target=tea, as_of=NOW + DAY)

    assert around(db, NOW + DAY) == (["likes tea"], ["likes tea"])


def test_the_other_values_are_those_of_then_too(db):
    cat = remember(
        db,
        "has a cat",
        at=NOW,
        as_type="state",
        with_importance=0.5,
        about=["Tom/Pet"],
        with_tags=["home"],
        true_until=NOW + 9 * DAY,
    )
    call(
        db,
        "update_memory",
        for_user="ann",
        target=cat,
        to_type="fact",
        to_importance=0.9,
        about=["Tom/Cat", "Ann"],
        to_tags=[],
        true_until=NOW + 99 * DAY,
        as_of=NOW + DAY,
    )
    names = ("memory_type", "importance", "entities", "tags", "valid_until")

    then, now = known(db, NOW)[0], known(db, NOW + DAY)[0]
    assert [then[name] for name in names] == [
        *("state", 0.5, ["tom/pet"], ["home"]),
        NOW + 9 * DAY,
    ]
    assert (now["memory_type"], now["importance"], now["tags"]) == ("fact", 0.9, [])
    assert sorted(now["entities"]) == ["ann", "tom/cat"]
    assert now["valid_until"] == NOW + 99 * DAY


def test_an_end_that_was_set_later_was_not_known_before(db):
    tea = remember(db, "likes tea", at=NOW)
    call(
        db,
        "update_memory",
        for_user="ann",
        target=tea,
        true_until=NOW + DAY,
        as_of=NOW + 5 * DAY,
    )

    assert known(db, NOW)[0]["valid_until"] is None
    assert texts(db, NOW + 3 * DAY) == ["likes tea"]
    assert around(db, NOW + 5 * DAY) == (["likes tea"], [])


def test_what_holds_for_a_time_is_known_in_that_time_only(db):
    remember(db, "is in Rome", at=NOW, true_from=NOW + DAY, true_until=NOW + 2 * DAY)

    assert around(db, NOW + DAY) == ([], ["is in Rome"])
    assert around(db, NOW + 2 * DAY) == (["is in Rome"], [])


def test_filters_ask_for_what_it_was_then(db):
    tea = remember(db, "likes tea", at=NOW, as_type="preference")
    remember(db, "runs on PostgreSQL", at=NOW, in_scope="project:atlas")
    call(db, "update_memory", for_user="ann", target=tea, to_type="fact", as_of=NOW + DAY)

    assert texts(db, NOW, of_types=["preference"]) == ["likes tea"]
    assert texts(db, NOW + DAY, of_types=["preference"]) == []
    assert texts(db, NOW, in_scopes=["project:atlas"]) == ["runs on PostgreSQL"]
    assert texts(db, NOW, in_scopes=[]) == []


def test_the_newest_come_first_and_the_limit_keeps_them(db):
    for n in range(3):
        remember(db, f"day {n}", at=NOW + n * DAY)

    assert contents(known(db, NOW + 9 * DAY, max_rows=2)) == ["day 2", "day 1"]


def test_a_change_that_was_made_later_for_an_earlier_time_counts(db):
    """An import of old messages writes with the times of the messages."""
    remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)
    remember(db, "lives in Berlin", in_slot="city", at=NOW)

    assert texts(db, NOW + 2 * DAY) == ["lives in Berlin"]


def test_several_changes_of_one_instant_all_count(db):
    tea = remember(db, "likes tea", at=NOW)
    for text in ("likes green tea", "likes black tea"):
        call(db, "update_memory", for_user="ann", target=tea, new_content=text, as_of=NOW)

    assert around(db, NOW) == ([], ["likes black tea"])


def test_what_was_erased_was_never_known(db):
    tea = remember(db, "likes tea", at=NOW)
    call(db, "forget", for_user="ann", wanted=[tea])

    assert known(db, NOW) == []


def test_nothing_of_another_user_is_known(db):
    remember(db, "likes tea", at=NOW)

    assert known(db, NOW, "bob") == []


def test_it_agrees_with_what_recall_found_at_that_time(db):
    remember(db, "lives in Berlin", in_slot="city", at=NOW)
    remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)

    for at in (NOW - MOMENT, NOW, NOW + DAY - MOMENT, NOW + DAY):
        found = call(db, "recall", for_user="ann", query_text="lives", as_of=at)
        assert sorted(contents(found)) == texts(db, at)


def test_a_limit_below_one_is_refused(db):
    with refused(db, "MM001", "max_rows"):
        known(db, NOW, max_rows=0)
