"""Store methods that erase."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from aimemory.items import strings
from aimemory.records import Receipt
from aimemory.repository import AsyncMemoryRepository
from aimemory.store.opening_async import AsyncOpening
from aimemory.text import aware, identifier, storable

ATTEMPTS = 3
"""Transactions that are tried when another one gets in the way."""


class AsyncErasing(AsyncOpening):
    """What a store takes out of every table."""

    async def forget(
        self,
        user_id: str,
        *,
        memory_ids: Iterable[UUID] | None = None,
        scopes: Iterable[str] | None = None,
        memory_types: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        entities: Iterable[str] | None = None,
        session_id: str | None = None,
        containing: str | None = None,
        before: datetime | None = None,
        everything: bool = False,
        veto: bool = False,
        dry_run: bool = False,
    ) -> Receipt:
        """Erase memories that pass all the filters, with every trace of them, for good.

        ``tags`` must all be there; of ``scopes``, ``memory_types`` and ``entities`` (name or
        name/kind) one is enough. ``containing`` is looked for without regard to case,
        in the text, its history, evidence, slot, names, tags and metadata; ``before`` is when
        it was said. By ``session_id``, ``containing`` and ``before``
        alone, turns, questions in the log and candidates are erased too. ``everything``
        stands alone and leaves nothing of the user. With ``veto`` it is never learnt again.
        With ``dry_run`` nothing is erased, and the receipt says what would be.

        A receipt of zeros means that nothing was found. Raises InvalidInput when no filter
        is given, or ``everything`` is not alone.
        """
        filters: dict[str, Any] = {
            "memory_ids": None if memory_ids is None else [*memory_ids],
            "scopes": None if scopes is None else strings("scopes", scopes),
            "memory_types": None if memory_types is None else strings("memory_types", memory_types),
            "tags": None if tags is None else strings("tags", tags),
            "entities": None if entities is None else strings("entities", entities),
            "session_id": None if session_id is None else identifier("session_id", session_id),
            "containing": None if containing is None else storable(containing),
            "before": aware("before", before),
        }
        identifier("user_id", user_id)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with self._database.transaction() as connection:
                    return await AsyncMemoryRepository(connection).forget(
                        user_id, **filters, everything=everything, veto=veto, dry_run=dry_run
                    )
            except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returns or raises")

    async def delete(self, user_id: str, memory_id: UUID) -> bool:
        """Erase one memory from every table; False if this user has none such."""
        receipt = await self.forget(user_id, memory_ids=[memory_id])
        return receipt.memories + receipt.archived > 0
