# Generated from aimemory/store/finding_async.py by tools/unasync.py: edit that file.
"""Store methods that find memories."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from aimemory.calling import in_place
from aimemory.errors import InvalidInput, NotFound
from aimemory.items import fraction
from aimemory.records import (
    EntityMode,
    Hits,
    Memory,
    Page,
    PastMemory,
    Revision,
    Similar,
    Status,
    TimelineEntry,
)
from aimemory.store.opening_sync import Opening
from aimemory.text import (
    aware,
    identifier,
    metadata_path,
    page_token,
    read_page_token,
    storable,
)
from aimemory.writing.cleaning import clean

# The class below has a method called list, so its annotations need other names.
PastMemories: TypeAlias = list[PastMemory]
Revisions: TypeAlias = list[Revision]
Similars: TypeAlias = list[Similar]
Timeline: TypeAlias = list[TimelineEntry]


class Finding(Opening):
    """What a store finds."""

    def search(
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
        names_from: str | None = None,
        with_standing: bool = True,
        touch: bool = True,
        log: bool = True,
    ) -> Hits:
        """Return the memories a question is about, best first; often fewer than ``top_k``.

        Filters: ``scopes``, ``memory_types``, all of ``tags``, and ``metadata`` (see
        `aimemory.text.metadata_path`). ``entities`` (name or name/kind) are what the
        question is about; by default names are looked for in it (or in ``names_from``).
        ``with_standing=False`` leaves out what applies to every answer. ``as_of`` asks what
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
        encoded = in_place(self._encoder.query, asked)
        self._registration.ensure()
        started = time.perf_counter()
        with self._repository() as repository:
            found = repository.recall(
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
                names_from=names_from,
                with_standing=with_standing,
                as_of=as_of,
            )
            hits = Hits(
                found,
                degraded=encoded.problem or self._encoder.inactive,
                latency_ms=(time.perf_counter() - started) * 1000,
            )
            if touch and as_of is None and hits:
                repository.touch(
                    user_id, [hit.memory_id for hit in hits], session_id=session_id
                )
            if log:
                # Secrets and private parts are kept nowhere, in the log as little as elsewhere.
                repository.log_recall(
                    user_id,
                    clean(asked, self._writer.learning.vocabulary).text,
                    hits,
                    session_id=session_id,
                    latency_ms=hits.latency_ms,
                    degraded=hits.degraded is not None,
                    as_of=as_of,
                )
        return hits

    def similar_to(
        self, user_id: str, memory_id: UUID, *, top_k: int = 10, min_similarity: float = 0.3
    ) -> Similars:
        """Return the memories nearest in meaning to a stored one; no model is called."""
        with self._repository() as repository:
            return repository.similar_to(
                identifier("user_id", user_id),
                memory_id,
                max_results=top_k,
                min_similarity=min_similarity,
            )

    def get(self, user_id: str, memory_id: UUID) -> Memory:
        """Return one memory, live or archived; raise NotFound if this user has none such."""
        with self._repository() as repository:
            found = repository.get(identifier("user_id", user_id), [memory_id])
        if not found:
            raise NotFound(f"user {user_id!r} has no memory {memory_id}")
        return found[0]

    def list(
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
        with self._repository() as repository:
            rows = repository.list(
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

    def history(self, user_id: str, memory_id: UUID) -> Revisions:
        """Return every change of a memory, oldest first."""
        with self._repository() as repository:
            return repository.history(identifier("user_id", user_id), memory_id)

    def timeline(
        self,
        user_id: str,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
    ) -> Timeline:
        """Return what happened to a user's memories, oldest first.

        From ``since`` (included) to ``until`` (excluded); of more than ``limit`` entries
        the latest. Raises InvalidInput if the limit is below 1 or the span ends before
        it begins. What was erased is not told.
        """
        with self._repository() as repository:
            return repository.timeline(
                identifier("user_id", user_id),
                since=aware("since", since),
                until=aware("until", until),
                max_results=limit,
            )

    def as_of(
        self,
        user_id: str,
        moment: datetime,
        *,
        scopes: Iterable[str] | None = None,
        memory_types: Iterable[str] | None = None,
        limit: int = 1000,
    ) -> PastMemories:
        """Return what was known at a moment, in the words of then, newest first.

        That is what was active then, whatever has become of it since; a change counts
        from its own instant on. ``memory_types`` are those of then. Of more than
        ``limit`` memories the newest are returned.
        """
        with self._repository() as repository:
            return repository.as_of(
                identifier("user_id", user_id),
                aware("moment", moment),
                scopes=scopes,
                memory_types=memory_types,
                max_results=limit,
            )
