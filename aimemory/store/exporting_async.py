"""Store methods that write out and read in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from aimemory.errors import InvalidInput
from aimemory.exports import in_batches, read_header, read_lines, written
from aimemory.records import ImportReport
from aimemory.repository import AsyncMemoryRepository
from aimemory.store.opening_async import AsyncOpening
from aimemory.text import identifier


class AsyncExporting(AsyncOpening):
    """All of a user, as JSON, one object a line."""

    async def export(self, user_id: str) -> AsyncIterator[str]:
        """Yield everything of a user but the log, as lines of JSON without line breaks.

        The first line is the header. All lines are of one moment; a connection is held
        until the last one has been read.
        """
        identifier("user_id", user_id)
        async with self._database.transaction() as connection:
            async for kind, record in AsyncMemoryRepository(connection).export(user_id):
                yield written(kind, record)

    async def import_(
        self, lines: Iterable[str], user_id: str | None = None, *, dry_run: bool = False
    ) -> ImportReport:
        """Store an export, for its own user or another one, all of it or nothing.

        Ids, history and states stay as they were. What is there already is left as it is, so
        a second import changes nothing; the report says how many records met which outcome.
        Raises InvalidInput, which names the line and what is wrong with it, and
        EmbeddingMismatch for vectors of another size than their model has.
        """
        read = read_lines(lines)
        header = read_header(read)
        owner = header.get("user_id") if user_id is None else user_id
        if not isinstance(owner, str):
            raise InvalidInput("the header names no user: say whose memories these are")
        identifier("user_id", owner)
        await self._registration.ensure()
        counts: dict[str, dict[str, int]] = {}
        async with (
            self._database.connection() as connection,
            connection.transaction(force_rollback=dry_run),
        ):
            repository = AsyncMemoryRepository(connection)
            for model in header.get("models", []):
                await repository.register_model(
                    model["model_id"],
                    model["dimensions"],
                    query_prefix=model.get("query_prefix", ""),
                    document_prefix=model.get("document_prefix", ""),
                    scales=model.get("scales"),
                )
            for batch in in_batches(read):
                for kind, outcome, number in await repository.import_records(owner, batch):
                    of_kind = counts.setdefault(kind, {})
                    of_kind[outcome] = of_kind.get(outcome, 0) + number
            await repository.settle_import(owner)
        return ImportReport(user_id=owner, dry_run=dry_run, counts=counts)
