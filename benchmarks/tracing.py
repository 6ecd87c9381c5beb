"""What the server did: the plan of a recall, and how often an action waited for it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from aimemory import MemoryRepository
from benchmarks.synthetic import AS_OF, MODEL, Corpus

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


@contextmanager
def round_trips(connection: psycopg.Connection) -> Iterator[Callable[[], int]]:
    """Trace a connection during the block; the function lent tells the round trips, after it.

    The server says ReadyForQuery once for everything that was sent in one go.
    """
    with tempfile.TemporaryFile() as file:
        connection.pgconn.trace(file.fileno())
        text = ""
        yield lambda: text.count("ReadyForQuery")
        connection.pgconn.untrace()
        file.seek(0)
        text = file.read().decode()
