"""refresh_due_dates: after a change of the rules every date follows them, in batches."""

from __future__ import annotations

import psycopg
import pytest

from memories import DAY, NOW, ask, call, remember, row, rows

SLOWER = "update aimemory.memory_types set decay_factor = 0.99 where memory_type = 'fact'"


def refresh(db, **named):
    (done,) = call(db, "refresh_due_dates", **({"as_of": NOW} | named))
    return done


@pytest.fixture
def settled(db):
    """A database whose rules have been applied."""
    refresh(db)
    return db


def wrong(db):
    return ask(
        db, "select count(*) from aimemory.due_dates where due_at is distinct from falls_due_at"
    )[0]


def test_nothing_changed_is_nothing_to_do(settled):
    remember(settled, "likes tea")

    assert refresh(settled) == {"changed": 0, "left_out": 0, "last_user": None, "last_id": None}


def test_memories_from_before_there_were_dates_get_theirs(db):
    for user in ("ann", "bob"):
        remember(db, "likes tea", user)
    db.execute("update aimemory.memory_access set due_at = null")

    assert refresh(db)["changed"] == 2
    assert wrong(db) == 0


def test_a_change_reaches_the_memories_of_its_type_only(settled):
    fact = remember(settled, "likes tea")
    other = remember(settled, "likes rum", as_type="preference")
    before = row(settled, "memory_access", other)
    settled.execute(SLOWER)

    assert refresh(settled)["changed"] == 1
    assert wrong(settled) == 0
    assert row(settled, "memory_access", other) == before
    assert row(settled, "memory_access", fact)["due_at"] > NOW + 60 * DAY
    assert refresh(settled)["changed"] == 0


def test_a_new_time_to_live_that_is_over_is_due_from_now_and_not_from_before(settled):
    event = remember(settled, "flew to Rome", as_type="event", with_importance=0.9)
    settled.execute("update aimemory.memory_types set ttl_seconds = 86400")

    refresh(settled, as_of=NOW + 5 * DAY)

    assert row(settled, "memory_access", event)["due_at"] == NOW + 5 * DAY


def test_what_was_due_before_and_still_is_keeps_its_date(settled):
    event = remember(settled, "flew to Rome", as_type="event", with_importance=0.9)
    settled.execute("update aimemory.memory_types set ttl_seconds = 86400")

    assert refresh(settled, as_of=NOW + 50 * DAY)["changed"] == 0
    assert row(settled, "memory_access", event)["due_at"] == NOW + 7 * DAY


def test_a_type_without_fading_takes_the_dates_away(settled):
    fact = remember(settled, "likes tea")
    settled.execute("update aimemory.memory_types set decay_factor = 1")
    refresh(settled)

    assert row(settled, "memory_access", fact)["due_at"] is None


def walk(db, max_rows, **named):
    """Batch after batch, as run_job does; the number of memories changed in each."""
    at, changed, complete = ("", "00000000-0000-0000-0000-000000000000"), [], True
    while at[0] is not None:
        done = refresh(db, after_user=at[0], after_id=at[1], max_rows=max_rows,
                       is_complete=complete, **named)  # fmt: skip
        changed.append(done["changed"])
        complete = complete and done["left_out"] == 0
        at = (done["last_user"], done["last_id"])
    return changed


def test_batches_touch_each_memory_once(settled):
    for number in range(25):
        remember(settled, f"likes tea {number}", f"user {number % 4}")
    settled.execute(SLOWER)

    changed = walk(settled, 4)

    assert (sum(changed), max(changed), wrong(settled)) == (25, 4, 0)
    assert refresh(settled)["changed"] == 0


def test_a_pass_that_was_cut_short_begins_anew(settled):
    for number in range(6):
        remember(settled, f"likes tea {number}")
    settled.execute(SLOWER)
    refresh(settled, max_rows=4)

    assert sum(walk(settled, 4)) == 2
    assert wrong(settled) == 0


def test_a_change_in_the_middle_of_a_pass_is_not_lost(settled):
    for number in range(6):
        remember(settled, f"likes tea {number}")
    settled.execute(SLOWER)
    first = refresh(settled, max_rows=4)
    settled.execute("update aimemory.memory_types set archive_below = 0.2")
    refresh(settled, after_user=first["last_user"], after_id=first["last_id"], max_rows=4)

    assert sum(walk(settled, 4)) == 4
    assert wrong(settled) == 0


def test_a_user_who_is_being_written_to_is_left_out_and_caught_up_with(fresh_database):
    with psycopg.connect(fresh_database) as writer, psycopg.connect(fresh_database) as upkeep:
        for user in ("ann", "bob", "eve"):
            remember(writer, "likes tea", user)
        writer.execute("update aimemory.memory_access set due_at = null")
        writer.commit()
        call(writer, "lock_user", for_user="ann")
        upkeep.execute("set lock_timeout = '1s'")

        assert sum(walk(upkeep, 1)) == 2
        upkeep.commit()
        writer.rollback()
        assert sum(walk(upkeep, 1)) == 1
        assert sum(walk(upkeep, 1)) == 0


def test_what_a_transaction_writes_that_has_read_the_old_rules_is_caught_up_with(fresh_database):
    with psycopg.connect(fresh_database) as writer, psycopg.connect(fresh_database) as upkeep:
        refresh(upkeep)
        upkeep.commit()
        # New to the database, so that nobody sees the user before the commit.
        remember(writer, "likes tea")
        upkeep.execute(SLOWER.encode())
        upkeep.commit()

        assert sum(walk(upkeep, 10)) == 0
        upkeep.commit()
        writer.commit()
        assert wrong(upkeep) == 1
        assert sum(walk(upkeep, 10)) == 1
        upkeep.commit()
        assert wrong(upkeep) == 0
        assert ask(upkeep, "select count(*) from aimemory.type_rules where not is_applied") == [0]


def test_a_rehearsal_counts_and_changes_nothing(settled):
    remember(settled, "likes tea")
    settled.execute(SLOWER)
    before = rows(settled, "select * from aimemory.memory_types order by 1")

    assert refresh(settled, is_rehearsal=True, max_rows=None)["changed"] == 1
    assert rows(settled, "select * from aimemory.memory_types order by 1") == before
    assert refresh(settled)["changed"] == 1
