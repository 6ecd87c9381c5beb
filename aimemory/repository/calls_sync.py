# Generated from aimemory/repository/calls_async.py by tools/unasync.py: edit that file.
"""How a repository sends a statement, on whatever connection it was given."""

from __future__ import annotations

from collections.abc import Iterator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg import Connection
from psycopg.pq import TransactionStatus
from psycopg.rows import BaseRowFactory, scalar_row
from psycopg.sql import SQL, Literal

from aimemory.errors import translated_errors
from aimemory.sessions import driver_connection
from aimemory.text import identifier

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

R = TypeVar("R")
# Not set_config(), which does not reach the nodes of a cluster, nor set for the session,
# which a pooler hands to the next client.
SET_USER = SQL("set local aimemory.user_id = {}")
UNFINISHED = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


class Calls:
    """A connection, or a SQLAlchemy session, whose transaction is the caller's."""

    def __init__(self, connection: Connection | Session) -> None:
        self._given = connection

    def _done(self, statement: bytes, **values: Any) -> bool:
        return bool(self._one(statement, **values))

    def _one(self, statement: bytes, **values: Any) -> Any:
        rows = self._all(statement, scalar_row, **values)
        return rows[0]

    def _all(
        self, statement: bytes, row_factory: BaseRowFactory[R], **values: Any
    ) -> list[R]:
        connection = self._connection()
        cursor = connection.cursor(row_factory=row_factory)
        with translated_errors():
            if "for_user" in values:
                with _as_user(connection, values["for_user"]):
                    cursor.execute(statement, values)
            else:
                cursor.execute(statement, values)
            return cursor.fetchall()

    def _many(
        self, statement: bytes, row_factory: BaseRowFactory[R], rows: Sequence[dict[str, Any]]
    ) -> list[R]:
        """Send one statement for every row, all in one go; return the first row of each.

        All rows are of one user.
        """
        connection = self._connection()
        cursor = connection.cursor(row_factory=row_factory)
        results: list[R] = []
        with translated_errors():
            with _as_user(connection, rows[0]["for_user"]):
                cursor.executemany(statement, rows, returning=True)
            while len(results) < len(rows):
                results += cursor.fetchmany(1)
                cursor.nextset()
        return results

    def _connection(self) -> Connection:
        if isinstance(self._given, Connection):
            return self._given
        return driver_connection(self._given)


@contextmanager
def _as_user(connection: Connection, user_id: str) -> Iterator[None]:
    """Send what is executed in the block behind the setting that row-level security reads.

    All of it goes out together when the block ends, so the setting costs no round trip.
    It lasts until the caller's transaction ends. A connection in autocommit mode has none,
    so the block is one. Raises InvalidInput for what is no user_id.
    """
    set_user = SET_USER.format(Literal(identifier("user_id", user_id)))
    alone = False
    try:
        with connection.pipeline():
            # Looked at here: entering the caller's own pipeline has waited for what is in it.
            status = connection.info.transaction_status
            alone = connection.autocommit and status == TransactionStatus.IDLE
            if alone:
                connection.execute(b"begin")
            connection.execute(set_user, prepare=False)
            yield
            if alone:
                connection.execute(b"commit")
    except BaseException:
        # The commit behind a statement that fails is not carried out.
        if alone and connection.info.transaction_status in UNFINISHED:
            connection.rollback()
        raise


def array(values: Iterable[str] | None) -> list[str] | None:
    """Return a list for an array argument; refuse a string, which is one too."""
    if isinstance(values, str):
        raise TypeError(f"expected a list of strings, got the string {values!r}")
    return None if values is None else [*values]
