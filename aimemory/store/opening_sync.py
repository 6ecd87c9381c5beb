# Generated from aimemory/store/opening_async.py by tools/unasync.py: edit that file.
"""Open a store, and lend its connections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from aimemory.calling import in_place
from aimemory.database_sync import Database
from aimemory.embedding import Embedder
from aimemory.encoding import NONE, Encoder
from aimemory.llm import ChatModel, open_chat_model
from aimemory.registration_sync import Registration
from aimemory.repository import MemoryRepository
from aimemory.server import find_database
from aimemory.settings import Settings
from aimemory.writing.learning import Learning
from aimemory.writing.writer_sync import Writer


class Opening:
    """A database and a model, and what it takes to use them."""

    def __init__(
        self,
        database: Database,
        encoder: Encoder,
        *,
        learning: Learning | None = None,
        chat: ChatModel | None = None,
    ) -> None:
        self._database = database
        self._encoder = encoder
        self._chat = chat
        self._registration = Registration(database, encoder)
        self._writer = Writer(
            database, encoder, self._registration, learning or Learning.by_rules()
        )

    @classmethod
    def open(
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
        address, server = in_place(find_database, url, folder)
        size = settings.pool_size if pool_size is None else pool_size
        named = llm if llm is not None else settings.llm
        if named == NONE:
            named = None
        chat = open_chat_model(named) if isinstance(named, str) else named
        return cls(
            Database(address, size=size, server=server),
            Encoder(embedder if embedder is not None else settings.embedder),
            learning=learning or (Learning.by_model(chat) if chat else None),
            chat=chat,
        )

    @property
    def url(self) -> str:
        """The database this store works on."""
        return self._database.url

    def close(self) -> None:
        """Close the connections and leave the embedded server; safe to call twice."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def _repository(self) -> Iterator[MemoryRepository]:
        with self._database.connection() as connection:
            yield MemoryRepository(connection)
