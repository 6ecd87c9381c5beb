"""maintain and run_job: every job, batch by batch, with a row for each run."""

from __future__ import annotations

import psycopg
import pytest

from memories import DAY, NOW, add, ask, call, remember, rows, snapshot

JOBS = [
    "refresh_due_dates",
    "archive_due",
    "close_idle_sessions",
    "purge_recall_log",
    "purge_runs",
]


@pytest.fixture
def conn(fresh_database: str):
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        yield connection


def maintain(conn, job=None, at=NOW, **named):
    named = {"only_job": job, "as_of": at, **named}
    arguments = ", ".join(f"{name} => %({name})s" for name in named)
    conn.execute(f"call aimemory.maintain({arguments})".encode(), named)


def runs(conn, job="archive_due"):
    return rows(
        conn, "select * from aimemory.maintenance_runs where job = %s order by started_at", job
    )


def test_every_job_runs_once_in_order_and_leaves_a_row(conn):
    maintain(conn, by_worker="night")

    done = rows(conn, "select * from aimemory.maintenance_runs order by started_at")
    assert [run["job"] for run in done] == JOBS
    assert {run["status"] for run in done} == {"done"}
    assert {run["worker"] for run in done} == {"night"}
    assert all(run["started_at"] <= run["finished_at"] for run in done)


def test_what_is_due_is_archived_in_batches_and_counted(conn):
    for number in range(7):
        remember(conn, f"ate {number} apples", as_type="event")

    maintain(conn, "archive_due", NOW + 8 * DAY, max_rows=3)

    (run,) = runs(conn)
    assert (run["rows_changed"], run["batches"]) == (7, 4)
    assert ask(conn, "select count(*) from aimemory.archive") == [7]


def test_a_rehearsal_counts_what_the_run_then_does_and_changes_nothing_else(conn):
    for number in range(5):
        remember(conn, f"ate {number} apples", as_type="event")
    remember(conn, "was born in Rome", with_importance=0.9)
    call(conn, "record_turns", for_user="ann", in_session="s", roles=["user"], texts=["hello"],
         said=[NOW], as_of=NOW)  # fmt: skip
    call(conn, "settle_turns", for_user="ann", in_session="s", numbers=[1], as_of=NOW)
    call(conn, "log_recall", for_user="ann", asked="?", what_came=psycopg.types.json.Jsonb([]),
         as_of=NOW)  # fmt: skip
    conn.execute("update aimemory.memory_types set archive_below = 0.2")
    before = snapshot(conn)

    at = NOW + 100 * DAY
    maintain(conn, at=at, is_rehearsal=True, max_rows=2)

    after = snapshot(conn)
    rehearsed = {
        r["job"]: r["rows_changed"] for r in rows(conn, "select * from aimemory.maintenance_runs")
    }
    assert {t: r for t, r in after.items() if t != "maintenance_runs"} == {
        t: r for t, r in before.items() if t != "maintenance_runs"
    }
    conn.execute("delete from aimemory.maintenance_runs")
    maintain(conn, at=at, max_rows=2)
    done = {
        r["job"]: r["rows_changed"] for r in rows(conn, "select * from aimemory.maintenance_runs")
    }
    assert rehearsed == done
    # The events were due by their time to live and still are.
    assert done == {
        "refresh_due_dates": 0,
        "archive_due": 5,
        "close_idle_sessions": 1,
        "purge_recall_log": 1,
        "purge_runs": 0,
    }


def test_a_rehearsal_of_an_upgraded_database_counts_what_the_first_run_archives(conn):
    for number in range(5):
        remember(conn, f"ate {number} apples", as_type="event")
    conn.execute("update aimemory.memory_access set due_at = null")
    at = NOW + 100 * DAY

    maintain(conn, "archive_due", at, is_rehearsal=True)
    maintain(conn, "archive_due", at)

    told = [(r["dry_run"], r["rows_changed"]) for r in runs(conn)]
    assert told == [(True, 5), (False, 5)]
    assert [r["rows_changed"] for r in runs(conn, "refresh_due_dates")] == [5, 5]


def test_a_lock_is_not_left_behind_by_a_run_that_cannot_begin(conn, fresh_database):
    with psycopg.connect(fresh_database) as other:
        call(other, "start_run", which="archive_due", as_of=NOW)
        other.commit()
        other.execute("select from aimemory.maintenance_runs for update")
        conn.execute("set statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            maintain(conn, "archive_due")
        conn.execute("reset statement_timeout")

        assert ask(conn, "select count(*) from pg_locks where locktype = 'advisory'") == [0]


def test_a_second_worker_is_kept_out_and_says_so(conn, fresh_database):
    with psycopg.connect(fresh_database, autocommit=True) as other:
        other.execute("select pg_advisory_lock(hashtextextended('aimemory.archive_due', 0))")
        remember(conn, "ate an apple", as_type="event")

        maintain(conn, "archive_due", NOW + 8 * DAY)

        assert [run["status"] for run in runs(conn)] == ["skipped"]
        assert ask(conn, "select count(*) from aimemory.archive") == [0]
        other.execute("select pg_advisory_unlock_all()")
    maintain(conn, "archive_due", NOW + 8 * DAY)
    assert [run["status"] for run in runs(conn)] == ["skipped", "done"]


def test_a_run_whose_worker_died_is_marked_as_failed_by_the_next(conn):
    dead = ask(conn, "select aimemory.start_run('archive_due', as_of => %s)", NOW)[0]

    maintain(conn, "archive_due")

    first, second = runs(conn)
    assert (first["run_id"], first["status"]) == (dead, "failed")
    assert "worker ended" in first["error"]
    assert second["status"] == "done"


def test_a_job_that_fails_is_told_and_does_not_keep_the_others_from_running(conn):
    conn.execute("alter table aimemory.archive add constraint full_up check (content <> 'bad')")
    remember(conn, "bad", as_type="event")
    remember(conn, "ate an apple", "bob", as_type="event")

    with pytest.raises(psycopg.Error, match=r"archive_due: .*full_up") as caught:
        maintain(conn, at=NOW + 8 * DAY, max_rows=1)

    assert caught.value.sqlstate == "MM006"
    (failed,) = runs(conn)
    assert (failed["status"], "full_up" in failed["error"]) == ("failed", True)
    assert [run["status"] for run in runs(conn, "purge_runs")] == ["done"]
    # The lock of the job was given back, and nothing was lost.
    conn.execute("alter table aimemory.archive drop constraint full_up")
    maintain(conn, "archive_due", NOW + 8 * DAY)
    assert ask(conn, "select count(*) from aimemory.archive") == [2]


@pytest.mark.parametrize(
    "named", [{"only_job": "archiv"}, {"max_rows": 0}, {"max_rows": None}, {"log_days": -1}]
)
def test_bad_arguments_are_refused_before_anything_runs(conn, named):
    add(conn, "ate an apple", as_type="event")

    with pytest.raises(psycopg.Error) as caught:
        maintain(conn, at=NOW + 8 * DAY, **named)

    assert caught.value.sqlstate == "MM001"
    assert ask(conn, "select count(*) from aimemory.maintenance_runs") == [0]


def test_an_unknown_job_is_answered_with_the_names_of_all(conn):
    with pytest.raises(psycopg.Error, match=", ".join(JOBS)):
        maintain(conn, "tidy_up")


def test_inside_a_transaction_it_is_refused_and_nothing_is_left_locked(conn):
    with pytest.raises(psycopg.errors.InvalidTransactionTermination), conn.transaction():
        maintain(conn, "archive_due")

    assert runs(conn) == []
    assert ask(conn, "select count(*) from pg_locks where locktype = 'advisory'") == [0]
