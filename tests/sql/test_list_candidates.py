"""list_candidates: what waits for one user, oldest first, and what became of the rest."""

import pytest

from candidates import decide, propose
from memories import DAY, NOW, call, contents, refused, remember, rows, snapshot


def listed(db, user="ann", **named):
    return call(db, "list_candidates", for_user=user, **named)


@pytest.fixture
def four(db):
    made = [
        propose(db, text, at=NOW + n * DAY)
        for n, text in [(3, "third"), (1, "first"), (2, "second"), (4, "fourth")]
    ]
    propose(db, "of bob", "bob")
    return made


def test_the_oldest_question_comes_first(db, four):
    assert contents(listed(db)) == ["first", "second", "third", "fourth"]
    assert contents(listed(db, max_rows=2)) == ["first", "second"]
    assert contents(listed(db, "bob")) == ["of bob"]
    assert listed(db, "eve") == []


def test_of_questions_of_the_same_moment_the_ids_decide(db):
    made = [propose(db, f"text {n}") for n in range(6)]

    assert [c["candidate_id"] for c in listed(db, max_rows=4)] == sorted(made)[:4]


def test_what_has_been_decided_is_listed_under_its_state(db, four):
    memory = remember(db, "third")
    decide(db, four[0], True, as_memory=memory)
    decide(db, four[1], False, why="wrong")

    assert contents(listed(db)) == ["second", "fourth"]
    (yes,) = listed(db, with_state="approved")
    (no,) = listed(db, with_state="rejected")
    assert (yes["content"], yes["memory_id"]) == ("third", memory)
    assert (no["content"], no["reason"]) == ("first", "wrong")


def test_one_question_is_found_however_many_came_before_it(db, four):
    assert contents(listed(db, target=four[3], max_rows=1)) == ["fourth"]
    assert listed(db, "bob", target=four[3]) == []
    assert listed(db, with_state="rejected", target=four[3]) == []


def test_every_column_of_a_candidate_is_shown(db, four):
    (stored,) = rows(db, "select * from aimemory.candidates where candidate_id = %s", four[1])

    assert listed(db)[0] == {
        k: v for k, v in stored.items() if k not in ("user_id", "content_hash")
    }


@pytest.mark.parametrize("state", ["", "open", "all", None])
def test_an_unknown_state_is_refused(db, state):
    with refused(db, "MM001"):
        listed(db, with_state=state)


def test_looking_changes_nothing(db, four):
    before = snapshot(db)
    listed(db)

    assert snapshot(db) == before
