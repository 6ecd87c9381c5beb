"""When each job runs: cron expressions, in UTC."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC

from apscheduler.triggers.cron import CronTrigger

from aimemory.errors import InvalidInput
from aimemory.upkeep.jobs import check_job

DEFAULT_SCHEDULE = {
    "archive_due": "0 3 * * *",
    "refresh_due_dates": "15 * * * *",
    "extract_idle": "* * * * *",
    "close_idle_sessions": "*/10 * * * *",
    "purge_recall_log": "30 3 * * *",
    "purge_runs": "30 3 * * *",
}
OFF = "off"
FORM = "JOB=CRON; JOB=off; …, such as archive_due=0 4 * * *; purge_runs=off"
JITTER_SECONDS = 10
"""Up to so much later, that several machines do not all ask at the same moment."""


def read_schedule(text: str | None) -> dict[str, CronTrigger]:
    """Return when each job runs: as ``AIMEMORY_SCHEDULE`` says, else as by default.

    Raises InvalidInput, naming the job, for what is no cron expression of five fields.
    """
    expressions: dict[str, str] = dict(DEFAULT_SCHEDULE)
    for entry in filter(None, (part.strip() for part in (text or "").split(";"))):
        job, separator, expression = entry.partition("=")
        if not separator:
            raise InvalidInput(f"AIMEMORY_SCHEDULE has to be {FORM}; {entry!r} has no =")
        check_job(job.strip())
        expressions[job.strip()] = expression.strip()
    return _triggers({job: cron for job, cron in expressions.items() if cron != OFF})


def _triggers(expressions: Mapping[str, str]) -> dict[str, CronTrigger]:
    triggers = {}
    for job, expression in expressions.items():
        try:
            if re.search(r"\d", (expression.split() or [""])[-1]):
                # Cron counts days of the week from Sunday, APScheduler from Monday.
                raise ValueError("write days of the week as names: sun, mon-fri")
            trigger = CronTrigger.from_crontab(expression, timezone=UTC)
        except ValueError as error:
            raise InvalidInput(
                f"AIMEMORY_SCHEDULE: {expression!r} for {job} is no cron expression of five "
                f"fields (minute hour day month weekday), such as 0 3 * * *: {error}"
            ) from error
        trigger.jitter = JITTER_SECONDS
        triggers[job] = trigger
    return triggers
