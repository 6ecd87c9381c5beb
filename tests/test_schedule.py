"""AIMEMORY_SCHEDULE: cron expressions for some jobs, the default for the others."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from aimemory import InvalidInput
from aimemory.upkeep import DEFAULT_SCHEDULE, JOBS, read_schedule


def test_every_job_has_a_default_schedule() -> None:
    assert DEFAULT_SCHEDULE.keys() == set(JOBS)
    assert read_schedule(None).keys() == set(JOBS)


def test_a_schedule_changes_what_it_names_and_switches_off() -> None:
    triggers = read_schedule(" archive_due = 30 4 * * sun ; purge_runs=off;")

    assert triggers.keys() == set(JOBS) - {"purge_runs"}
    monday = datetime(2026, 3, 2, tzinfo=UTC)
    trigger = triggers["archive_due"]
    trigger.jitter = None
    assert trigger.get_next_fire_time(None, monday) == datetime(2026, 3, 8, 4, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ("archive_due", "has no ="),
        ("archive=0 3 * * *", "there is no upkeep job 'archive'"),
        ("archive_due=0 3 * *", "'0 3 \\* \\*' for archive_due is no cron expression"),
        ("archive_due=61 3 * * *", "archive_due is no cron expression"),
        ("archive_due=", "archive_due is no cron expression"),
        ("archive_due=@daily", "archive_due is no cron expression"),
        # Sunday to cron and Kubernetes, Monday to APScheduler.
        ("archive_due=0 3 * * 0", "days of the week as names"),
    ],
)
def test_a_bad_schedule_is_refused_with_the_name_of_the_job(schedule: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_schedule(schedule)
