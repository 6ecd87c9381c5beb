"""timeline: everything that happened, in order, with the texts before and after."""

import pytest

from memories import DAY, NOW, call, columns_of, refused, remember


def timeline(db, user="ann", **named):
    return call(db, "timeline", for_user=user, **named)


def told(db, **named):
    found = timeline(db, **named)
    return columns_of(found, "happened_at", "action", "content", "text_before")


def change(db, target, text, at, function="update_memory", argument="new_content", **named):
    call(db, function, for_user="ann", target=target, as_of=at, **{argument: text}, **named)


def test_every_change_is_told_with_what_was_said_from_then_on(db):
    tea = remember(db, "likes tea", at=NOW)
    change(db, tea, "likes green tea", NOW + DAY, why="a typo", changed_by="support")
    change(db, tea, "likes green tea in the morning", NOW + 2 * DAY, "merge_memory", "merged_text")
    call(db, "confirm_memory", for_user="ann", target=tea, as_of=NOW + 3 * DAY)
    call(db, "pin_memory", for_user="ann", target=tea, as_of=NOW + 4 * DAY)
    call(db, "archive_memory", for_user="ann", target=tea, as_of=NOW + 5 * DAY)
    call(db, "restore_memory", for_user="ann", target=tea, as_of=NOW + 6 * DAY)

    last = "likes green tea in the morning"
    assert told(db) == [
        (NOW, "added", "likes tea", None),
        (NOW + DAY, "updated", "likes green tea", "likes tea"),
        (NOW + 2 * DAY, "merged", last, "likes green tea"),
        (NOW + 3 * DAY, "confirmed", last, None),
        (NOW + 4 * DAY, "pinned", last, None),
        (NOW + 5 * DAY, "archived", last, None),
        (NOW + 6 * DAY, "restored", last, None),
    ]
    assert columns_of(timeline(db), "reason", "actor")[1] == ("a typo", "support")


def test_of_one_moment_the_old_goes_before_the_new_comes(db):
    remember(db, "lives in Berlin", in_slot="city", at=NOW)
    remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)

    assert told(db) == [
        (NOW, "added", "lives in Berlin", None),
        (NOW + DAY, "superseded", "lives in Berlin", None),
        (NOW + DAY, "added", "lives in Paris", None),
    ]


def test_a_correction_that_left_the_text_alone_shows_no_text_before(db):
    tea = remember(db, "likes tea", at=NOW)
    call(db, "update_memory", for_user="ann", target=tea, to_importance=0.9, as_of=NOW + DAY)

    assert told(db)[1] == (NOW + DAY, "updated", "likes tea", None)


def test_since_is_included_and_until_is_not(db):
    for n in range(4):
        remember(db, f"day {n}", at=NOW + n * DAY)

    found = timeline(db, since=NOW + DAY, until=NOW + 3 * DAY)
    assert columns_of(found, "content") == [("day 1",), ("day 2",)]


def test_spans_that_follow_each_other_tell_everything_once(db):
    tea = remember(db, "likes tea", at=NOW)
    for n in range(1, 9):
        change(db, tea, f"likes tea {n}", NOW + n * DAY)

    whole = told(db)
    middle = NOW + 4 * DAY
    assert told(db, until=middle) + told(db, since=middle) == whole
    assert len(whole) == 9


def test_a_limit_keeps_the_latest_in_the_order_of_time(db):
    for n in range(4):
        remember(db, f"day {n}", at=NOW + n * DAY)

    found = timeline(db, max_rows=2)
    assert columns_of(found, "content") == [("day 2",), ("day 3",)]


def test_a_limit_that_cuts_a_moment_keeps_its_end(db):
    remember(db, "lives in Berlin", in_slot="city", at=NOW)
    remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)

    assert columns_of(timeline(db, max_rows=1), "action", "content") == [
        ("added", "lives in Paris")
    ]


def test_an_event_says_when_it_is(db):
    remember(db, "flies to Rome", as_type="event", happening_at=NOW + 30 * DAY)

    (flight,) = timeline(db)
    assert (flight["memory_type"], flight["event_at"]) == ("event", NOW + 30 * DAY)


def test_what_was_erased_is_not_told(db):
    tea = remember(db, "likes tea")
    remember(db, "likes milk")
    call(db, "forget", for_user="ann", wanted=[tea])

    assert columns_of(timeline(db), "content") == [("likes milk",)]


def test_nothing_of_another_user_is_told(db):
    remember(db, "likes tea")

    assert timeline(db, "bob") == []


@pytest.mark.parametrize("wrong", [{"max_rows": 0}, {"since": NOW + DAY, "until": NOW}])
def test_what_cannot_be_meant_is_refused(db, wrong):
    with refused(db, "MM001", "must"):
        timeline(db, **wrong)
