"""What the server did: the plan of a recall, and the statements of an action."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psycopg

from aimemory import MemoryRepository
from benchmarks.synthetic import AS_OF, MODEL, Corpus

LOGGED = re.compile(r"LOG:  (?:statement|execute \S+): (.*)")
PLAN_SETTINGS = (
    "load 'auto_explain'",
    "set auto_explain.log_min_duration = 0",
    "set auto_explain.log_nested_statements = on",
    "set auto_explain.log_analyze = on",
    "set auto_explain.log_buffers = on",
    "set auto_explain.log_timing = off",
    "set auto_explain.log_level = log",
    "set client_min_messages = log",
)


def plan_of_recall(url: str, user_id: str) -> str:
    """Return the plan of the statement inside aimemory.recall, as it is run for a user."""
    plans: list[str] = []
    corpus = Corpus(seed=3)
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in PLAN_SETTINGS:
            connection.execute(setting)
        connection.add_notice_handler(lambda notice: plans.append(notice.message_primary or ""))
        MemoryRepository(connection).recall(
            user_id, corpus.question(), vector=corpus.vector(), model=MODEL, as_of=AS_OF
        )
    recall = max(plans, key=len)
    # The text of the statement comes first; the first line with a cost begins the plan.
    lines = recall.splitlines()
    first = next(number for number, line in enumerate(lines) if "(cost=" in line)
    return "\n".join([lines[0].partition("Query Text")[0] or "plan", *lines[first:]]) + "\n"


class StatementLog:
    """Reads from the server's log which statements an action sent.

    The database must log them (``alter database … set log_statement = 'all'``) before
    the connections of the action are made.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder

    def statements(self, action: Callable[[], object]) -> list[str]:
        """Run the action and return the first line of every statement it sent."""
        start, end = uuid4().hex, uuid4().hex
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f"select '{start}'".encode())
            action()
            connection.execute(f"select '{end}'".encode())
        lines = self._read_until(end)
        sent = [found.group(1) for line in lines if (found := LOGGED.search(line))]
        places = [number for number, line in enumerate(sent) if start in line or end in line]
        return sent[places[0] + 1 : places[-1]]

    def _read_until(self, end: str) -> list[str]:
        for _ in range(200):
            newest = max(self._folder.glob("server-*.log"), key=lambda path: path.stat().st_mtime)
            text = newest.read_text("utf-8", errors="replace")
            if end in text:
                return text.splitlines()
            time.sleep(0.05)
        raise SystemExit(f"the server does not log statements to {self._folder}")
