"""Open a store, and lend its connections."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from aimemory.calling import in_thread
from aimemory.database_async import AsyncDatabase
from aimemory.embedding import Embedder
from aimemory.encoding import Encoder
from aimemory.repository import AsyncMemoryRepository
from aimemory.server import find_database
from aimemory.settings import Settings

REGISTRATION_SECONDS = 60.0
INACTIVE = (
    "{} is not the active model of this database, so not every memory has a vector of it: "
    "run `aimemory reembed`, or open the store with the active model"
)


class AsyncOpening:
    """A database and a model, and what it takes to use them."""

    def __init__(self, database: AsyncDatabase, encoder: Encoder) -> None:
        self._database = database
        self._encoder = encoder
        self._registered_at = -REGISTRATION_SECONDS

    @classmethod
    async def open(
        cls,
        url: str | None = None,
        *,
        data_dir: str | Path | None = None,
        embedder: Embedder | str | None = None,
        pool_size: int | None = None,
    ) -> Self:
        """Open a database by URL, or the embedded one.

        Without ``url`` (and without ``AIMEMORY_DATABASE_URL``) the embedded server of
        ``data_dir`` is started or joined, and its schema brought up to date. ``embedder``
        is one, or the name of one (see `aimemory.embedding.open_embedder`); it is loaded
        when it is first needed. Raises DatabaseUnsuitable or EmbeddedUnavailable.
        """
        settings = Settings.from_environ()
        folder = settings.data_dir if data_dir is None else Path(data_dir)
        if url is None and data_dir is None:
            url = settings.database_url
        address, server = await in_thread(find_database, url, folder)
        size = settings.pool_size if pool_size is None else pool_size
        return cls(
            AsyncDatabase(address, size=size, server=server),
            Encoder(embedder if embedder is not None else settings.embedder),
        )

    @property
    def url(self) -> str:
        """The database this store works on."""
        return self._database.url

    async def close(self) -> None:
        """Close the connections and leave the embedded server; safe to call twice."""
        await self._database.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    @asynccontextmanager
    async def _repository(self) -> AsyncIterator[AsyncMemoryRepository]:
        async with self._database.connection() as connection:
            yield AsyncMemoryRepository(connection)

    async def _register(self) -> None:
        # Again once a minute: another process may have switched the active model.
        facts = self._encoder.facts()
        if facts is None or time.monotonic() - self._registered_at < REGISTRATION_SECONDS:
            return
        async with self._database.transaction() as connection:
            active = await AsyncMemoryRepository(connection).register_model(
                facts.model,
                facts.dimensions,
                query_prefix=facts.query_prefix,
                document_prefix=facts.document_prefix,
                scales=facts.scales,
            )
        self._registered_at = time.monotonic()
        self._encoder.inactive = None if active else INACTIVE.format(facts.model)
