"""Open a store, and lend its connections."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from aimemory.calling import in_thread
from aimemory.database_async import AsyncDatabase
from aimemory.embedding import Embedder
from aimemory.encoding import NONE, Encoder
from aimemory.llm import ChatModel, open_chat_model
from aimemory.registration_async import AsyncRegistration
from aimemory.repository import AsyncMemoryRepository
from aimemory.server import find_database
from aimemory.settings import Settings
from aimemory.writing.learning import Learning
from aimemory.writing.writer_async import AsyncWriter


class AsyncOpening:
    """A database and a model, and what it takes to use them."""

    def __init__(
        self,
        database: AsyncDatabase,
        encoder: Encoder,
        *,
        learning: Learning | None = None,
        chat: ChatModel | None = None,
    ) -> None:
        self._database = database
        self._encoder = encoder
        self._chat = chat
        self._registration = AsyncRegistration(database, encoder)
        self._writer = AsyncWriter(
            database, encoder, self._registration, learning or Learning.by_rules()
        )

    @classmethod
    async def open(
        cls,
        url: str | None = None,
        *,
        data_dir: str | Path | None = None,
        embedder: Embedder | str | None = None,
        llm: ChatModel | str | None = None,
        learning: Learning | None = None,
        pool_size: int | None = None,
    ) -> Self:
        """Open a database by URL, or the embedded one.

        Without ``url`` (and without ``AIMEMORY_DATABASE_URL``) the embedded server of
        ``data_dir`` is started or joined, and its schema brought up to date; the role is
        aimemory_app then, which sees the memories of one user at a time. ``embedder``
        is one, or the name of one (see `aimemory.embedding.open_embedder`); it is loaded
        when it is first needed. ``llm`` is a chat model or the name of one (``openai:MODEL``):
        it answers `chat`, and distils memories unless ``learning`` says otherwise; without
        one, or with ``none``, rules do. Raises DatabaseUnsuitable or EmbeddedUnavailable.
        """
        settings = Settings.from_environ()
        folder = settings.data_dir if data_dir is None else Path(data_dir)
        if url is None and data_dir is None:
            url = settings.database_url
        address, server = await in_thread(find_database, url, folder)
        size = settings.pool_size if pool_size is None else pool_size
        named = llm if llm is not None else settings.llm
        if named == NONE:
            named = None
        chat = open_chat_model(named) if isinstance(named, str) else named
        return cls(
            AsyncDatabase(address, size=size, server=server),
            Encoder(embedder if embedder is not None else settings.embedder),
            learning=learning or (Learning.by_model(chat) if chat else None),
            chat=chat,
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
