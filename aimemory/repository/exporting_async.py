"""Repository methods that write out and read in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from psycopg.rows import scalar_row, tuple_row
from psycopg.sql import Literal
from psycopg.types.json import Jsonb, set_json_loads

from aimemory import statements
from aimemory.errors import translated_errors
from aimemory.exports import Line
from aimemory.repository.calls_async import SET_USER, AsyncCalls

ROWS_AT_ONCE = 200


class AsyncExporting(AsyncCalls):
    """All of a user, as JSON."""

    async def export(
        self, user_id: str, *, as_of: datetime | None = None
    ) -> AsyncIterator[tuple[str, str]]:
        """Yield kind and JSON of every record of a user, the header first.

        They are read a few at a time, through a cursor that lives in the transaction.
        """
        connection = await self._connection()
        async with connection.cursor("aimemory_export", row_factory=tuple_row) as cursor:
            set_json_loads(_as_it_is, cursor)
            cursor.itersize = ROWS_AT_ONCE
            with translated_errors():
                await connection.execute(SET_USER.format(Literal(user_id)))
                await cursor.execute(statements.EXPORT, {"for_user": user_id, "as_of": as_of})
                async for row in cursor:
                    yield row[0], row[1]

    async def import_records(
        self, user_id: str, lines: Sequence[Line], *, as_of: datetime | None = None
    ) -> list[tuple[str, str, int]]:
        """Store records; return kind, outcome and number of those that met it.

        Raises InvalidInput or EmbeddingMismatch, which name the line.
        """
        return await self._all(
            statements.IMPORT,
            tuple_row,
            for_user=user_id,
            kinds=[line.kind for line in lines],
            records=[Jsonb(line.text, dumps=str) for line in lines],
            lines=[line.number for line in lines],
            as_of=as_of,
        )

    async def settle_import(self, user_id: str) -> None:
        """Take out links to memories that the import has left out."""
        await self._all(statements.SETTLE_IMPORT, scalar_row, for_user=user_id)


def _as_it_is(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode()
