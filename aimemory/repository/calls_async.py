"""How a repository sends a statement, on whatever connection it was given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg import AsyncConnection
from psycopg.rows import BaseRowFactory, scalar_row

from aimemory.errors import translated_errors
from aimemory.sessions import driver_connection_async

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

R = TypeVar("R")


class AsyncCalls:
    """A connection, or a SQLAlchemy session, whose transaction is the caller's."""

    def __init__(self, connection: AsyncConnection | AsyncSession) -> None:
        self._given = connection

    async def _done(self, statement: bytes, **values: Any) -> bool:
        return bool(await self._one(statement, **values))

    async def _one(self, statement: bytes, **values: Any) -> Any:
        rows = await self._all(statement, scalar_row, **values)
        return rows[0]

    async def _all(
        self, statement: bytes, row_factory: BaseRowFactory[R], **values: Any
    ) -> list[R]:
        connection = await self._connection()
        cursor = connection.cursor(row_factory=row_factory)
        with translated_errors():
            await cursor.execute(statement, values)
            return await cursor.fetchall()

    async def _many(
        self, statement: bytes, row_factory: BaseRowFactory[R], rows: Sequence[dict[str, Any]]
    ) -> list[R]:
        """Send one statement for every row, all in one go; return the first row of each."""
        connection = await self._connection()
        cursor = connection.cursor(row_factory=row_factory)
        results: list[R] = []
        with translated_errors():
            await cursor.executemany(statement, rows, returning=True)
            while len(results) < len(rows):
                results += await cursor.fetchmany(1)
                cursor.nextset()
        return results

    async def _connection(self) -> AsyncConnection:
        if isinstance(self._given, AsyncConnection):
            return self._given
        return await driver_connection_async(self._given)


def array(values: Iterable[str] | None) -> list[str] | None:
    """Return a list for an array argument; refuse a string, which is one too."""
    if isinstance(values, str):
        raise TypeError(f"expected a list of strings, got the string {values!r}")
    return None if values is None else [*values]
