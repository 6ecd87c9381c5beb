"""Run upkeep jobs, and stop them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Self

import psycopg

from aimemory import statements
from aimemory.errors import InvalidInput, translated_errors
from aimemory.observing import operation
from aimemory.store import MemoryStore
from aimemory.upkeep.extracting import EXTRACT_IDLE, extract_idle
from aimemory.upkeep.runs import Run, last_run, new_worker

logger = logging.getLogger(__name__)

JOBS = (
    "refresh_due_dates",
    "archive_due",
    EXTRACT_IDLE,
    "close_idle_sessions",
    "purge_recall_log",
    "purge_runs",
)
"""All jobs, in the order in which they run."""
FAILED = "MM006"


class Upkeep:
    """The jobs of one database; safe to use from several threads.

    Every run has a connection of its own, in autocommit mode and not behind a pooler, for
    the lock of a job belongs to the connection. ``open_store`` opens the store that learns
    from idle conversations, when there is one for the first time.
    """

    def __init__(
        self,
        url: str,
        *,
        open_store: Callable[[], MemoryStore] | None = None,
        batch_size: int = 1000,
        log_days: float = 90.0,
    ) -> None:
        self.url = url
        self._open_store = open_store or (lambda: MemoryStore.open(url))
        self._batch_size = batch_size
        self._log_days = log_days
        self._store: MemoryStore | None = None
        self._lock = threading.Lock()
        self._running: dict[str, psycopg.Connection] = {}

    def run(
        self,
        job: str,
        *,
        dry_run: bool = False,
        worker: str | None = None,
        as_of: datetime | None = None,
    ) -> Run:
        """Run one job to its end; a run that failed says so in what is returned.

        Raises InvalidInput for an unknown job, and psycopg.Error when the database is out
        of reach.
        """
        check_job(job)
        name = worker or new_worker()
        with operation(f"upkeep.{job}") as seen:
            run = self._run(job, name, dry_run=dry_run, as_of=as_of)
            seen.attributes.update(rows=run.rows_changed, batches=run.batches, status=run.status)
            if run.status == "failed":
                seen.error = "MaintenanceFailed"
        logger.log(
            logging.WARNING if run.status == "failed" else logging.INFO,
            "%s: %s, %d rows in %d batches, %.2f s%s",
            *(job, run.status, run.rows_changed, run.batches, run.seconds),
            f": {run.failure}" if run.failure else "",
            extra={
                "job": job,
                "status": run.status,
                "rows": run.rows_changed,
                "batches": run.batches,
                "seconds": run.seconds,
                "dry_run": run.dry_run,
                "worker": run.worker,
            },
        )
        return run

    def _run(self, job: str, worker: str, *, dry_run: bool, as_of: datetime | None) -> Run:
        with psycopg.connect(
            self.url, autocommit=True, application_name=f"aimemory {job}"
        ) as connection:
            with self._lock:
                self._running[worker] = connection
            try:
                if job == EXTRACT_IDLE:
                    extract_idle(
                        connection,
                        self._opened_store,
                        worker=worker,
                        batch_size=self._batch_size,
                        dry_run=dry_run,
                        as_of=as_of,
                    )
                else:
                    self._call(connection, job, worker, dry_run, as_of)
            except BaseException:
                # Cancelled between two batches, the procedure could not note its end.
                with suppress(psycopg.Error):
                    connection.execute(statements.STOP_RUNS, {"by_worker": worker, "as_of": None})
                raise
            finally:
                with self._lock:
                    del self._running[worker]
            return last_run(connection, worker, job)

    def _call(
        self,
        connection: psycopg.Connection,
        job: str,
        worker: str,
        dry_run: bool,
        as_of: datetime | None,
    ) -> None:
        arguments = {
            "only_job": job,
            "max_rows": self._batch_size,
            "is_rehearsal": dry_run,
            "by_worker": worker,
            "log_days": self._log_days,
            "as_of": as_of,
        }
        with translated_errors():
            try:
                connection.execute(statements.MAINTAIN, arguments)
            except psycopg.Error as error:
                if error.sqlstate != FAILED:  # that the run failed is in its row
                    raise

    def is_running(self) -> bool:
        """Whether any job is being run here."""
        with self._lock:
            return bool(self._running)

    def stop(self) -> None:
        """Ask what is running to end after the batch, or the conversation, that it is at."""
        with self._lock:
            workers = [*self._running]
        if not workers:
            return
        with psycopg.connect(self.url, autocommit=True, connect_timeout=5) as connection:
            for worker in workers:
                connection.execute(statements.STOP_RUNS, {"by_worker": worker, "as_of": None})

    def cancel(self) -> None:
        """Cancel the statements that are running; each undoes the batch it was at."""
        with self._lock:
            connections = [*self._running.values()]
        for connection in connections:
            with suppress(psycopg.Error):
                connection.cancel_safe(timeout=5)

    def close(self) -> None:
        """Close the store that learnt from conversations; safe to call twice."""
        with self._lock:
            store, self._store = self._store, None
        if store is not None:
            store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _opened_store(self) -> MemoryStore:
        if self._store is None:
            self._store = self._open_store()
        return self._store


def check_job(job: str) -> None:
    """Raise InvalidInput unless there is such a job."""
    if job not in JOBS:
        raise InvalidInput(f"there is no upkeep job {job!r}; the jobs are {', '.join(JOBS)}")


def run_maintenance(
    url: str,
    job: str | None = None,
    *,
    dry_run: bool = False,
    batch_size: int = 1000,
    log_days: float = 90.0,
    worker: str | None = None,
    as_of: datetime | None = None,
    open_store: Callable[[], MemoryStore] | None = None,
) -> list[Run]:
    """Run one upkeep job, or all of them in order; return what each did.

    A job that fails does not keep the others from running: look at ``status``. Every batch
    is a transaction of its own, so what was done before stays done, and a second call goes
    on from there. ``dry_run`` counts what a run would change, ``log_days`` is how long the
    recall log and the history of upkeep are kept. Raises InvalidInput for an unknown job.
    """
    if batch_size < 1 or not log_days >= 0:
        raise InvalidInput("batch_size must be at least 1, and log_days at least 0")
    wanted = JOBS if job is None else (job,)
    with Upkeep(url, open_store=open_store, batch_size=batch_size, log_days=log_days) as upkeep:
        return [upkeep.run(each, dry_run=dry_run, worker=worker, as_of=as_of) for each in wanted]
