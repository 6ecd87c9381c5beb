"""propose_candidate: a memory waits for the user's decision; nobody is asked twice at once."""

import psycopg
import pytest

from candidates import propose
from memories import DAY, NOW, count, refused, rows


def test_everything_is_kept_for_the_decision(db):
    candidate = propose(
        db,
        "I live in Paris",
        as_type="fact",
        with_importance=0.8,
        in_scope="project:x",
        in_slot="user.city",
        everything={"evidence": "住在巴黎", "about": ["paris/city"]},
    )

    (stored,) = rows(db, "select * from aimemory.candidates")
    assert stored.pop("content_hash")
    assert stored == {
        "user_id": "ann",
        "candidate_id": candidate,
        "content": "I live in Paris",
        "memory_type": "fact",
        "importance": 0.8,
        "scope": "project:x",
        "slot": "user.city",
        "proposal": {"evidence": "住在巴黎", "about": ["paris/city"]},
        "state": "pending",
        "reason": None,
        "memory_id": None,
        "created_at": NOW,
        "decided_at": None,
    }


def test_nothing_is_stored_as_a_memory(db):
    propose(db, "I live in Paris")

    assert (count(db, "memories"), count(db, "memory_terms")) == (0, 0)


def test_the_same_text_waits_once(db):
    first = propose(db, "I live in Paris")

    assert propose(db, "i live in PARIS.", at=NOW + DAY, with_importance=0.9) == first
    assert rows(db, "select content, importance, created_at from aimemory.candidates") == [
        {"content": "I live in Paris", "importance": 0.6, "created_at": NOW}
    ]


def test_another_scope_and_another_user_ask_for_themselves(db):
    made = {
        propose(db, "likes tea"),
        propose(db, "likes tea", in_scope="project:x"),
        propose(db, "likes tea", "bob"),
        propose(db, "likes coffee"),
    }

    assert len(made) == 4


def test_what_has_been_decided_may_be_proposed_again(db):
    first = propose(db, "likes tea")
    db.execute("update aimemory.candidates set state = 'approved', decided_at = created_at")

    assert propose(db, "likes tea") != first


@pytest.mark.parametrize(
    ("wrong", "sqlstate"),
    [({"as_type": "dream"}, "MM001"), ({"everything": None}, "23502")],
)
def test_what_could_never_be_stored_is_not_asked_about(db, wrong, sqlstate):
    with refused(db, sqlstate):
        propose(db, "likes tea", **wrong)


def test_two_sessions_that_propose_the_same_at_once_ask_once(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        candidate = propose(first, "likes tea")
        second.execute("set local lock_timeout = '20ms'")
        with refused(second, "55P03"):
            propose(second, "likes tea")
        first.commit()

        assert propose(second, "likes tea") == candidate
