"""Repository methods that read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

import numpy.typing as npt
from psycopg.rows import class_row, kwargs_row

from aimemory import statements
from aimemory.records import (
    EntityMode,
    Hit,
    Memory,
    PastMemory,
    Revision,
    Similar,
    Status,
    TimelineEntry,
)
from aimemory.repository.calls_async import AsyncCalls, array
from aimemory.statements import vector_text

# The class below has a method called list, so its annotations need other names.
Hits: TypeAlias = list[Hit]
Memories: TypeAlias = list[Memory]
PastMemories: TypeAlias = list[PastMemory]
Revisions: TypeAlias = list[Revision]
Similars: TypeAlias = list[Similar]
Timeline: TypeAlias = list[TimelineEntry]


class AsyncReading(AsyncCalls):
    """What a repository finds."""

    async def recall(
        self,
        user_id: str,
        query: str | None,
        *,
        vector: npt.ArrayLike | None = None,
        model: str | None = None,
        max_results: int = 5,
        scopes: Iterable[str] | None = None,
        memory_types: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        metadata_path: str | None = None,
        entities: Iterable[str] | None = None,
        entity_mode: EntityMode = "soft",
        profile: str = "balanced",
        min_similarity: float | None = None,
        names_from: str | None = None,
        with_standing: bool = True,
        as_of: datetime | None = None,
    ) -> Hits:
        """Return the memories a question is about, best first.

        ``vector`` is that of the question, made by ``model`` (default: the active
        one); without it words, entities and time answer. ``entities`` are those the
        question is about, ``name`` or ``name/kind``; by default names are looked for
        in the question, or in ``names_from`` where that is given. ``with_standing=False``
        leaves out what applies to every answer anyway. ``min_similarity`` is calibrated
        (default: the profile's).
        """
        return await self._all(
            statements.RECALL,
            kwargs_row(Hit.from_row),
            for_user=user_id,
            query_text=query,
            query_vector=vector_text(vector),
            query_model=model,
            max_results=max_results,
            in_scopes=array(scopes),
            of_types=array(memory_types),
            with_tags=array(tags),
            metadata_filter=metadata_path,
            query_entities=array(entities),
            entity_mode=entity_mode,
            profile_name=profile,
            at_least=min_similarity,
            names_from=names_from,
            with_standing=with_standing,
            as_of=as_of,
        )

    async def similar_to(
        self, user_id: str, memory_id: UUID, *, max_results: int = 10, min_similarity: float = 0.3
    ) -> Similars:
        """Return the memories nearest in meaning to a stored one, live and archived."""
        return await self._all(
            statements.SIMILAR_TO,
            class_row(Similar),
            for_user=user_id,
            target=memory_id,
            max_results=max_results,
            at_least=min_similarity,
        )

    async def get(self, user_id: str, memory_ids: Iterable[UUID]) -> Memories:
        """Return memories by id, in the order asked for; unknown ids are left out."""
        return await self._all(
            statements.GET, class_row(Memory), for_user=user_id, wanted=list(memory_ids)
        )

    async def list(
        self,
        user_id: str,
        *,
        page_size: int = 100,
        older_than: tuple[datetime, UUID] | None = None,
        scopes: Iterable[str] | None = None,
        memory_types: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        metadata_path: str | None = None,
        status: Status = "active",
    ) -> Memories:
        """Return a page, newest first; ``older_than`` is created_at and id of the last row."""
        created_at, memory_id = older_than or (None, None)
        return await self._all(
            statements.LIST,
            class_row(Memory),
            for_user=user_id,
            page_size=page_size,
            older_than=created_at,
            older_than_id=memory_id,
            in_scopes=array(scopes),
            of_types=array(memory_types),
            with_tags=array(tags),
            metadata_filter=metadata_path,
            with_status=status,
        )

    async def history(self, user_id: str, memory_id: UUID) -> Revisions:
        """Return every change of a memory, oldest first."""
        return await self._all(
            statements.HISTORY, class_row(Revision), for_user=user_id, target=memory_id
        )

    async def timeline(
        self,
        user_id: str,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        max_results: int = 100,
    ) -> Timeline:
        """Return what happened to the memories, oldest first; of too much, the latest."""
        return await self._all(
            statements.TIMELINE,
            class_row(TimelineEntry),
            for_user=user_id,
            since=since,
            until=until,
            max_rows=max_results,
        )

    async def as_of(
        self,
        user_id: str,
        moment: datetime | None,
        *,
        scopes: Iterable[str] | None = None,
        memory_types: Iterable[str] | None = None,
        max_results: int = 1000,
    ) -> PastMemories:
        """Return what was known at a moment, in the words of then, newest first."""
        return await self._all(
            statements.AS_OF,
            class_row(PastMemory),
            for_user=user_id,
            as_of=moment,
            in_scopes=array(scopes),
            of_types=array(memory_types),
            max_rows=max_results,
        )
