"""claim_job, release_job, stop_runs, count_batch, runs_of_worker: who runs what, and until when."""

from __future__ import annotations

import time
from datetime import timedelta

import psycopg
import pytest

from memories import DAY, NOW, ask, call, remember, rows, value


@pytest.fixture
def conn(fresh_database: str):
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        yield connection


def claim(db, job="archive_due", worker="w"):
    return value(db, "claim_job", which=job, by_worker=worker)


def states(db):
    return [
        (run["status"], run["error"])
        for run in rows(db, "select * from aimemory.maintenance_runs order by started_at")
    ]


def test_a_job_is_claimed_by_one_connection_until_it_is_released(conn, fresh_database):
    with psycopg.connect(fresh_database, autocommit=True) as other:
        run = claim(conn)
        assert claim(other) is None
        assert claim(other, "purge_runs") is not None
        value(conn, "release_job", which="archive_due", this_run=run)
        assert claim(other) is not None

    assert [status for status, _ in states(conn)] == ["done", "skipped", "running", "running"]


def test_a_connection_that_ends_gives_the_job_back(conn, fresh_database):
    with psycopg.connect(fresh_database, autocommit=True) as other:
        claim(other)
    # The server notices a moment later.
    deadline = time.monotonic() + 20
    while claim(conn) is None:
        assert time.monotonic() < deadline


def test_a_run_that_was_stopped_says_so_and_cannot_be_counted_as_done(conn):
    run = claim(conn)
    assert value(conn, "count_batch", this_run=run, how_many=3) is True

    assert value(conn, "stop_runs", by_worker="somebody else") == 0
    assert value(conn, "stop_runs", by_worker="w") == 1

    assert value(conn, "count_batch", this_run=run, how_many=4) is False
    value(conn, "release_job", which="archive_due", this_run=run)
    assert states(conn) == [("failed", "stopped before the end; the next run goes on")]
    # What the last batch did was done, and is counted.
    assert ask(conn, "select rows_changed from aimemory.maintenance_runs") == [7]


def test_a_run_that_was_deleted_meanwhile_ends(conn):
    run = claim(conn)
    conn.execute("delete from aimemory.maintenance_runs")

    assert value(conn, "count_batch", this_run=run, how_many=1) is False


def test_stopping_ends_a_procedure_after_the_batch_that_it_is_at(conn, fresh_database):
    """The first batch sees the request come while it works, and is kept."""
    for number in range(6):
        remember(conn, f"ate {number} apples", as_type="event")
    conn.execute(
        "create function public.stop() returns trigger language plpgsql as $$ begin"
        " perform aimemory.stop_runs('w'); return new; end $$"
    )
    conn.execute(
        "create trigger stop after insert on aimemory.archive"
        " for each statement execute function public.stop()"
    )

    conn.execute(
        "call aimemory.maintain('archive_due', max_rows => 2, by_worker => 'w', as_of => %s)",
        [NOW + 8 * DAY],
    )

    assert ask(conn, "select count(*) from aimemory.archive") == [2]
    (run,) = rows(conn, "select * from aimemory.maintenance_runs where job = 'archive_due'")
    assert (run["status"], run["rows_changed"], run["batches"]) == ("failed", 2, 1)
    conn.execute("drop trigger stop on aimemory.archive")
    conn.execute("call aimemory.maintain('archive_due', as_of => %s)", [NOW + 8 * DAY])
    assert ask(conn, "select count(*) from aimemory.archive") == [6]


def test_cancelling_undoes_one_batch_ends_the_run_and_begins_no_other_job(conn):
    """Otherwise a session in psql would go on holding the lock of the job."""
    for number in range(4):
        remember(conn, f"ate {number} apples", as_type="event")
    conn.execute(
        "create function public.slow() returns trigger language plpgsql as $$ begin"
        " if (select count(*) from aimemory.archive) > 2 then perform pg_sleep(30); end if;"
        " return new; end $$"
    )
    conn.execute(
        "create trigger slow after insert on aimemory.archive"
        " for each statement execute function public.slow()"
    )
    conn.execute("set statement_timeout = '1s'")

    with pytest.raises(psycopg.errors.QueryCanceled):
        conn.execute("call aimemory.maintain(max_rows => 2, as_of => %s)", [NOW + 8 * DAY])

    conn.execute("set statement_timeout = 0")
    assert ask(conn, "select count(*) from aimemory.archive") == [2]
    runs = rows(conn, "select * from aimemory.maintenance_runs order by started_at")
    assert [(run["job"], run["status"]) for run in runs] == [
        ("refresh_due_dates", "done"),
        ("archive_due", "failed"),
    ]
    assert "statement timeout" in runs[1]["error"]
    assert ask(conn, "select count(*) from pg_locks where locktype = 'advisory'") == [0]


def test_runs_of_a_worker_are_those_of_no_other_and_in_order(conn):
    for worker, job in [("w", "purge_runs"), ("v", "archive_due"), ("w", "archive_due")]:
        claim(conn, job, worker)
        conn.execute("select pg_advisory_unlock_all()")

    def jobs(**named):
        found = call(conn, "runs_of_worker", by_worker="w", **named)
        return [run["job"] for run in found]

    assert jobs(of_jobs=["archive_due", "purge_runs"]) == ["purge_runs", "archive_due"]
    assert jobs(of_jobs=["archive_due"]) == ["archive_due"]
    later = ask(conn, "select now()")[0] + timedelta(days=3)
    assert jobs(of_jobs=["archive_due"], as_of=later) == []
