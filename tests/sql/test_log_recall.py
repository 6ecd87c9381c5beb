"""log_recall: what was asked, found and given."""

import pytest

from memories import NOW, call, forget, remember, rows, value


@pytest.fixture(autouse=True)
def users(db):
    for user in ("ann", "bob"):
        call(db, "lock_user", for_user=user)


def test_everything_given_is_kept(db):
    given = value(db, "log_recall", for_user="ann", asked="", what_came="[]")
    assert rows(db, "select recall_id from aimemory.recall_log") == [{"recall_id": given}]

    entry = value(
        db,
        "log_recall",
        for_user="bob",
        asked="猫叫什么?",
        what_came='[{"memory_id": "x", "score": 0.5}]',
        given=[given],
        from_session="s",
        rendered="the cat",
        tokens_used=3,
        took_ms=1.5,
        is_degraded=True,
        as_of=NOW,
    )
    assert rows(db, "select * from aimemory.recall_log where user_id = 'bob'") == [
        {
            "user_id": "bob",
            "recall_id": entry,
            "recalled_at": NOW,
            "session_id": "s",
            "query": "猫叫什么?",
            "candidates": [{"memory_id": "x", "score": 0.5}],
            "injected_ids": [given],
            "block": "the cat",
            "token_count": 3,
            "latency_ms": 1.5,
            "degraded": True,
        }
    ]


def test_the_same_question_twice_is_two_entries(db):
    for _ in range(2):
        call(db, "log_recall", for_user="ann", asked="x", what_came="[]", as_of=NOW)

    assert len(rows(db, "select 1 from aimemory.recall_log")) == 2


def test_of_a_user_who_has_been_erased_nothing_is_kept(db):
    remember(db, "likes tea")
    forget(db, everything=True)

    assert value(db, "log_recall", for_user="ann", asked="tea?", what_came="[]") is None
    assert rows(db, "select 1 from aimemory.recall_log where user_id = 'ann'") == []
