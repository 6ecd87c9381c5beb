"""rate_memory: a wrong memory that is often recalled fades all the same."""

import pytest

from memories import DAY, NOW, call, refused, remember, row, value


def rate(db, target, useful, **named):
    return value(
        db, "rate_memory", **({"for_user": "ann", "target": target, "is_useful": useful,
                               "as_of": NOW + DAY} | named)
    )  # fmt: skip


def test_what_was_of_no_use_loses_importance_each_time_and_falls_due_sooner(db):
    memory = remember(db, "likes tea")
    due = row(db, "memory_access", memory)["due_at"]

    assert rate(db, memory, False, changed_by="user")
    assert row(db, "memories", memory)["importance"] == pytest.approx(0.6 * 0.7)
    assert row(db, "memory_access", memory)["due_at"] < due
    assert rate(db, memory, False)
    assert row(db, "memories", memory)["importance"] == pytest.approx(0.6 * 0.7**2)
    # 0.294 is below 0.3, so it is due from the moment it was rated.
    assert row(db, "memory_access", memory)["due_at"] == NOW + DAY
    told = call(db, "memory_history", for_user="ann", target=memory)
    assert [(r["action"], r["reason"], r["details"].get("importance")) for r in told] == [
        ("added", None, None),
        ("updated", "not useful", 0.6),
        ("updated", "not useful", pytest.approx(0.42)),
    ]


def test_what_was_of_use_counts_as_used_and_keeps_its_importance(db):
    memory = remember(db, "likes tea")

    assert rate(db, memory, True)
    access = row(db, "memory_access", memory)
    assert (access["access_count"], access["last_access_at"]) == (1, NOW + DAY)
    assert row(db, "memories", memory)["importance"] == 0.6


@pytest.mark.parametrize("useful", [True, False])
def test_there_is_nothing_to_rate_of_another_user_or_of_what_was_replaced(db, useful):
    theirs = remember(db, "likes tea", "bob")
    old = remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city")

    assert not rate(db, theirs, useful)
    assert not rate(db, old, useful)


@pytest.mark.parametrize("weakening", [-0.1, 1.1, None])
def test_a_weakening_that_is_no_share_is_refused(db, weakening):
    memory = remember(db, "likes tea")

    with refused(db, "MM001", "weakening"):
        rate(db, memory, False, weakening=weakening)
