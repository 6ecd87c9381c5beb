"""maintain, scheduler and what status tells about upkeep, as somebody at a terminal sees them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from aimemory import MemoryStore
from aimemory.status import Relation, storage_advice
from aimemory.upkeep import JOBS
from memories import ask, rows
from roles import MAINTAINER, as_role
from terminal import Run


@pytest.fixture
def url(fresh_database: str) -> str:
    """A database of the test's own: what is due in it is everybody's."""
    return as_role(fresh_database, MAINTAINER)


@pytest.fixture
def conn(fresh_database: str, url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        yield connection


@pytest.fixture
def due(store: MemoryStore) -> int:
    """Three memories that are due."""
    old = datetime.now(UTC) - timedelta(days=30)
    for number in range(3):
        store.add("ann", f"ate {number} apples", memory_type="event", created_at=old)
    return 3


def test_maintain_runs_everything_and_prints_a_row_for_each_job(run: Run, due: int) -> None:
    done = run("maintain", "--batch-size", "2")

    assert done.code == 0
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [*JOBS]
    assert lines[2].split()[:4] == ["archive_due", "done", "3", "3"]
    assert done.err == ""


def test_maintain_prints_json(run: Run, due: int) -> None:
    (document,) = run("maintain", "archive_due", "--json").document["runs"]

    assert document.pop("seconds") >= 0
    assert document == {
        "job": "archive_due", "status": "done", "rows": 3, "batches": 2, "dry_run": False,
        "error": None,
    }  # fmt: skip


def test_a_dry_run_says_would_and_changes_nothing(
    run: Run, due: int, conn: psycopg.Connection
) -> None:
    done = run("maintain", "archive_due", "--dry-run")

    assert "would change" in done.out
    assert done.out.splitlines()[1].split()[:3] == ["archive_due", "done", "3"]
    assert ask(conn, "select count(*) from aimemory.archive") == [0]


def test_a_job_that_fails_makes_the_exit_code_one(
    run: Run, due: int, conn: psycopg.Connection
) -> None:
    conn.execute("alter table aimemory.archive add constraint full_up check (content is null)")

    failed = run("maintain")

    assert failed.code == 1
    assert "! archive_due:" in failed.out
    assert "full_up" in " ".join(failed.out.split())
    assert "purge_runs" in failed.out
    assert "WARNING archive_due: failed" in failed.err


@pytest.mark.parametrize(
    "arguments",
    [["archiv"], ["archive_due", "--log-days", "-1"], ["--batch-size", "0"], ["--log-days", "x"]],
)
def test_bad_arguments_are_refused(
    run: Run, conn: psycopg.Connection, arguments: list[str]
) -> None:
    if arguments[0] in JOBS or arguments[0].startswith("--"):
        with pytest.raises(SystemExit, match="2"):
            run("maintain", *arguments)
    else:
        refused = run("maintain", *arguments)
        assert (refused.code, refused.out) == (1, "")
        assert "the jobs are refresh_due_dates" in refused.err
    assert ask(conn, "select count(*) from aimemory.maintenance_runs") == [0]


def test_the_log_is_json_if_asked(run: Run) -> None:
    done = run("maintain", "purge_runs", "--log-format", "json", "--log-level", "info")

    (line,) = map(json.loads, done.err.splitlines())
    assert (line["job"], line["status"], line["level"]) == ("purge_runs", "done", "INFO")
    assert datetime.fromisoformat(line["time"]).tzinfo is not None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_cancels_maintain_and_leaves_nothing_running(
    url: str, due: int, conn: psycopg.Connection, number: signal.Signals
) -> None:
    conn.execute(
        "create function public.slow() returns trigger language plpgsql as"
        " $$ begin perform pg_sleep(100); return new; end $$"
    )
    conn.execute(
        "create trigger slow after insert on aimemory.archive"
        " for each statement execute function public.slow()"
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith("AIMEMORY_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "aimemory", "--url", url, "maintain"], env=clean
    )
    deadline = time.monotonic() + 30
    while not ask(conn, "select 1 from pg_stat_activity where wait_event = 'PgSleep'"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)

    assert process.wait(30) == 130
    found = rows(conn, "select * from aimemory.maintenance_runs order by started_at")
    assert [(r["job"], r["status"]) for r in found] == [
        ("refresh_due_dates", "done"),
        ("archive_due", "failed"),
    ]
    assert ask(conn, "select count(*) from aimemory.archive") == [0]


def test_check_needs_the_file(run: Run) -> None:
    failed = run("scheduler", "--check")

    assert failed.code == 1
    assert "--health-file" in failed.err


def warnings(run: Run) -> list[str]:
    found: list[str] = run("status", "--json").document["warnings"]
    return [warning for warning in found if "vector" not in warning]


def test_status_of_a_new_database_warns_of_nothing(run: Run) -> None:
    assert warnings(run) == []
    printed = run("status").out
    assert "0 turns to learn from; 0 memories for the archive" in printed
    assert printed.count("never") >= len(JOBS)


def test_status_warns_when_upkeep_never_ran(run: Run, due: int, conn: psycopg.Connection) -> None:
    conn.execute("update aimemory.users set created_at = now() - interval '3 days'")

    (warning,) = warnings(run)
    assert "upkeep has never run" in warning
    assert "3 memories for the archive, 3 of them overdue" in run("status").out
    run("maintain")
    assert warnings(run) == []
    assert "3 of them overdue" not in run("status").out


def test_status_warns_when_upkeep_stopped_days_ago(run: Run, conn: psycopg.Connection) -> None:
    run("maintain")
    conn.execute(
        "update aimemory.maintenance_runs set started_at = started_at - interval '3 days',"
        " finished_at = finished_at - interval '3 days'"
    )

    assert [w[:39] for w in warnings(run)] == ["archive_due last succeeded 3 days ago: "]
    assert "3 d ago" in run("status").out


def test_status_warns_of_what_failed_was_given_up_or_is_stale(
    run: Run, store: MemoryStore, conn: psycopg.Connection
) -> None:
    run("maintain")
    conn.execute(
        "insert into aimemory.maintenance_runs (run_id, job, status, started_at, finished_at,"
        " error) values (gen_random_uuid(), 'purge_runs', 'failed', now(), now(), 'no space')"
    )
    store.record("ann", "s", "I play the violin")
    conn.execute("update aimemory.turns set extracted_at = null, attempts = 5")
    conn.execute("update aimemory.memory_types set decay_factor = 0.99 where memory_type = 'fact'")

    failed, parked, stale = warnings(run)
    assert failed == "the last run of purge_runs failed: no space"
    assert parked.startswith("turns given up after five attempts to learn from them: 1;")
    assert stale.startswith("the rules of fact have changed")
    assert "(1 more given up)" in run("status").out


def relation(**changes: object) -> Relation:
    values: dict[str, object] = {
        "relation": "memories", "kind": "table", "of_table": None, "bytes": 10**8,
        "live_rows": 80_000, "dead_rows": 20_000, "dead_share": 0.2, "vacuumed_at": None,
        "scans": None, "is_valid": True, "is_constraint": False,
    }  # fmt: skip
    return Relation(**(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "warning"),
    [
        (relation(), None),
        (relation(dead_share=0.21), "21% of the rows of memories are dead"),
        (relation(dead_share=0.9, live_rows=900, dead_rows=8_000), None),
        (relation(kind="index", is_valid=False), "the index memories is invalid"),
    ],
)
def test_storage_is_warned_of_from_a_size_on(found: Relation, warning: str | None) -> None:
    told = storage_advice([found])

    assert told == [] if warning is None else told[0].startswith(warning)


def test_status_lists_tables_with_their_size(
    run: Run, due: int, conn: psycopg.Connection, url: str
) -> None:
    conn.execute("analyze aimemory.memories")

    printed = run("status").out
    (line,) = [
        line for line in printed.splitlines() if line.startswith("memories  ") and "kB" in line
    ]
    assert line.split()[1] == "3"


def test_metrics_are_served_while_the_scheduler_runs(url: str, due: int, unused_port: int) -> None:
    import urllib.request

    clean = {k: v for k, v in os.environ.items() if not k.startswith("AIMEMORY_")}
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "aimemory", "--url", url, "scheduler"),
            *("--log-level", "error", "--metrics-port", str(unused_port)),
        ],
        env=clean,
    )
    try:
        deadline = time.monotonic() + 30
        text = ""
        while 'aimemory_job_rows_total{job="archive_due"} 3.0' not in text:
            assert time.monotonic() < deadline
            time.sleep(0.1)
            try:
                page = urllib.request.urlopen(f"http://127.0.0.1:{unused_port}/metrics", timeout=5)
            except OSError:
                continue
            with page:
                text = page.read().decode()
        assert "aimemory_due_memories 0.0" in text
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
