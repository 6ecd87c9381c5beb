"""settle_turns: a turn is done once; a failure is counted and loses nothing."""

import psycopg
import pytest

from memories import DAY, NOW
from turns import say, settle, turns


@pytest.fixture
def three(db):
    say(db, "one", "two", "three")
    say(db, "of another session", session="s2")
    say(db, "of bob", user="bob")


def states(db, **named):
    return [(t["extracted_at"], t["attempts"], t["last_error"]) for t in turns(db, **named)]


def test_only_the_given_turns_are_done(db, three):
    assert settle(db, 1, 3) == 2
    assert states(db) == [(NOW, 0, None), (None, 0, None), (NOW, 0, None)]
    assert states(db, session="s2") == states(db, user="bob") == [(None, 0, None)]


def test_a_failure_keeps_the_turn_and_is_counted(db, three):
    before = turns(db)
    assert settle(db, 2, failure="no JSON") == 1
    assert settle(db, 2, failure="no answer") == 1

    changed = before[1] | {"attempts": 2, "last_error": "no answer"}
    assert turns(db) == [before[0], changed, before[2]]


def test_success_after_a_failure_forgets_the_error_and_not_the_attempts(db, three):
    settle(db, 2, failure="no answer")
    settle(db, 2, at=NOW + DAY)

    assert states(db)[1] == (NOW + DAY, 1, None)


def test_what_is_done_is_neither_done_again_nor_undone_by_a_late_failure(db, three):
    settle(db, 1)

    assert settle(db, 1, at=NOW + DAY) == 0
    assert settle(db, 1, failure="too late", at=NOW + DAY) == 0
    assert states(db)[0] == (NOW, 0, None)


def test_unknown_turns_are_not_counted(db, three):
    assert settle(db, 3, 4, 99) == 1
    assert settle(db) == 0
    assert settle(db, 1, user="eve") == 0
    assert settle(db, 2, user="bob") == 0


def test_of_two_workers_with_the_same_turns_one_has_settled_them(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        say(first, "one", "two")
        first.commit()
        assert settle(first, 1, 2) == 2
        first.commit()

        assert settle(second, 1, 2) == 0


def test_what_was_settled_and_not_committed_is_still_to_do(fresh_database):
    """A process that dies while it stores what it learnt learns it again."""
    with psycopg.connect(fresh_database) as worker:
        say(worker, "one")
        worker.commit()
        settle(worker, 1)
        worker.rollback()

        assert states(worker) == [(None, 0, None)]
