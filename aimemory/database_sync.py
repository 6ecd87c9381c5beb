# Generated from aimemory/database_async.py by tools/unasync.py: edit that file.
"""A pool of connections that survives a fork and a restart of the server."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

import psycopg
from psycopg import Connection
from psycopg_pool import ConnectionPool

from aimemory.calling import in_place
from aimemory.embedded import EmbeddedServer

IDLE_SECONDS = 1.0


class Database:
    """Connections to one database, and the embedded server behind it if there is one.

    A connection is taken for as long as its statements run and no longer; no model
    is called meanwhile. A child process made by fork gets a pool of its own, since
    a connection that two processes write to mixes their answers up.
    """

    def __init__(self, url: str, *, size: int, server: EmbeddedServer | None = None) -> None:
        self.url = url
        self.server = server
        self._size = size
        self._pool: ConnectionPool[Connection] | None = None
        self._owner = 0
        self._last_used: WeakKeyDictionary[Connection, float] = WeakKeyDictionary()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection in autocommit mode."""
        pool = self._open_pool()
        with pool.connection() as connection:
            yield connection
            self._last_used[connection] = time.monotonic()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Lend a connection with a transaction that ends with the block."""
        with self.connection() as connection, connection.transaction():
            yield connection

    def close(self) -> None:
        """Close the pool, and leave the embedded server; safe to call twice."""
        pool, self._pool = self._pool, None
        if pool is not None and self._owner == os.getpid():
            pool.close()
        if self.server is not None:
            in_place(self.server.close)

    def _open_pool(self) -> ConnectionPool[Connection]:
        if self._pool is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._pool = ConnectionPool(
                self.url,
                kwargs={
                    "autocommit": True,
                    "application_name": "aimemory",
                    # A pooler in transaction mode sends the next statement to another
                    # session, which knows nothing of what was prepared.
                    "prepare_threshold": None,
                },
                min_size=0,
                max_size=self._size,
                check=self._check,
                open=False,
            )
            self._pool.open()
        return self._pool

    def _check(self, connection: Connection) -> None:
        # A ping costs a round trip, so only a connection that has been idle is asked.
        if time.monotonic() - self._last_used.get(connection, 0.0) < IDLE_SECONDS:
            return
        try:
            ConnectionPool.check_connection(connection)
        except psycopg.OperationalError:
            if self.server is not None:
                in_place(self.server.ensure_running)
            raise
