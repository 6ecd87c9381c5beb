"""What a run of a job did, as aimemory.maintenance_runs has it."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row

from aimemory import statements
from aimemory.errors import DatabaseUnsuitable, EmbeddedUnavailable, MissingDependency


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of one job."""

    job: str
    status: str
    """done, skipped (another worker was at it), failed, or running."""
    dry_run: bool
    """True: it only counted what it would change."""
    started_at: datetime
    finished_at: datetime | None
    rows_changed: int
    """Memories, conversations or log entries that it changed, or would have changed."""
    batches: int
    worker: str | None
    failure: str | None
    """Why it failed."""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.finished_at - self.started_at).total_seconds() if self.finished_at else 0.0


def reason(error: Exception) -> str:
    """Say what went wrong, without what other errors may quote: the words of a user."""
    if isinstance(error, DatabaseUnsuitable | EmbeddedUnavailable | MissingDependency):
        return str(error)
    if isinstance(error, psycopg.OperationalError):
        return " ".join(str(error).split())
    return type(error).__name__


def new_worker() -> str:
    """Return a name that no other run has: host, process and four random digits."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(2)}"


def last_run(connection: psycopg.Connection, worker: str, job: str) -> Run:
    """Return the one run of a worker; without a row it ended before it began."""
    with connection.cursor(row_factory=class_row(Run)) as cursor:
        cursor.execute(
            statements.RUNS_OF_WORKER,
            {"by_worker": worker, "of_jobs": [job], "since_seconds": 172800.0, "as_of": None},
        )
        return cursor.fetchall()[-1]
