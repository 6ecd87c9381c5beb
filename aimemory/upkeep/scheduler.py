"""Run the jobs on a schedule until somebody asks to stop."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

from aimemory.upkeep.jobs import Upkeep
from aimemory.upkeep.runs import reason

logger = logging.getLogger(__name__)

STEPS = {"archive_due": ("refresh_due_dates", "archive_due")}
"""Jobs that run others first: what is archived goes by the rules of today."""
HEALTH_SECONDS = 60.0
MISFIRE_SECONDS = 300
CANCEL_SECONDS = 5.0


@dataclass(slots=True, kw_only=True)
class JobHealth:
    """How a job has fared since the scheduler started."""

    last_outcome: str | None = None
    """done, skipped, failed, or unreachable: the database was."""
    last_at: str | None = None
    failures_in_a_row: int = 0
    next_at: str | None = None


class Scheduler:
    """Runs every job once at the start, and then when its trigger says.

    Several schedulers on one database do the work of one: a job that another one is at
    is skipped. A job whose database is out of reach logs a warning and runs the next time;
    ``revive`` is called then, to start an embedded server again.
    """

    def __init__(
        self,
        upkeep: Upkeep,
        triggers: Mapping[str, Any],
        *,
        grace_seconds: float = 20.0,
        on_health: Callable[[dict[str, Any]], None] | None = None,
        revive: Callable[[], None] | None = None,
    ) -> None:
        self._upkeep = upkeep
        self._grace_seconds = grace_seconds
        self._on_health = on_health
        self._revive = revive
        self._health = {job: JobHealth() for job in triggers}
        self._stopping = threading.Event()
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={"default": ThreadPoolExecutor(max(1, len(triggers)))},
            job_defaults={
                "coalesce": True,
                "max_instances": 1,
                "misfire_grace_time": MISFIRE_SECONDS,
            },
        )
        # What another job runs first need not run beside it at the start.
        later = {step for job in triggers for step in STEPS.get(job, (job,)) if step != job}
        for job, trigger in triggers.items():
            at_start = {} if job in later else {"next_run_time": datetime.now(UTC)}
            self._scheduler.add_job(self._work, trigger, [job], id=job, **at_start)

    def run(self, stop: threading.Event) -> bool:
        """Work until ``stop`` is set; return whether everything here came to its end.

        What is running then may finish the batch or the conversation it is at. After
        ``grace_seconds`` its statement is cancelled, which undoes that batch. False: a
        model is still being called. Its turns are kept, and the process may end.
        """
        self._scheduler.start()
        try:
            self._tell()
            while not stop.wait(HEALTH_SECONDS):
                self._tell()
        finally:
            ended = self._end()
        return ended

    def health(self) -> dict[str, Any]:
        """Return how every job has fared, and when it runs next."""
        for job, health in self._health.items():
            found = self._scheduler.get_job(job)
            planned = getattr(found, "next_run_time", None)
            health.next_at = planned.isoformat(timespec="seconds") if planned else None
        jobs = {job: asdict(health) for job, health in self._health.items()}
        return {"at": datetime.now(UTC).isoformat(timespec="seconds"), "jobs": jobs}

    def _work(self, job: str) -> None:
        for step in STEPS.get(job, (job,)):
            if self._stopping.is_set():
                return
            try:
                outcome = self._upkeep.run(step).status
            except psycopg.errors.QueryCanceled:
                outcome = "failed"
                logger.warning("%s was cancelled", step, extra={"job": step, "status": outcome})
            except psycopg.OperationalError as error:
                outcome = "unreachable"
                logger.warning(
                    "%s did not run, the database is out of reach: %s",
                    *(step, reason(error)),
                    extra={"job": step, "status": outcome},
                )
                if self._revive is not None and not self._stopping.is_set():
                    with suppress(Exception):
                        self._revive()
            except Exception as error:
                outcome = "failed"
                logger.warning(
                    "%s failed: %s",
                    *(step, reason(error)),
                    extra={"job": step, "status": outcome},
                )
                logger.debug("%s failed", step, exc_info=True)
            self._note(job, outcome)
            if outcome in ("failed", "unreachable"):
                return

    def _note(self, job: str, outcome: str) -> None:
        health = self._health[job]
        health.last_outcome = outcome
        health.last_at = datetime.now(UTC).isoformat(timespec="seconds")
        failed = outcome in ("failed", "unreachable")
        health.failures_in_a_row = health.failures_in_a_row + 1 if failed else 0

    def _tell(self) -> None:
        health = self.health()
        failing = [job for job, state in health["jobs"].items() if state["failures_in_a_row"]]
        logger.info(
            "upkeep is alive: %d jobs, failing: %s",
            *(len(health["jobs"]), ", ".join(failing) or "none"),
            extra=health,
        )
        if self._on_health is not None:
            try:
                self._on_health(health)
            except OSError as error:
                logger.warning("the health file cannot be written: %s", error)

    def _end(self) -> bool:
        self._stopping.set()
        self._scheduler.remove_all_jobs()
        ended = self._wait(self._grace_seconds, ask=True)
        if not ended:
            logger.warning("stopping takes longer than %g s: cancelling", self._grace_seconds)
            self._upkeep.cancel()
            ended = self._wait(CANCEL_SECONDS)
        self._scheduler.shutdown(wait=ended)
        logger.info("upkeep has stopped")
        return ended

    def _wait(self, seconds: float, *, ask: bool = False) -> bool:
        """Wait for what is running, and ask it to stop; again, for what had just begun."""
        deadline = time.monotonic() + seconds
        asked = 0.0
        while self._upkeep.is_running():
            if time.monotonic() > deadline:
                return False
            if ask and time.monotonic() - asked > 0.5:
                with suppress(psycopg.Error):
                    self._upkeep.stop()
                asked = time.monotonic()
            time.sleep(0.05)
        return True
