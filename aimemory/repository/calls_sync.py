# Generated from aimemory/repository/calls_async.py by tools/unasync.py: edit that file.
"""How a repository sends a statement, on whatever connection it was given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg import Connection
from psycopg.rows import BaseRowFactory, scalar_row

from aimemory.errors import translated_errors
from aimemory.sessions import driver_connection

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

R = TypeVar("R")


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
            cursor.execute(statement, values)
            return cursor.fetchall()

    def _many(
        self, statement: bytes, row_factory: BaseRowFactory[R], rows: Sequence[dict[str, Any]]
    ) -> list[R]:
        """Send one statement for every row, all in one go; return the first row of each."""
        connection = self._connection()
        cursor = connection.cursor(row_factory=row_factory)
        results: list[R] = []
        with translated_errors():
            cursor.executemany(statement, rows, returning=True)
            while len(results) < len(rows):
                results += cursor.fetchmany(1)
                cursor.nextset()
        return results

    def _connection(self) -> Connection:
        if isinstance(self._given, Connection):
            return self._given
        return driver_connection(self._given)


def array(values: Iterable[str] | None) -> list[str] | None:
    """Return a list for an array argument; refuse a string, which is one too."""
    if isinstance(values, str):
        raise TypeError(f"expected a list of strings, got the string {values!r}")
    return None if values is None else [*values]
