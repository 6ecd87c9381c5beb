"""Look after what is stored: maintain and scheduler."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

import psycopg
from rich.console import RenderableType

from aimemory import metrics
from aimemory.cli.arguments import Commands, positive
from aimemory.cli.connecting import settings
from aimemory.cli.logs import add_log_options, logging_to_stderr
from aimemory.cli.output import Output, plain, stacked, table
from aimemory.embedded import EmbeddedServer
from aimemory.errors import InvalidInput
from aimemory.server import find_database
from aimemory.status import upkeep_row
from aimemory.store import MemoryStore
from aimemory.upkeep import JOBS, Run, Scheduler, Upkeep, read_schedule, run_maintenance
from aimemory.upkeep.jobs import check_job

logger = logging.getLogger(__name__)

LONGEST_PAUSE = 10.0
STALE_SECONDS = 180
"""A health file older than this was left by a scheduler that is gone, or hangs."""
TOO_MANY_FAILURES = 3


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the commands of this group."""
    command = commands.add_parser(
        "maintain",
        help="run upkeep once, all of it or one job",
        description="Run upkeep once: archive what is due, learn from conversations that have "
        "gone quiet, delete old logs. For cron, Kubernetes, or by hand; safe at any time, twice, "
        "and on several machines. The exit code is 1 if a job failed.",
        parents=[shared],
    )
    command.add_argument("job", nargs="?", metavar="JOB", help=f"one of {', '.join(JOBS)}")
    command.add_argument("--dry-run", action="store_true", help="only count what would be changed")
    _add_job_options(command)
    add_log_options(command, level="warning")
    command.set_defaults(run=maintain)
    command = commands.add_parser(
        "scheduler",
        help="run upkeep on a schedule, until it is stopped",
        description="Run every job once, and then when AIMEMORY_SCHEDULE says. Several "
        "schedulers on one database do the work of one. SIGTERM ends it after the batches that "
        "it is at.",
        parents=[shared],
    )
    _add_job_options(command)
    command.add_argument(
        "--grace", type=positive, default=20, metavar="SECONDS",
        help="time to end well before what runs is cancelled (default 20)",
    )  # fmt: skip
    command.add_argument(
        "--wait", type=positive, default=60, metavar="SECONDS",
        help="how long to wait for a database that does not answer yet (default 60)",
    )  # fmt: skip
    command.add_argument(
        "--health-file", type=Path, metavar="PATH",
        help="write here once a minute how the jobs fare, as JSON",
    )  # fmt: skip
    command.add_argument(
        "--check", action="store_true",
        help="exit with 0 if the scheduler that writes --health-file is well, else with 1",
    )  # fmt: skip
    command.add_argument(
        "--metrics-port", type=positive, metavar="PORT", help="serve /metrics for Prometheus"
    )
    command.add_argument(
        "--metrics-host", default="127.0.0.1", metavar="ADDRESS",
        help="where to listen for that (default 127.0.0.1; 0.0.0.0 in a container)",
    )  # fmt: skip
    add_log_options(command, level="info")
    command.set_defaults(run=scheduler)


def _add_job_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--batch-size", type=positive, default=1000, help="rows in a transaction (default 1000)"
    )
    command.add_argument(
        "--log-days", type=_days, default=90.0,
        help="how long the recall log and the history of upkeep are kept (default 90)",
    )  # fmt: skip


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days, such as 90 or 0.5")
    return days


def maintain(arguments: argparse.Namespace, output: Output) -> int:
    """Run the jobs and print what each did."""
    if arguments.job is not None:
        check_job(arguments.job)
    # Kubernetes ends a job by SIGTERM: what runs is cancelled then, as by Ctrl-C.
    signals = _on_signals(_interrupt, signal.SIGTERM)
    with logging_to_stderr(arguments), signals, _database(arguments) as (url, _):
        runs = run_maintenance(
            url,
            arguments.job,
            dry_run=arguments.dry_run,
            batch_size=arguments.batch_size,
            log_days=arguments.log_days,
            open_store=_store_opener(arguments, url),
        )
    documents = [
        {
            "job": run.job,
            "status": run.status,
            "rows": run.rows_changed,
            "batches": run.batches,
            "seconds": round(run.seconds, 3),
            "dry_run": run.dry_run,
            "error": run.failure,
        }
        for run in runs
    ]
    output.result({"runs": documents}, _listed(runs, arguments.dry_run))
    return int(any(run.status == "failed" for run in runs))


def _listed(runs: list[Run], dry_run: bool) -> RenderableType:
    shown = table(
        "job", "status", "would change" if dry_run else "rows", "batches", "seconds",
        numbers=("rows", "would change", "batches", "seconds"), narrow=("job", "status"),
    )  # fmt: skip
    for run in runs:
        numbers = (f"{run.rows_changed:,}", str(run.batches), f"{run.seconds:.2f}")
        shown.add_row(run.job, run.status, *numbers)
    failures = [
        plain(f"! {run.job}: {' '.join(run.failure.split())}", "yellow")
        for run in runs
        if run.failure is not None
    ]
    return stacked(shown, *failures)


def scheduler(arguments: argparse.Namespace, output: Output) -> int:
    """Work until a signal comes."""
    if arguments.check:
        return _check(arguments.health_file, output)
    triggers = read_schedule(settings(arguments).schedule)
    stop = threading.Event()
    with (
        logging_to_stderr(arguments),
        _on_signals(stop.set, signal.SIGTERM, signal.SIGINT),
        _database(arguments, wait_seconds=arguments.wait, stop=stop) as (url, server),
        Upkeep(
            url,
            open_store=_store_opener(arguments, url),
            batch_size=arguments.batch_size,
            log_days=arguments.log_days,
        ) as upkeep,
        _metrics(arguments, url),
    ):
        made = Scheduler(
            upkeep,
            triggers,
            grace_seconds=arguments.grace,
            on_health=_health_writer(arguments.health_file),
            revive=server.ensure_running if server else None,
        )
        ended = made.run(stop)
    if arguments.health_file is not None:
        arguments.health_file.unlink(missing_ok=True)
    if not ended:
        # A thread that waits for a model would keep the process alive for minutes. All
        # else is closed, and the turns it reads are in the database until they are learnt.
        sys.stderr.flush()
        os._exit(0)
    return 0


def _health_writer(path: Path | None) -> Callable[[dict[str, Any]], None] | None:
    if path is None:
        return None

    def write(health: dict[str, Any]) -> None:
        # At once or not at all: somebody may be reading it.
        beside = path.with_name(f"{path.name}.new")
        beside.write_text(json.dumps(health), "utf-8")
        beside.replace(path)

    return write


def _check(path: Path | None, output: Output) -> int:
    if path is None:
        raise InvalidInput("--check reads what a scheduler writes: name its --health-file")
    try:
        health = json.loads(path.read_text("utf-8"))
        age = (datetime.now(UTC) - datetime.fromisoformat(health["at"])).total_seconds()
        failing = [
            job
            for job, state in health["jobs"].items()
            if state["failures_in_a_row"] >= TOO_MANY_FAILURES
        ]
    except OSError as error:
        raise InvalidInput(f"no scheduler writes {path}: {error}") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path} is not the health file of a scheduler") from error
    problem = None
    if age > STALE_SECONDS:
        problem = f"the scheduler has been silent for {age:.0f} s"
    elif failing:
        problem = f"failing again and again: {', '.join(failing)}"
    output.result({"healthy": problem is None, "problem": problem} | health, problem or "healthy")
    return int(problem is not None)


@contextmanager
def _metrics(arguments: argparse.Namespace, url: str) -> Iterator[None]:
    if arguments.metrics_port is None:
        yield
        return
    forget = metrics.observe()
    metrics.watch_database(lambda: upkeep_row(url))
    close = metrics.serve(arguments.metrics_port, arguments.metrics_host)
    try:
        yield
    finally:
        close()
        forget()


def _store_opener(arguments: argparse.Namespace, url: str) -> Callable[[], MemoryStore]:
    return lambda: MemoryStore.open(url, embedder=arguments.embedder, llm=arguments.llm)


@contextmanager
def _database(
    arguments: argparse.Namespace,
    *,
    wait_seconds: float = 0.0,
    stop: threading.Event | None = None,
) -> Iterator[tuple[str, EmbeddedServer | None]]:
    """Lend the URL of a ready database; wait for one that is only starting."""
    chosen = settings(arguments)
    deadline = time.monotonic() + wait_seconds
    pause = 0.5
    while True:
        try:
            url, server = find_database(chosen.database_url, chosen.data_dir)
            break
        except psycopg.OperationalError as error:
            left = deadline - time.monotonic()
            if left <= 0:
                raise
            logger.warning("waiting for the database: %s", " ".join(str(error).split()))
            if stop is not None and stop.wait(min(pause, left)):
                sys.exit(0)
            pause = min(2 * pause, LONGEST_PAUSE)
    try:
        # The role that works on the memories of all users.
        yield url if server is None else server.maintainer_url, server
    finally:
        if server is not None:
            server.close()


@contextmanager
def _on_signals(handle: Callable[[], object], *numbers: signal.Signals) -> Iterator[None]:
    def handler(number: int, frame: FrameType | None) -> None:
        handle()

    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, handled in before.items():
            signal.signal(number, handled)


def _interrupt() -> None:
    raise KeyboardInterrupt
