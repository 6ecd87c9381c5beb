"""upkeep_status and storage_status: what waits, what ran, and what is too large."""

import pytest

from memories import DAY, ask, call, remember, rows
from turns import say, settle


def status(db):
    (found,) = rows(db, "select * from aimemory.upkeep_status")
    return found


def runs(db):
    return {job["job"]: job for job in status(db)["jobs"]}


@pytest.fixture
def now(db):
    return ask(db, "select now()")[0]


def note(db, job, status, at, dry_run=False):
    db.execute(
        "insert into aimemory.maintenance_runs"
        " (run_id, job, status, dry_run, started_at, finished_at, rows_changed)"
        " values (gen_random_uuid(), %s, %s, %s, %s, %s, 7)",
        [job, status, dry_run, at, None if status == "running" else at],
    )


def test_a_new_database_waits_for_nothing_and_has_run_nothing(db):
    found = status(db)

    assert found["pending_turns"] == found["parked_turns"] == found["due_memories"] == 0
    assert found["stale_types"] == []
    assert found["in_use_for_days"] is False
    assert {job["status"] for job in found["jobs"]} == {None}
    assert len(found["jobs"]) == 6


def test_parked_turns_are_those_that_extraction_does_not_take_any_more(db, now):
    say(db, "one", "two", "three", at=now)
    settle(db, 3)
    for _ in range(5):
        assert status(db)["parked_turns"] == 0
        assert len(call(db, "pending_turns", for_user="ann", in_session="s")) == 2
        settle(db, 1, failure="no answer")

    found = status(db)
    assert (found["pending_turns"], found["parked_turns"]) == (1, 1)
    assert found["oldest_pending_at"] == now
    assert len(call(db, "pending_turns", for_user="ann", in_session="s")) == 1


def test_due_and_overdue_memories_are_counted(db, now):
    for days in (6, 8, 10):
        remember(
            db, f"ate {days} apples", as_type="event", with_importance=0.9, at=now - days * DAY
        )

    found = status(db)
    # Events are due after seven days: one since yesterday, one for three days.
    assert (found["due_memories"], found["overdue_memories"]) == (2, 1)
    assert found["in_use_for_days"] is True


def test_the_last_run_is_neither_a_skipped_one_nor_a_rehearsal(db, now):
    note(db, "archive_due", "done", now - 3 * DAY)
    note(db, "archive_due", "failed", now - 2 * DAY)
    note(db, "archive_due", "skipped", now - 1 * DAY)
    note(db, "archive_due", "done", now, dry_run=True)

    last = runs(db)["archive_due"]
    assert last["status"] == "failed"
    assert last["started_at"][:10] == (now - 2 * DAY).date().isoformat()
    assert last["done_at"][:10] == (now - 3 * DAY).date().isoformat()
    assert runs(db)["purge_runs"]["done_at"] is None


def test_types_are_stale_from_a_change_of_their_rules_to_the_refresh(db):
    call(db, "refresh_due_dates")
    assert status(db)["stale_types"] == []
    db.execute("update aimemory.memory_types set ttl_seconds = 1 where memory_type = 'event'")
    assert status(db)["stale_types"] == ["event"]
    call(db, "refresh_due_dates")
    assert status(db)["stale_types"] == []


def test_waiting_is_read_from_indexes(db, now):
    """So that it may be asked every minute, however much has been said and learnt."""
    db.execute("insert into aimemory.users (user_id, created_at) values ('ann', now())")
    db.execute(
        "insert into aimemory.sessions (user_id, session_id, started_at, last_turn_at)"
        " values ('ann', 's', now(), now())"
    )
    db.execute(
        "insert into aimemory.turns (user_id, session_id, turn_no, role, content, said_at,"
        " extracted_at) select 'ann', 's', n, 'user', 'x', now(), now()"
        " from generate_series(1, 20000) n"
    )
    db.execute("analyze aimemory.turns")
    plan = "\n".join(ask(db, "explain select * from aimemory.upkeep_status"))

    assert "turns_pending_idx" in plan
    assert "Seq Scan on turns" not in plan


def test_every_table_and_index_is_measured_once(db):
    found = rows(db, "select * from aimemory.storage_status")

    expected = ask(
        db,
        "select relname from pg_class where relnamespace = 'aimemory'::regnamespace"
        " and relkind in ('r', 'i') and relname !~ '^alembic_version' order by 1",
    )
    assert sorted(row["relation"] for row in found) == expected
    assert all(row["bytes"] >= 0 for row in found)
    assert all(row["is_valid"] for row in found)
    tables = {row["relation"] for row in found if row["kind"] == "table"}
    assert {row["of_table"] for row in found if row["kind"] == "index"} <= tables


def test_an_index_whose_creation_failed_is_seen(db):
    db.execute(
        "update pg_index set indisvalid = false"
        " where indexrelid = 'aimemory.memory_access_due_idx'::regclass"
    )

    bad = rows(db, "select * from aimemory.storage_status where not is_valid")
    assert [row["relation"] for row in bad] == ["memory_access_due_idx"]
