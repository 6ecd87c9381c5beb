# Generated from aimemory/repository/changing_async.py by tools/unasync.py: edit that file.
"""Repository methods that change memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Unpack
from uuid import UUID

from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from aimemory import statements
from aimemory.records import Hit, WriteResult
from aimemory.repository.additions import AdditionFields, Vectors, addition, vector_array
from aimemory.repository.calls_sync import Calls, array


class Changing(Calls):
    """What a repository does to memories."""

    def add(
        self, user_id: str, content: str, **fields: Unpack[AdditionFields]
    ) -> WriteResult:
        """Store one memory unless it is there already; see ``sql/functions/add_memory.sql``.

        ``vectors`` are those of its chunks, made by ``model``; without them it can be
        found by words until ``aimemory reembed`` adds them.
        """
        values = addition(user_id, content, fields)
        return (self._all(statements.ADD, class_row(WriteResult), **values))[0]

    def add_many(
        self, user_id: str, memories: Iterable[tuple[str, AdditionFields]]
    ) -> list[WriteResult]:
        """Store memories, each as ``add`` does, without a round trip for every one."""
        rows = [addition(user_id, content, fields) for content, fields in memories]
        return self._many(statements.ADD, class_row(WriteResult), rows) if rows else []

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
        vectors: Vectors | None = None,
        model: str | None = None,
        action: str = "updated",
        reason: str | None = None,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> None:
        """Change a live memory; None leaves a value alone, metadata is merged key by key."""
        self._all(
            statements.UPDATE,
            scalar_row,
            for_user=user_id,
            target=memory_id,
            new_content=content,
            to_type=memory_type,
            to_importance=importance,
            about=array(entities),
            to_tags=array(tags),
            plus_metadata=None if metadata is None else Jsonb(dict(metadata)),
            to_standing=standing,
            true_until=valid_until,
            vectors=vector_array(vectors),
            vector_model=model,
            what=action,
            why=reason,
            changed_by=changed_by,
            as_of=as_of,
        )

    def confirm(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        reason: str | None = None,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Note that a memory was said again; False if no active memory has that id."""
        return self._changed(
            statements.CONFIRM, user_id, memory_id, reason, changed_by, as_of
        )

    def supersede(
        self,
        user_id: str,
        older: UUID,
        newer: UUID,
        *,
        reason: str | None = None,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Mark a memory as replaced by an active one; False if it was replaced before."""
        return self._done(
            statements.SUPERSEDE,
            for_user=user_id,
            older=older,
            newer=newer,
            why=reason,
            changed_by=changed_by,
            as_of=as_of,
        )

    def archive(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Move a live memory to cold storage; False if there is none."""
        return self._done(
            statements.ARCHIVE,
            for_user=user_id,
            target=memory_id,
            because="manual",
            changed_by=changed_by,
            as_of=as_of,
        )

    def restore(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        reason: str | None = None,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Make an archived or superseded memory active again; False if there is none."""
        return self._changed(
            statements.RESTORE, user_id, memory_id, reason, changed_by, as_of
        )

    def pin(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        pinned: bool = True,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Exempt a live memory from fading, or lift that; False if there is none."""
        return self._done(
            statements.PIN,
            for_user=user_id,
            target=memory_id,
            is_pinned=pinned,
            changed_by=changed_by,
            as_of=as_of,
        )

    def touch(
        self,
        user_id: str,
        memory_ids: Iterable[UUID],
        *,
        session_id: str | None = None,
        as_of: datetime | None = None,
    ) -> int:
        """Count one use of each active memory, one per session; return how many there were."""
        touched = self._one(
            statements.TOUCH,
            for_user=user_id,
            targets=[*memory_ids],
            in_session=session_id,
            as_of=as_of,
        )
        return int(touched)

    def rate(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        useful: bool,
        weakening: float = 0.7,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Count one more use, or multiply the importance by ``weakening`` (0 to 1).

        False if no active memory has that id.
        """
        return self._done(
            statements.RATE,
            for_user=user_id,
            target=memory_id,
            is_useful=useful,
            weakening=weakening,
            changed_by=changed_by,
            as_of=as_of,
        )

    def log_recall(
        self,
        user_id: str,
        query: str,
        hits: Iterable[Hit],
        *,
        session_id: str | None = None,
        injected: Iterable[UUID] = (),
        block: str | None = None,
        token_count: int | None = None,
        latency_ms: float | None = None,
        degraded: bool = False,
        as_of: datetime | None = None,
    ) -> UUID | None:
        """Keep a question, what it found and the prompt block; return the id of the entry.

        None, and nothing kept, if there is no such user (any more).
        """
        recall_id: UUID | None = self._one(
            statements.LOG_RECALL,
            for_user=user_id,
            asked=query,
            what_came=Jsonb([_logged(hit) for hit in hits]),
            given=list(injected),
            from_session=session_id,
            rendered=block,
            tokens_used=token_count,
            took_ms=latency_ms,
            is_degraded=degraded,
            as_of=as_of,
        )
        return recall_id

    def set_alias(self, user_id: str, alias: str, entity: str) -> None:
        """Let questions about ``alias`` find memories about ``entity`` (name or name/kind)."""
        self._all(
            statements.SET_ALIAS, scalar_row, for_user=user_id, other_name=alias, of_entity=entity
        )

    def register_model(
        self,
        model: str,
        dimensions: int,
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        scales: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    ) -> bool:
        """Make an embedding model known; return whether it is the active one.

        ``scales`` are floor and ceiling of its cosines, for ``questions`` and for
        ``memories``, by script, ``cjk`` and ``other``.
        """
        return self._done(
            statements.REGISTER_MODEL,
            new_model=model,
            vector_size=dimensions,
            for_queries=query_prefix,
            for_documents=document_prefix,
            known_scales=Jsonb(
                {kind: dict(by_script) for kind, by_script in (scales or {}).items()}
            ),
        )

    def _changed(
        self,
        statement: bytes,
        user_id: str,
        memory_id: UUID,
        reason: str | None,
        changed_by: str | None,
        as_of: datetime | None,
    ) -> bool:
        return self._done(
            statement,
            for_user=user_id,
            target=memory_id,
            why=reason,
            changed_by=changed_by,
            as_of=as_of,
        )


def _logged(hit: Hit) -> dict[str, Any]:
    return {
        "memory_id": str(hit.memory_id),
        "score": hit.score,
        "similarity": hit.similarity,
        "keyword": hit.keyword,
        "recency": hit.recency,
        "forgetting": hit.forgetting,
        "effective_importance": hit.effective_importance,
        "routes": hit.routes,
        "archived": hit.archived,
    }
