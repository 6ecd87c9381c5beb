"""Where the log of a command that works on its own goes: to the standard error output."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

LEVELS = ("debug", "info", "warning", "error")


def add_log_options(parser: argparse.ArgumentParser, *, level: str) -> None:
    """Add ``--log-format`` and ``--log-level``."""
    group = parser.add_argument_group("log, on the standard error output")
    group.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="a line for people, or one JSON object a line (default text)",
    )
    group.add_argument(
        "--log-level", choices=LEVELS, default=level, help=f"the least that is told ({level})"
    )


@contextmanager
def logging_to_stderr(arguments: argparse.Namespace) -> Iterator[None]:
    """Write the log of the library and of the scheduler for the time of a command."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(arguments.log_format))
    level = logging.getLevelName(arguments.log_level.upper())
    # APScheduler tells of every run; that is ours to tell.
    told = {"aimemory": level, "apscheduler": max(level, logging.WARNING)}
    before = {name: logging.getLogger(name).level for name in told}
    for name, least in told.items():
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).setLevel(least)
    try:
        yield
    finally:
        for name, least in before.items():
            logging.getLogger(name).removeHandler(handler)
            logging.getLogger(name).setLevel(least)


def _formatter(form: str) -> logging.Formatter:
    if form == "json":
        from pythonjsonlogger.json import JsonFormatter

        made: logging.Formatter = JsonFormatter(
            "{asctime}{levelname}{name}{message}",
            style="{",
            datefmt="%Y-%m-%dT%H:%M:%SZ",
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
            json_ensure_ascii=False,
        )
    else:
        made = logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
    made.converter = time.gmtime
    return made
