"""One method per SQL function, on a connection whose transaction is the caller's.

Give it a psycopg connection, or a SQLAlchemy session: memory writes then commit
and roll back with the application's own. No method calls a model; vectors come
as arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from uuid import UUID

import numpy.typing as npt
from psycopg import AsyncConnection
from psycopg.rows import BaseRowFactory, class_row, kwargs_row, scalar_row
from psycopg.types.json import Jsonb

from aimemory import statements
from aimemory.errors import translated_errors
from aimemory.records import EntityMode, Hit, Memory, Revision, Similar, Status, WriteResult
from aimemory.sessions import driver_connection_async
from aimemory.statements import vector_text

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

Vectors: TypeAlias = Sequence[npt.ArrayLike]
Rows_ = 0
R = TypeVar("R")
# The class below has a method called list, so its annotations need other names.
Rows: TypeAlias = list[R]
Hits: TypeAlias = list[Hit]
Memories: TypeAlias = list[Memory]
Revisions: TypeAlias = list[Revision]
Similars: TypeAlias = list[Similar]


class AsyncMemoryRepository:
    """The SQL functions of aimemory, as methods with the arguments spelled out.

    Times default to the database's ``now()``. Every method raises InvalidInput,
    NotFound or EmbeddingMismatch where the function refuses its arguments; the
    caller's transaction is then to be rolled back, as after any database error.
    """

    def __init__(self, connection: AsyncConnection | AsyncSession) -> None:
        self._given = connection

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
        as_of: datetime | None = None,
    ) -> Hits:
        """Return the memories a question is about, best first.

        ``vector`` is that of the question, made by ``model`` (default: the active
        one); without it words, entities and time answer. ``entities`` are those the
        question is about, ``name`` or ``name/kind``; by default names are looked for
        in the question. ``min_similarity`` is calibrated (default: the profile's).
        """
        return await self._all(
            statements.RECALL,
            kwargs_row(Hit.from_row),
            for_user=user_id,
            query_text=query,
            query_vector=vector_text(vector),
            query_model=model,
            max_results=max_results,
            in_scopes=_array(scopes),
            of_types=_array(memory_types),
            with_tags=_array(tags),
            metadata_filter=metadata_path,
            query_entities=_array(entities),
            entity_mode=entity_mode,
            profile_name=profile,
            at_least=min_similarity,
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
            in_scopes=_array(scopes),
            of_types=_array(memory_types),
            with_tags=_array(tags),
            metadata_filter=metadata_path,
            with_status=status,
        )

    async def history(self, user_id: str, memory_id: UUID) -> Revisions:
        """Return every change of a memory, oldest first."""
        return await self._all(
            statements.HISTORY, class_row(Revision), for_user=user_id, target=memory_id
        )

    async def add(
        self,
        user_id: str,
        content: str,
        *,
        memory_type: str = "fact",
        importance: float | None = None,
        scope: str = "user",
        slot: str | None = None,
        entities: Iterable[str] = (),
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        vectors: Vectors | None = None,
        model: str | None = None,
        session_id: str | None = None,
        turn_no: int | None = None,
        speaker: str | None = None,
        evidence: str | None = None,
        event_at: datetime | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        pinned: bool = False,
        standing: bool = False,
        idempotency_key: str | None = None,
        changed_by: str | None = None,
        created_at: datetime | None = None,
    ) -> WriteResult:
        """Store one memory unless it is there already; see ``sql/functions/add_memory.sql``.

        ``vectors`` are those of its chunks, made by ``model``; without them it can be
        found by words until ``aimemory reembed`` adds them.
        """
        rows = await self._all(
            statements.ADD,
            class_row(WriteResult),
            for_user=user_id,
            new_content=content,
            as_type=memory_type,
            with_importance=importance,
            in_scope=scope,
            in_slot=slot,
            about=list(entities),
            with_tags=list(tags),
            with_metadata=Jsonb(dict(metadata or {})),
            vectors=_vectors(vectors),
            vector_model=model,
            from_session=session_id,
            from_turn=turn_no,
            said_by=speaker,
            quoting=evidence,
            happening_at=event_at,
            true_from=valid_from,
            true_until=valid_until,
            is_pinned=pinned,
            is_standing=standing,
            request_key=idempotency_key,
            changed_by=changed_by,
            as_of=created_at,
        )
        return rows[0]

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
        vectors: Vectors | None = None,
        model: str | None = None,
        action: str = "updated",
        reason: str | None = None,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> None:
        """Change a live memory; None leaves a value alone, metadata is merged key by key."""
        await self._all(
            statements.UPDATE,
            scalar_row,
            for_user=user_id,
            target=memory_id,
            new_content=content,
            to_type=memory_type,
            to_importance=importance,
            about=_array(entities),
            to_tags=_array(tags),
            plus_metadata=None if metadata is None else Jsonb(dict(metadata)),
            to_standing=standing,
            true_until=valid_until,
            vectors=_vectors(vectors),
            vector_model=model,
            what=action,
            why=reason,
            changed_by=changed_by,
            as_of=as_of,
        )

    async def confirm(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        reason: str | None = None,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Note that a memory was said again; False if no active memory has that id."""
        return await self._changed(
            statements.CONFIRM, user_id, memory_id, reason, changed_by, as_of
        )

    async def supersede(
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
        return await self._done(
            statements.SUPERSEDE,
            for_user=user_id,
            older=older,
            newer=newer,
            why=reason,
            changed_by=changed_by,
            as_of=as_of,
        )

    async def archive(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Move a live memory to cold storage; False if there is none."""
        return await self._done(
            statements.ARCHIVE,
            for_user=user_id,
            target=memory_id,
            because="manual",
            changed_by=changed_by,
            as_of=as_of,
        )

    async def restore(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        reason: str | None = None,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Make an archived or superseded memory active again; False if there is none."""
        return await self._changed(
            statements.RESTORE, user_id, memory_id, reason, changed_by, as_of
        )

    async def pin(
        self,
        user_id: str,
        memory_id: UUID,
        *,
        pinned: bool = True,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> bool:
        """Exempt a live memory from fading, or lift that; False if there is none."""
        return await self._done(
            statements.PIN,
            for_user=user_id,
            target=memory_id,
            is_pinned=pinned,
            changed_by=changed_by,
            as_of=as_of,
        )

    async def delete(self, user_id: str, memory_id: UUID) -> bool:
        """Erase a memory from every table; False if there is none."""
        return await self._done(statements.DELETE, for_user=user_id, target=memory_id)

    async def touch(
        self, user_id: str, memory_ids: Iterable[UUID], *, as_of: datetime | None = None
    ) -> int:
        """Count one use of each active memory; return how many there were."""
        touched = await self._one(
            statements.TOUCH, for_user=user_id, targets=[*memory_ids], as_of=as_of
        )
        return int(touched)

    async def log_recall(
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
    ) -> UUID:
        """Keep a question, what it found and the prompt block; return the id of the entry."""
        recall_id: UUID = await self._one(
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

    async def set_alias(self, user_id: str, alias: str, entity: str) -> None:
        """Let questions about ``alias`` find memories about ``entity`` (name or name/kind)."""
        await self._all(
            statements.SET_ALIAS, scalar_row, for_user=user_id, other_name=alias, of_entity=entity
        )

    async def register_model(
        self,
        model: str,
        dimensions: int,
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        scales: Mapping[str, tuple[float, float]] | None = None,
    ) -> bool:
        """Make an embedding model known; return whether it is the active one.

        ``scales`` are floor and ceiling of its cosines by script, ``cjk`` and ``other``.
        """
        return await self._done(
            statements.REGISTER_MODEL,
            new_model=model,
            vector_size=dimensions,
            for_queries=query_prefix,
            for_documents=document_prefix,
            known_scales=Jsonb(dict(scales or {})),
        )

    async def _changed(
        self,
        statement: bytes,
        user_id: str,
        memory_id: UUID,
        reason: str | None,
        changed_by: str | None,
        as_of: datetime | None,
    ) -> bool:
        return await self._done(
            statement,
            for_user=user_id,
            target=memory_id,
            why=reason,
            changed_by=changed_by,
            as_of=as_of,
        )

    async def _done(self, statement: bytes, **values: Any) -> bool:
        return bool(await self._one(statement, **values))

    async def _one(self, statement: bytes, **values: Any) -> Any:
        rows = await self._all(statement, scalar_row, **values)
        return rows[0]

    async def _all(
        self, statement: bytes, row_factory: BaseRowFactory[R], **values: Any
    ) -> Rows[R]:
        connection = await self._connection()
        cursor = connection.cursor(row_factory=row_factory)
        with translated_errors():
            await cursor.execute(statement, values)
            return await cursor.fetchall()

    async def _connection(self) -> AsyncConnection:
        if isinstance(self._given, AsyncConnection):
            return self._given
        return await driver_connection_async(self._given)


def _array(values: Iterable[str] | None) -> Sequence[str] | None:
    if isinstance(values, str):
        raise TypeError(f"expected a list of strings, got the string {values!r}")
    return None if values is None else [*values]


def _vectors(vectors: Vectors | None) -> Sequence[str | None] | None:
    return None if vectors is None else [vector_text(vector) for vector in vectors]


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
