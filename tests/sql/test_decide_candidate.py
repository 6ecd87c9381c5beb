"""decide_candidate: a yes is recorded with what came of it, a no is remembered for ever."""

from uuid import uuid4

import pytest

from candidates import decide, propose, vetoed
from memories import DAY, NOW, ask, count, erase, remember, rows, snapshot

LATER = NOW + DAY


def candidate_row(db, candidate):
    (found,) = rows(db, "select * from aimemory.candidates where candidate_id = %s", candidate)
    return found


def test_a_yes_says_which_memory_came_of_it(db):
    candidate = propose(db, "likes tea")
    before = candidate_row(db, candidate)
    memory = remember(db, "likes tea")

    assert decide(db, candidate, True, as_memory=memory, why="right", at=LATER) is True
    assert candidate_row(db, candidate) == before | {
        "state": "approved",
        "memory_id": memory,
        "reason": "right",
        "decided_at": LATER,
    }
    assert count(db, "vetoes") == 0


def test_a_no_forbids_the_text_and_keeps_only_its_hash(db):
    candidate = propose(db, "My salary is 4711.", in_slot="user.salary")

    assert decide(db, candidate, False, at=LATER) is True
    assert candidate_row(db, candidate)["state"] == "rejected"
    (veto,) = rows(db, "select * from aimemory.vetoes")
    assert (veto["user_id"], veto["slot"], veto["created_at"]) == ("ann", None, LATER)
    assert veto["content_hash"] == candidate_row(db, candidate)["content_hash"]
    assert ask(db, "select 1 from aimemory.vetoes v where v::text ilike '%%salary%%'") == []
    assert vetoed(db, "my salary is 4711")
    assert not vetoed(db, "my salary is 4712", "user.salary")


def test_a_no_can_forbid_everything_in_its_slot(db):
    decide(db, propose(db, "My salary is 4711.", in_slot="user.salary"), False, with_its_slot=True)

    assert vetoed(db, "my salary is 4712", "user.salary")
    assert not vetoed(db, "my salary is 4712")


def test_a_no_to_a_slot_that_is_not_there_is_a_no_to_the_text(db):
    decide(db, propose(db, "likes tea"), False, with_its_slot=True)

    assert vetoed(db, "likes tea", "any.slot")
    assert not vetoed(db, "likes coffee", "any.slot")


@pytest.mark.parametrize(
    ("given", "kept"), [("too private", "too private"), (None, "rejected by the user")]
)
def test_the_reason_goes_to_the_veto(db, given, kept):
    decide(db, propose(db, "likes tea"), False, why=given)

    assert ask(db, "select reason from aimemory.vetoes") == [kept]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_what_has_been_decided_stays_decided(db, first, second):
    candidate = propose(db, "likes tea")
    decide(db, candidate, first)
    before = snapshot(db)

    assert decide(db, candidate, second, at=LATER) is False
    assert snapshot(db) == before


def test_nobody_decides_for_another_user_and_nobody_becomes_known_by_trying(db):
    candidate = propose(db, "likes tea")
    remember(db, "known", "bob")
    before = snapshot(db)

    for user, target in [("bob", candidate), ("eve", candidate), ("ann", uuid4())]:
        assert decide(db, target, False, user) is False
    assert snapshot(db) == before


def test_a_memory_that_is_erased_takes_its_approval_along(db):
    candidate, other = propose(db, "likes tea"), propose(db, "likes coffee")
    memory = remember(db, "likes tea")
    decide(db, candidate, True, as_memory=memory)
    erase(db, memory)

    assert ask(db, "select candidate_id from aimemory.candidates") == [other]
