"""The scheduler as a process: signals, kill -9, a server that goes away, two at once."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from apscheduler.triggers.interval import IntervalTrigger

from aimemory import MemoryStore
from aimemory.embedded import EmbeddedServer
from aimemory.migration import migrate
from aimemory.upkeep import JOBS, Scheduler, Upkeep
from memories import ask, rows, snapshot
from scripted_llm import ScriptedLLM
from terminal import Run

PATIENCE = 30.0
SLOW = """
create function public.slow() returns trigger language plpgsql as
$$ begin perform pg_sleep({seconds}); return new; end $$;
create trigger slow after insert on aimemory.archive
for each statement execute function public.slow();
"""


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
    return found


@pytest.fixture
def conn(fresh_database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        yield connection


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a scheduler; whatever is left of it at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(url: str, *options: str, **environ: str) -> subprocess.Popen[str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("AIMEMORY_", "OPENAI_"))}
        command = [sys.executable, "-m", "aimemory", "--embedder", "none"]
        with (tmp_path / f"log{len(started)}").open("w") as log:
            process = subprocess.Popen(
                [*command, *(["--url", url] if url else []), "scheduler", *options],
                env={**clean, **environ},
                stderr=log,
                text=True,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def log_of(tmp_path: Path, number: int = 0) -> str:
    return (tmp_path / f"log{number}").read_text("utf-8")


def fill(url: str, number: int) -> None:
    """Memories that are due now."""
    with MemoryStore.open(url, embedder="none") as store:
        store.add_many(
            "ann",
            [
                {
                    "content": f"ate {n} apples",
                    "memory_type": "event",
                    "created_at": datetime.now(UTC) - timedelta(days=30),
                }
                for n in range(number)
            ],
        )


def runs(conn: psycopg.Connection, job: str) -> list[tuple[str, int]]:
    found = rows(
        conn, "select * from aimemory.maintenance_runs where job = %s order by started_at", job
    )
    return [(run["status"], run["rows_changed"]) for run in found]


def archived(conn: psycopg.Connection) -> int:
    return int(ask(conn, "select count(*) from aimemory.archive")[0])


def test_every_job_runs_at_the_start_and_a_signal_ends_it_well(
    fresh_database: str, conn: psycopg.Connection, start: Any, tmp_path: Path
) -> None:
    fill(fresh_database, 3)
    health = tmp_path / "health.json"

    process = start(fresh_database, "--health-file", str(health), "--log-format", "json")
    until(
        lambda: (
            {job for job in JOBS if ("done", 0) in runs(conn, job)} >= {*JOBS} - {"archive_due"}
            and archived(conn) == 3
        )
    )
    assert json.loads(health.read_text())["jobs"].keys() == {*JOBS}
    process.send_signal(signal.SIGTERM)

    assert process.wait(PATIENCE) == 0
    assert not health.exists()
    lines = [json.loads(line) for line in log_of(tmp_path).splitlines()]
    (line,) = [line for line in lines if line.get("job") == "archive_due"]
    assert (line["status"], line["rows"], line["level"]) == ("done", 3, "INFO")
    assert any("upkeep is alive" in line["message"] for line in lines)
    assert "apples" not in log_of(tmp_path)


def test_a_signal_lets_the_batch_be_finished_and_begins_no_other(
    fresh_database: str, conn: psycopg.Connection, start: Any
) -> None:
    fill(fresh_database, 6)
    conn.execute(SLOW.format(seconds=2).encode())

    process = start(fresh_database, "--batch-size", "2")
    until(lambda: ask(conn, "select 1 from pg_stat_activity where wait_event = 'PgSleep'"))
    process.send_signal(signal.SIGTERM)

    assert process.wait(PATIENCE) == 0
    assert archived(conn) == 2
    assert runs(conn, "archive_due") == [("failed", 2)]
    assert not ask(conn, "select 1 from aimemory.maintenance_runs where status = 'running'")


def test_a_batch_that_outlasts_the_grace_is_undone(
    fresh_database: str, conn: psycopg.Connection, start: Any, tmp_path: Path
) -> None:
    fill(fresh_database, 2)
    conn.execute(SLOW.format(seconds=100).encode())

    process = start(fresh_database, "--grace", "1")
    until(lambda: ask(conn, "select 1 from pg_stat_activity where wait_event = 'PgSleep'"))
    process.send_signal(signal.SIGINT)

    assert process.wait(PATIENCE) == 0
    assert archived(conn) == 0
    assert [status for status, _ in runs(conn, "archive_due")] == ["failed"]
    assert "archive_due was cancelled" in log_of(tmp_path)


def test_after_kill_minus_nine_the_next_one_completes_the_work(
    fresh_database: str, conn: psycopg.Connection, start: Any
) -> None:
    fill(fresh_database, 6)
    conn.execute(SLOW.format(seconds=1).encode())
    process = start(fresh_database, "--batch-size", "2")
    until(lambda: archived(conn) == 2)
    process.kill()
    process.wait()
    # The server goes on until it notices that nobody listens; an operator ends it.
    ask(
        conn,
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where application_name like 'aimemory %%' and pid <> pg_backend_pid()",
    )
    conn.execute("drop trigger slow on aimemory.archive")

    start(fresh_database)

    until(lambda: archived(conn) == 6)
    until(lambda: runs(conn, "archive_due")[-1][0] == "done")
    first, second = runs(conn, "archive_due")
    assert first[0] == "failed"
    assert first[1] + second[1] == 6


def test_two_schedulers_do_the_work_of_one(
    fresh_database: str, start: Any, empty_database: Callable[..., str]
) -> None:
    fill(fresh_database, 20)
    alone = empty_database(psycopg.conninfo.conninfo_to_dict(fresh_database)["dbname"])
    with Upkeep(alone) as upkeep:
        for job in JOBS:
            upkeep.run(job)
    with psycopg.connect(alone) as connection:
        expected = snapshot(connection)
    with psycopg.connect(fresh_database, autocommit=True) as conn:
        conn.execute(SLOW.format(seconds=0.2).encode())

        for _ in range(2):
            start(fresh_database, "--batch-size", "4")
        until(lambda: archived(conn) == 20 and len(runs(conn, "archive_due")) == 2)
        until(lambda: all(status != "running" for status, _ in runs(conn, "archive_due")))

        assert sum(number for _, number in runs(conn, "archive_due")) == 20
        found = snapshot(conn)
    assert len(expected["archive"]) == 20
    for table in expected.keys() - {"maintenance_runs"}:
        assert found[table] == expected[table], table


def test_a_model_that_does_not_answer_cannot_hold_it_up_and_costs_no_turn(
    fresh_database: str, conn: psycopg.Connection, start: Any
) -> None:
    asked = threading.Event()

    def answer(request: object) -> object:
        asked.set()
        time.sleep(15)
        return {"memories": []}

    with ScriptedLLM(default=answer) as llm:
        environ = {"OPENAI_BASE_URL": llm.base_url, "OPENAI_API_KEY": "any"}
        with MemoryStore.open(fresh_database, embedder="none") as store:
            store.record("ann", "s", "hello")
        conn.execute(
            "update aimemory.turns set extracted_at = null, content = 'My boat is called Argo'"
        )
        conn.execute("update aimemory.sessions set last_turn_at = now() - interval '1 hour'")
        process = start(fresh_database, "--grace", "1", AIMEMORY_LLM="openai:scripted", **environ)
        assert asked.wait(PATIENCE)
        before = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert time.monotonic() - before < 12

    assert [status for status, _ in runs(conn, "extract_idle")] == ["failed"]
    assert ask(conn, "select count(*) from aimemory.turns where extracted_at is null") == [1]


def test_a_bad_schedule_is_an_error_at_the_start(
    fresh_database: str, start: Any, tmp_path: Path
) -> None:
    process = start(fresh_database, AIMEMORY_SCHEDULE="archive_due=often")

    assert process.wait(PATIENCE) == 1
    assert "'often' for archive_due is no cron expression" in log_of(tmp_path)


def test_it_waits_for_a_database_only_so_long(start: Any, tmp_path: Path) -> None:
    nobody = "postgresql://postgres@127.0.0.1:1/aimemory"

    process = start(nobody, "--wait", "1")

    assert process.wait(PATIENCE) == 1
    log = log_of(tmp_path)
    assert "waiting for the database" in log
    assert log.splitlines()[-1].startswith("aimemory: cannot use the database")


def test_a_signal_ends_the_waiting(start: Any, tmp_path: Path) -> None:
    process = start("postgresql://postgres@127.0.0.1:1/aimemory")
    until(lambda: "waiting for the database" in log_of(tmp_path))
    process.send_signal(signal.SIGTERM)

    assert process.wait(PATIENCE) == 0


@pytest.fixture
def own_server() -> Iterator[EmbeddedServer]:
    """A server that a test may stop."""
    folder = Path(tempfile.mkdtemp(prefix="aim-sched-"))
    with EmbeddedServer.join(folder / "data") as server:
        migrate(server.url)
        yield server
    shutil.rmtree(folder, ignore_errors=True)


def kill(server: EmbeddedServer) -> None:
    pid = int((server.data_dir / "pgdata/postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGQUIT)
    until(lambda: not running(pid))


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_survives_a_server_that_is_stopped_and_started(
    own_server: EmbeddedServer, caplog: pytest.LogCaptureFixture
) -> None:
    """With a trigger every second instead of every minute."""
    caplog.set_level(logging.INFO, "aimemory")
    stop = threading.Event()
    with Upkeep(own_server.url) as upkeep:
        scheduler = Scheduler(upkeep, {"extract_idle": IntervalTrigger(seconds=1, timezone=UTC)})
        thread = threading.Thread(target=scheduler.run, args=[stop])
        thread.start()
        try:
            until(lambda: "extract_idle: done" in caplog.text)
            kill(own_server)
            until(lambda: "out of reach" in caplog.text)
            assert scheduler.health()["jobs"]["extract_idle"]["failures_in_a_row"] > 0
            caplog.clear()
            own_server.ensure_running()
            until(lambda: "extract_idle: done" in caplog.text)
            assert scheduler.health()["jobs"]["extract_idle"]["failures_in_a_row"] == 0
        finally:
            stop.set()
            thread.join(PATIENCE)
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert all("\n" not in warning for warning in warnings)


def test_an_embedded_server_that_died_is_started_again(
    own_server: EmbeddedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "aimemory")
    stop = threading.Event()
    with Upkeep(own_server.url) as upkeep:
        scheduler = Scheduler(
            upkeep,
            {"purge_runs": IntervalTrigger(seconds=1, timezone=UTC)},
            revive=own_server.ensure_running,
        )
        thread = threading.Thread(target=scheduler.run, args=[stop])
        thread.start()
        try:
            until(lambda: "purge_runs: done" in caplog.text)
            kill(own_server)
            caplog.clear()
            until(lambda: "purge_runs: done" in caplog.text)
        finally:
            stop.set()
            thread.join(PATIENCE)


def test_without_a_url_it_runs_on_the_embedded_server_and_stops_it(
    start: Any, tmp_path: Path
) -> None:
    folder = Path(tempfile.mkdtemp(prefix="aim-sched-"))
    try:
        process = start("", AIMEMORY_DATA_DIR=str(folder / "data"))
        until(lambda: "archive_due: done" in log_of(tmp_path), 60)
        assert (folder / "data/pgdata/postmaster.pid").exists()
        process.send_signal(signal.SIGTERM)

        assert process.wait(PATIENCE) == 0
        assert not (folder / "data/pgdata/postmaster.pid").exists()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check(run: Run, path: Path) -> int:
    return run("scheduler", "--check", "--health-file", str(path)).code


def test_the_check_tells_a_scheduler_that_is_well_from_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "health.json"
    run = Run("", capsys, monkeypatch)

    def write(age: float, failures: int) -> None:
        at = (datetime.now(UTC) - timedelta(seconds=age)).isoformat()
        job = {"last_outcome": "done", "failures_in_a_row": failures}
        path.write_text(json.dumps({"at": at, "jobs": {"archive_due": job}}))

    assert check(run, path) == 1  # nobody writes it
    write(age=100, failures=2)
    assert check(run, path) == 0
    write(age=200, failures=0)
    assert check(run, path) == 1
    write(age=0, failures=3)
    assert check(run, path) == 1
    path.write_text("{")
    assert check(run, path) == 1
