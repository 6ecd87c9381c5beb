# Generated from aimemory/store/keeping_async.py by tools/unasync.py: edit that file.
"""Store methods that keep, correct and remove memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from aimemory.calling import in_place
from aimemory.items import Item, fraction, strings
from aimemory.records import Memory, WriteResult
from aimemory.repository import MemoryRepository
from aimemory.store.opening_sync import Opening
from aimemory.text import aware, identifier, storable_json


class Keeping(Opening):
    """What a store does to memories."""

    def add(self, user_id: str, content: str, **fields: Any) -> WriteResult:
        """Store one memory, unless it is there already.

        ``fields`` are those of `aimemory.items.Item`: memory_type, importance, scope,
        slot, entities, tags, metadata, session_id, turn_no, speaker, evidence,
        event_at, valid_from, valid_until, pinned, standing, idempotency_key,
        changed_by and created_at. The result says what was done: inserted, duplicate
        (said again, or brought back from the archive) or superseded (the slot's older
        memory is kept as replaced). Raises InvalidInput; nothing is written then.
        """
        results = self._add(user_id, [Item.read({"content": content, **fields})])
        return results[0]

    def add_many(
        self, user_id: str, items: Iterable[str | Mapping[str, Any] | Item]
    ) -> list[WriteResult]:
        """Store memories in one transaction; return one result per item, in their order.

        An item is a string, a mapping with ``content`` and any field of `Item`, or an
        `Item`. They are embedded together. One bad item raises InvalidInput, which
        names it, and nothing is written.
        """
        return self._add(
            user_id, [Item.read(item, position) for position, item in enumerate(items)]
        )

    def update(
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
        encoded = None if text is None else (in_place(self._encoder.documents, [text]))[0]
        self._registration.ensure()
        with self._database.transaction() as connection:
            repository = MemoryRepository(connection)
            repository.update(
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
            return (repository.get(user_id, [memory_id]))[0]

    def confirm(self, user_id: str, memory_id: UUID, *, reason: str | None = None) -> bool:
        """Note that a memory was said again; False if no active memory has that id."""
        with self._database.transaction() as connection:
            repository = MemoryRepository(connection)
            return repository.confirm(
                identifier("user_id", user_id), memory_id, reason=reason
            )

    def archive(self, user_id: str, memory_id: UUID) -> bool:
        """Move a live memory to cold storage; False if there is none."""
        with self._database.transaction() as connection:
            repository = MemoryRepository(connection)
            return repository.archive(identifier("user_id", user_id), memory_id)

    def restore(self, user_id: str, memory_id: UUID, *, reason: str | None = None) -> bool:
        """Make an archived or superseded memory active again; False if there is none.

        Raises InvalidInput when an active memory holds its text or its slot.
        """
        with self._database.transaction() as connection:
            repository = MemoryRepository(connection)
            return repository.restore(
                identifier("user_id", user_id), memory_id, reason=reason
            )

    def pin(self, user_id: str, memory_id: UUID, *, pinned: bool = True) -> bool:
        """Exempt a live memory from fading, or lift that; False if there is none."""
        with self._database.transaction() as connection:
            repository = MemoryRepository(connection)
            return repository.pin(identifier("user_id", user_id), memory_id, pinned=pinned)

    def feedback(self, user_id: str, memory_id: UUID, *, useful: bool) -> bool:
        """Say whether a recalled memory was of use; False if no active memory has that id.

        One that was not loses three tenths of its importance, so it ranks lower and fades
        sooner; one that was counts as used once more.
        """
        with self._database.transaction() as connection:
            repository = MemoryRepository(connection)
            return repository.rate(
                identifier("user_id", user_id), memory_id, useful=useful, changed_by="feedback"
            )

    def set_alias(self, user_id: str, alias: str, entity: str) -> None:
        """Let questions about ``alias`` find memories about ``entity`` (name or name/kind)."""
        with self._database.transaction() as connection:
            repository = MemoryRepository(connection)
            repository.set_alias(identifier("user_id", user_id), alias, entity)

    def _add(self, user_id: str, items: list[Item]) -> list[WriteResult]:
        identifier("user_id", user_id)
        if not items:
            return []
        encoded = in_place(self._encoder.documents, [item.content for item in items])
        self._registration.ensure()
        with self._database.transaction() as connection:
            results = MemoryRepository(connection).add_many(
                user_id,
                [
                    (item.content, item.fields(vectors.vectors, vectors.model))
                    for item, vectors in zip(items, encoded, strict=True)
                ],
            )
        return [vectors.noted_in(result) for result, vectors in zip(results, encoded, strict=True)]
