"""Count how often a connection waits for the server, in libpq's own trace."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg


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
