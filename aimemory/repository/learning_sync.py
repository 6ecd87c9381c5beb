# Generated from aimemory/repository/learning_async.py by tools/unasync.py: edit that file.
"""Repository methods for learning: compare, complete, and what applies always."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

import numpy.typing as npt
from psycopg.rows import class_row, kwargs_row, scalar_row

from aimemory import statements
from aimemory.records import Nominee, StandingMemory
from aimemory.repository.additions import Vectors, vector_array
from aimemory.repository.calls_sync import Calls
from aimemory.statements import vector_text


class Learning(Calls):
    """What a new memory is compared with, and how one is completed."""

    def probe(
        self,
        user_id: str,
        content: str,
        *,
        scope: str = "user",
        slot: str | None = None,
        vector: npt.ArrayLike | None = None,
        model: str | None = None,
        min_similarity: float = 0.7,
        max_results: int = 10,
    ) -> list[Nominee]:
        """Return memories with the same words, the same slot or a near meaning."""
        return self._all(
            statements.PROBE,
            class_row(Nominee),
            for_user=user_id,
            in_scope=scope,
            new_content=content,
            in_slot=slot,
            near_vector=vector_text(vector),
            near_model=model,
            at_least=min_similarity,
            max_results=max_results,
        )

    def merge(
        self,
        user_id: str,
        memory_id: UUID,
        content: str,
        *,
        entities: Iterable[str] = (),
        importance: float | None = None,
        vectors: Vectors | None = None,
        model: str | None = None,
        reason: str | None = None,
        changed_by: str | None = None,
        as_of: datetime | None = None,
    ) -> None:
        """Complete a memory with a new detail; the text before stays in its history."""
        self._all(
            statements.MERGE,
            scalar_row,
            for_user=user_id,
            target=memory_id,
            merged_text=content,
            about=[*entities],
            to_importance=importance,
            vectors=vector_array(vectors),
            vector_model=model,
            why=reason,
            changed_by=changed_by,
            as_of=as_of,
        )

    def standing(
        self,
        user_id: str,
        *,
        scopes: Iterable[str] | None = None,
        max_results: int = 20,
        as_of: datetime | None = None,
    ) -> list[StandingMemory]:
        """Return what applies to every answer, most important first."""
        return self._all(
            statements.STANDING,
            kwargs_row(StandingMemory.from_row),
            for_user=user_id,
            in_scopes=None if scopes is None else [*scopes],
            max_rows=max_results,
            as_of=as_of,
        )
