"""recent_turns: the end of a conversation, in the order in which it was said."""

import pytest

from memories import call, snapshot
from turns import say, settle


def recent(db, user="ann", session="s", **named):
    found = call(db, "recent_turns", for_user=user, in_session=session, **named)
    return [t["content"] for t in found]


@pytest.fixture
def ten(db):
    say(db, *(f"turn {n}" for n in range(1, 11)))
    say(db, "of another session", session="s2")
    say(db, "of bob", user="bob")


def test_the_last_ones_come_oldest_first(db, ten):
    assert recent(db) == [f"turn {n}" for n in range(5, 11)]
    assert recent(db, max_turns=2) == ["turn 9", "turn 10"]
    assert recent(db, max_turns=99) == [f"turn {n}" for n in range(1, 11)]
    assert recent(db, max_turns=0) == []


def test_both_sides_of_the_conversation_are_there(db):
    say(db, "hello")
    say(db, "hello, how can I help?", role="assistant")
    found = call(db, "recent_turns", for_user="ann", in_session="s")

    assert [(t["turn_no"], t["role"]) for t in found] == [(1, "user"), (2, "assistant")]


def test_what_has_been_learnt_from_is_still_part_of_the_conversation(db, ten):
    settle(db, *range(1, 11))

    assert recent(db, max_turns=2) == ["turn 9", "turn 10"]


def test_a_session_that_nobody_knows_has_no_turns(db, ten):
    assert recent(db, session="s3") == []
    assert recent(db, user="eve") == []
    assert recent(db, user="bob", session="s2") == []


def test_looking_changes_nothing(db, ten):
    before = snapshot(db)
    recent(db)

    assert snapshot(db) == before
