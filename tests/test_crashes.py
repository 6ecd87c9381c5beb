"""Killed in the middle: what was committed is there, once, and the next run completes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from aimemory import MemoryStore, migrate
from aimemory.embedded import EmbeddedServer
from memories import DAY, NOW, ask, remember, rows

LATER = NOW + 8 * DAY
MAINTAIN = "call aimemory.maintain('archive_due', max_rows => 4, as_of => %s)"
WORKER = """
import sys, psycopg
with psycopg.connect(sys.argv[1], autocommit=True) as connection:
    connection.execute(sys.argv[2], [sys.argv[3]])
"""


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """A server of this test's own, which flushes what it commits."""
    folder = Path(tempfile.mkdtemp(prefix="aim-crash-"))
    with EmbeddedServer.join(folder / "data") as server:
        migrate(server.url)
        yield server
    shutil.rmtree(folder, ignore_errors=True)


def kill_server(server: EmbeddedServer) -> None:
    """Kill the postmaster; its children end when they notice."""
    pid_file = server.data_dir / "pgdata" / "postmaster.pid"
    os.kill(int(pid_file.read_text().split()[0]), signal.SIGKILL)


def restarted(server: EmbeddedServer) -> psycopg.Connection:
    for _ in range(100):
        try:
            server.ensure_running()
            return psycopg.connect(server.url, autocommit=True)
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise AssertionError("the server did not come back")


def waiting(db: psycopg.Connection) -> bool:
    """Whether the batch has come to the table that is locked."""
    query = "select count(*) from pg_locks where not granted and locktype = 'relation'"
    return ask(db, query) != [0]


def in_both_or_neither(db: psycopg.Connection, ids: list[UUID]) -> list[UUID]:
    return ask(
        db,
        "select i.id from unnest(%s::uuid[]) as i(id)"
        " where (select count(*) from (select memory_id from aimemory.memories"
        "   union all select memory_id from aimemory.archive) s where s.memory_id = i.id) <> 1",
        ids,
    )


@pytest.mark.parametrize("killed", ["worker", "server"])
@pytest.mark.parametrize(
    "step",
    [
        "memory_terms",
        pytest.param("memory_vectors", marks=pytest.mark.heavy),
        pytest.param("memory_revisions", marks=pytest.mark.heavy),
    ],
)
def test_upkeep_killed_between_its_steps_is_completed_by_the_next_run(server, killed, step):
    with psycopg.connect(server.url, autocommit=True) as db:
        ids = [remember(db, f"ate {number}", as_type="event") for number in range(10)]
        blocker = psycopg.connect(server.url)
        blocker.execute(f"lock table aimemory.{step} in exclusive mode".encode())
        worker = subprocess.Popen([sys.executable, "-c", WORKER, server.url, MAINTAIN,
                                   LATER.isoformat()], stderr=subprocess.DEVNULL)  # fmt: skip
        while not waiting(db):
            assert worker.poll() is None
            time.sleep(0.02)

    if killed == "server":
        kill_server(server)
    else:
        worker.kill()
    worker.wait()
    with restarted(server) as db:
        if killed == "worker":
            # Its backend lives on until it has an answer to send; an operator would do this.
            db.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                       " where query like 'call aimemory.maintain%'")  # fmt: skip
        blocker.close()

        assert in_both_or_neither(db, ids) == []
        assert ask(db, "select count(*) from aimemory.archive") == [0]
        db.execute(MAINTAIN.encode(), [LATER])
        assert in_both_or_neither(db, ids) == []
        assert ask(db, "select count(*) from aimemory.archive") == [10]
        assert ask(db, "select count(*) from aimemory.memory_terms where not cold") == [0]
        runs = rows(db, "select status, rows_changed from aimemory.maintenance_runs"
                        " where job = 'archive_due' order by started_at")  # fmt: skip
        assert [run["status"] for run in runs] == ["failed", "done"]
        assert sum(run["rows_changed"] for run in runs) == 10


def test_no_acknowledged_memory_is_lost_when_the_server_is_killed_under_writes(server):
    acknowledged: list[UUID] = []

    def write(number: int) -> None:
        try:
            with MemoryStore.open(server.url, embedder="none") as store:
                for count in range(10_000):
                    text = f"writer {number} says {count}"
                    result = store.add(f"user {number % 3}", text, memory_type="event",
                                       created_at=NOW)  # fmt: skip
                    acknowledged.append(result.memory_id)
        except psycopg.OperationalError:
            return

    def archive() -> None:
        try:
            with psycopg.connect(server.url, autocommit=True) as db:
                while True:
                    db.execute(MAINTAIN.encode(), [LATER])
        except psycopg.OperationalError:
            return

    workers = [threading.Thread(target=write, args=[number]) for number in range(4)]
    workers.append(threading.Thread(target=archive))
    for worker in workers:
        worker.start()
    while len(acknowledged) < 150:
        time.sleep(0.02)
    kill_server(server)
    for worker in workers:
        worker.join(timeout=60)

    with restarted(server) as db:
        assert in_both_or_neither(db, acknowledged) == []
        db.execute(MAINTAIN.encode(), [LATER])
        assert in_both_or_neither(db, acknowledged) == []
        assert ask(db, "select count(*) from aimemory.memories") == [0]
