"""Long-term memory for an assistant: text in, memories out.

The store does the slow things, which is calling models, and only then takes a
connection, for as long as one statement runs. What a statement does is in the
SQL function of the same name.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeAlias
from uuid import UUID

from aimemory.calling import in_thread
from aimemory.database_async import AsyncDatabase
from aimemory.embedding import Embedder
from aimemory.encoding import Encoder
from aimemory.errors import InvalidInput, NotFound
from aimemory.items import Item, fraction, strings
from aimemory.records import (
    EntityMode,
    Hits,
    Memory,
    Page,
    Revision,
    Similar,
    Status,
    WriteResult,
)
from aimemory.repository_async import AsyncMemoryRepository
from aimemory.server import find_database
from aimemory.settings import Settings
from aimemory.text import (
    aware,
    identifier,
    metadata_path,
    page_token,
    read_page_token,
    storable,
    storable_json,
)

# The class below has a method called list, so its annotations need other names.
Items: TypeAlias = list[Item]
Results: TypeAlias = list[WriteResult]
Revisions: TypeAlias = list[Revision]
Similars: TypeAlias = list[Similar]

REGISTRATION_SECONDS = 60.0
INACTIVE = (
    "{} is not the active model of this database, so not every memory has a vector of it: "
    "run `aimemory reembed`, or open the store with the active model"
)


class AsyncMemoryStore:
    """The memories of any number of users, in one database.

    Safe to share between threads and between tasks, and usable in a child process
    after a fork. Use it as a context manager, or call `close`.
    """

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

    async def add(self, user_id: str, content: str, **fields: Any) -> WriteResult:
        """Store one memory, unless it is there already.

        ``fields`` are those of `aimemory.items.Item`: memory_type, importance, scope,
        slot, entities, tags, metadata, session_id, turn_no, speaker, evidence,
        event_at, valid_from, valid_until, pinned, standing, idempotency_key,
        changed_by and created_at. The result says what was done: inserted, duplicate
        (said again, or brought back from the archive) or superseded (the slot's older
        memory is kept as replaced). Raises InvalidInput; nothing is written then.
        """
        results = await self._add(user_id, [Item.read({"content": content, **fields})])
        return results[0]

    async def add_many(
        self, user_id: str, items: Iterable[str | Mapping[str, Any] | Item]
    ) -> Results:
        """Store memories in one transaction; return one result per item, in their order.

        An item is a string, a mapping with ``content`` and any field of `Item`, or an
        `Item`. They are embedded together. One bad item raises InvalidInput, which
        names it, and nothing is written.
        """
        return await self._add(
            user_id, [Item.read(item, position) for position, item in enumerate(items)]
        )

    async def search(
        self,
        user_id: str,
        query: str,
        top_k: int = 5,
        *,
        scopes: Iterable[str] | None = None,
        memory_types: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        metadata: str | Mapping[str, Any] | None = None,
        entities: Iterable[str] | None = None,
        entity_mode: EntityMode = "soft",
        profile: str = "balanced",
        min_similarity: float | None = None,
        as_of: datetime | None = None,
        session_id: str | None = None,
        touch: bool = True,
        log: bool = True,
    ) -> Hits:
        """Return the memories a question is about, best first; often fewer than ``top_k``.

        Filters: ``scopes``, ``memory_types``, all of ``tags``, and ``metadata`` (see
        `aimemory.text.metadata_path`). ``entities`` (name or name/kind) are what the
        question is about; by default names are looked for in it. ``as_of`` asks what
        was known then. If the model is out of reach, words, entities and time answer and
        ``degraded`` of the result says why.

        The search itself writes nothing. With ``touch`` the returned memories count as
        used (which keeps them from fading), with ``log`` the recall is kept in
        ``aimemory.recall_log``; a question about the past never touches.
        """
        asked = storable(query)
        if not asked.strip():
            raise InvalidInput("the query is empty")
        aware("as_of", as_of)
        encoded = await in_thread(self._encoder.query, asked)
        await self._register()
        started = time.perf_counter()
        async with self._repository() as repository:
            found = await repository.recall(
                identifier("user_id", user_id),
                asked,
                vector=encoded.vector,
                model=encoded.model,
                max_results=top_k,
                scopes=scopes,
                memory_types=memory_types,
                tags=tags,
                metadata_path=metadata_path(metadata),
                entities=entities,
                entity_mode=entity_mode,
                profile=profile,
                min_similarity=fraction("min_similarity", min_similarity),
                as_of=as_of,
            )
            hits = Hits(
                found,
                degraded=encoded.problem or self._encoder.inactive,
                latency_ms=(time.perf_counter() - started) * 1000,
            )
            if touch and as_of is None and hits:
                await repository.touch(user_id, [hit.memory_id for hit in hits])
            if log:
                await repository.log_recall(
                    user_id,
                    asked,
                    hits,
                    session_id=session_id,
                    latency_ms=hits.latency_ms,
                    degraded=hits.degraded is not None,
                    as_of=as_of,
                )
        return hits

    async def similar_to(
        self, user_id: str, memory_id: UUID, *, top_k: int = 10, min_similarity: float = 0.3
    ) -> Similars:
        """Return the memories nearest in meaning to a stored one; no model is called."""
        async with self._repository() as repository:
            return await repository.similar_to(
                identifier("user_id", user_id),
                memory_id,
                max_results=top_k,
                min_similarity=min_similarity,
            )

    async def get(self, user_id: str, memory_id: UUID) -> Memory:
        """Return one memory, live or archived; raise NotFound if this user has none such."""
        async with self._repository() as repository:
            found = await repository.get(identifier("user_id", user_id), [memory_id])
        if not found:
            raise NotFound(f"user {user_id!r} has no memory {memory_id}")
        return found[0]

    async def list(
        self,
        user_id: str,
        *,
        limit: int = 100,
        after: str | None = None,
        scopes: Iterable[str] | None = None,
        memory_types: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        metadata: str | Mapping[str, Any] | None = None,
        status: Status = "active",
    ) -> Page:
        """Return a page of memories, newest first; ``after`` is ``Page.next`` of the one before.

        Every memory that is there throughout is listed exactly once, whatever is added
        or deleted between the pages. ``status``: active, superseded, archived or all.
        """
        if limit < 1:
            raise InvalidInput(f"limit must be at least 1, not {limit}")
        async with self._repository() as repository:
            rows = await repository.list(
                identifier("user_id", user_id),
                page_size=limit + 1,
                older_than=None if after is None else read_page_token(after),
                scopes=scopes,
                memory_types=memory_types,
                tags=tags,
                metadata_path=metadata_path(metadata),
                status=status,
            )
        page = rows[:limit]
        more = len(rows) > limit
        return Page(
            memories=page,
            next=page_token(page[-1].created_at, page[-1].memory_id) if more else None,
        )

    async def update(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        content: str | None = None,
        memory_type: str | None = None,
        importance: float | None = None,
        entities: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        standing: bool | None = None,
        valid_until: datetime | None = None,
        reason: str | None = None,
        changed_by: str | None = None,
    ) -> Memory:
        """Correct a live memory and return it; what it said before stays in its history.

        None leaves a value alone; ``metadata`` is merged key by key. A new text is
        embedded anew. Raises NotFound, or InvalidInput if another memory says it already.
        """
        text = None if content is None else Item.read(content).content
        encoded = None if text is None else (await in_thread(self._encoder.documents, [text]))[0]
        await self._register()
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            await repository.update(
                identifier("user_id", user_id),
                memory_id,
                content=text,
                memory_type=memory_type,
                importance=fraction("importance", importance),
                entities=None if entities is None else strings("entities", entities),
                tags=None if tags is None else strings("tags", tags),
                metadata=None if metadata is None else storable_json(metadata),
                standing=standing,
                valid_until=aware("valid_until", valid_until),
                vectors=encoded.vectors if encoded else None,
                model=encoded.model if encoded else None,
                reason=reason,
                changed_by=changed_by,
            )
            return (await repository.get(user_id, [memory_id]))[0]

    async def delete(self, user_id: str, memory_id: UUID) -> bool:
        """Erase one memory from every table; False if this user has none such."""
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            return await repository.delete(identifier("user_id", user_id), memory_id)

    async def confirm(self, user_id: str, memory_id: UUID, *, reason: str | None = None) -> bool:
        """Note that a memory was said again; False if no active memory has that id."""
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            return await repository.confirm(
                identifier("user_id", user_id), memory_id, reason=reason
            )

    async def archive(self, user_id: str, memory_id: UUID) -> bool:
        """Move a live memory to cold storage; False if there is none."""
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            return await repository.archive(identifier("user_id", user_id), memory_id)

    async def restore(self, user_id: str, memory_id: UUID, *, reason: str | None = None) -> bool:
        """Make an archived or superseded memory active again; False if there is none.

        Raises InvalidInput when an active memory holds its text or its slot.
        """
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            return await repository.restore(
                identifier("user_id", user_id), memory_id, reason=reason
            )

    async def pin(self, user_id: str, memory_id: UUID, *, pinned: bool = True) -> bool:
        """Exempt a live memory from fading, or lift that; False if there is none."""
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            return await repository.pin(identifier("user_id", user_id), memory_id, pinned=pinned)

    async def history(self, user_id: str, memory_id: UUID) -> Revisions:
        """Return every change of a memory, oldest first."""
        async with self._repository() as repository:
            return await repository.history(identifier("user_id", user_id), memory_id)

    async def set_alias(self, user_id: str, alias: str, entity: str) -> None:
        """Let questions about ``alias`` find memories about ``entity`` (name or name/kind)."""
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            await repository.set_alias(identifier("user_id", user_id), alias, entity)

    async def _add(self, user_id: str, items: Items) -> Results:
        identifier("user_id", user_id)
        if not items:
            return []
        encoded = await in_thread(self._encoder.documents, [item.content for item in items])
        await self._register()
        results = []
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            for item, vectors in zip(items, encoded, strict=True):
                result = await repository.add(
                    user_id,
                    item.content,
                    vectors=vectors.vectors,
                    model=vectors.model,
                    **item.arguments(),
                )
                results.append(vectors.noted_in(result))
        return results

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
