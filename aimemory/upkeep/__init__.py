"""Run the upkeep jobs of a database, once or on a schedule.

The work itself is SQL and safe to run anywhere at any time: see aimemory.maintain. This
package decides when to call it and when to stop, so pg_cron or a Kubernetes CronJob can
take its place. Only learning from idle conversations needs Python.
"""

from aimemory.upkeep.jobs import JOBS, Upkeep, run_maintenance
from aimemory.upkeep.runs import Run
from aimemory.upkeep.schedule import DEFAULT_SCHEDULE, read_schedule
from aimemory.upkeep.scheduler import Scheduler

__all__ = [
    "DEFAULT_SCHEDULE",
    "JOBS",
    "Run",
    "Scheduler",
    "Upkeep",
    "read_schedule",
    "run_maintenance",
]
