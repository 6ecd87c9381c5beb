"""pending_turns: what is still to be learnt from; neither what is done nor what is parked."""

import pytest

from memories import call, snapshot
from turns import say, settle


def pending(db, user="ann", session="s", **named):
    found = call(db, "pending_turns", for_user=user, in_session=session, **named)
    return [t["turn_no"] for t in found]


@pytest.fixture
def five(db):
    say(db, *(f"turn {n}" for n in range(1, 6)))
    say(db, "of another session", session="s2")
    say(db, "of bob", user="bob")


def test_the_oldest_come_first(db, five):
    assert pending(db) == [1, 2, 3, 4, 5]
    assert pending(db, max_turns=2) == [1, 2]


def test_what_has_been_learnt_from_does_not_come_back(db, five):
    settle(db, 1, 3)

    assert pending(db) == [2, 4, 5]
    assert pending(db, max_turns=2) == [2, 4]


def test_what_failed_comes_back_until_it_has_failed_too_often(db, five):
    for attempt in range(1, 5):
        settle(db, 2, failure="no answer")
        assert pending(db) == [1, 2, 3, 4, 5], attempt
    settle(db, 2, failure="no answer")

    assert pending(db) == [1, 3, 4, 5]
    assert pending(db, max_attempts=3) == [1, 3, 4, 5]


def test_what_is_parked_can_be_read_with_more_attempts(db, five):
    for _ in range(5):
        settle(db, 2, failure="no answer")

    (parked,) = [
        t
        for t in call(db, "pending_turns", for_user="ann", in_session="s", max_attempts=6)
        if t["attempts"]
    ]
    assert (parked["turn_no"], parked["content"], parked["attempts"]) == (2, "turn 2", 5)


def test_one_turn_that_always_fails_does_not_hold_up_the_others(db, five):
    for _ in range(5):
        settle(db, 1, failure="no answer")

    assert pending(db, max_turns=2) == [2, 3]


def test_a_session_that_nobody_knows_has_nothing_to_do(db, five):
    assert pending(db, session="s3") == []
    assert pending(db, user="eve") == []
    assert pending(db, user="bob", session="s2") == []


def test_looking_changes_nothing(db, five):
    before = snapshot(db)
    pending(db)

    assert snapshot(db) == before
