"""idle_sessions: the sessions that the extraction job has to look at, and no others."""

from datetime import timedelta

from memories import DAY, NOW, call, snapshot
from turns import say, settle

MINUTE = timedelta(minutes=1)


def idle(db, **named):
    found = call(db, "idle_sessions", **({"as_of": NOW} | named))
    return [(f["user_id"], f["session_id"]) for f in found]


def test_a_session_is_idle_after_so_many_seconds_without_a_turn(db):
    say(db, "old", at=NOW - 10 * MINUTE)
    say(db, "new", session="s2", at=NOW - 10 * MINUTE + timedelta(seconds=1))

    assert idle(db) == [("ann", "s")]
    assert idle(db, idle_seconds=30) == [("ann", "s"), ("ann", "s2")]
    assert idle(db, as_of=NOW - MINUTE) == []


def test_one_new_turn_makes_it_busy_again(db):
    say(db, "old", at=NOW - 60 * MINUTE)
    say(db, "new", at=NOW - MINUTE)

    assert idle(db) == []


def test_the_longest_idle_come_first_whosever_they_are(db):
    for minutes, user, session in [
        (20, "bob", "b"),
        (40, "ann", "x"),
        (30, "eve", "e"),
        (30, "eve", "d"),
        (30, "bob", "z"),
    ]:
        say(db, "hello", user=user, session=session, at=NOW - minutes * MINUTE)
    expected = [("ann", "x"), ("bob", "z"), ("eve", "d"), ("eve", "e"), ("bob", "b")]

    assert idle(db) == expected
    assert idle(db, max_rows=2) == expected[:2]


def test_only_sessions_with_something_to_do_are_listed(db):
    for session in ("done", "half done", "parked", "failed once"):
        say(db, "one", "two", session=session, at=NOW - 30 * DAY)
    settle(db, 1, 2, session="done")
    settle(db, 1, session="half done")
    for _ in range(5):
        settle(db, 1, 2, session="parked", failure="no answer")
    settle(db, 1, 2, session="failed once", failure="no answer")

    assert idle(db) == [("ann", "failed once"), ("ann", "half done")]
    assert idle(db, max_attempts=6) == [
        ("ann", "failed once"),
        ("ann", "half done"),
        ("ann", "parked"),
    ]
    assert idle(db, max_attempts=1) == [("ann", "half done")]


def test_a_session_that_was_closed_with_turns_left_is_listed(db):
    say(db, "I live in Paris", at=NOW - 60 * MINUTE)
    call(db, "close_session", for_user="ann", in_session="s", as_of=NOW - 50 * MINUTE)

    assert idle(db) == [("ann", "s")]


def test_looking_changes_nothing(db):
    say(db, "hello", at=NOW - 60 * MINUTE)
    before = snapshot(db)
    idle(db)

    assert snapshot(db) == before


def test_after_each_failure_the_wait_is_four_times_as_long(db):
    """Or a service that is down for five minutes would park all that waits."""
    say(db, "one", at=NOW)
    for minutes in (10, 40, 160, 640, 2560):
        assert idle(db, as_of=NOW + minutes * MINUTE - timedelta(seconds=1)) == []
        assert idle(db, as_of=NOW + minutes * MINUTE) == [("ann", "s")]
        settle(db, 1, failure="no answer")

    assert idle(db, as_of=NOW + 10000 * DAY) == []


def test_a_new_turn_is_tried_soon_though_older_ones_failed(db):
    say(db, "one", at=NOW)
    settle(db, 1, failure="no answer")
    say(db, "two", at=NOW + MINUTE)

    assert idle(db, as_of=NOW + 11 * MINUTE) == [("ann", "s")]
