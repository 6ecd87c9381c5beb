# Generated from aimemory/repository/erasing_async.py by tools/unasync.py: edit that file.
"""Repository methods that erase."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from aimemory import statements
from aimemory.records import Receipt
from aimemory.repository.calls_sync import Calls, array


class Erasing(Calls):
    """What a repository takes out of every table."""

    def forget(
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
        as_of: datetime | None = None,
    ) -> Receipt:
        """Erase what passes all the filters; see ``sql/functions/forget.sql``.

        Raises InvalidInput when nothing says what to erase, or ``everything`` is not alone.
        """
        rows = self._all(
            statements.FORGET,
            class_row(Receipt),
            for_user=user_id,
            wanted=None if memory_ids is None else [*memory_ids],
            in_scopes=array(scopes),
            of_types=array(memory_types),
            with_tags=array(tags),
            about=array(entities),
            from_session=session_id,
            containing=containing,
            said_before=before,
            everything=everything,
            with_veto=veto,
            is_rehearsal=dry_run,
            as_of=as_of,
        )
        return rows[0]

    def delete(self, user_id: str, memory_id: UUID) -> bool:
        """Erase a memory from every table; False if there is none."""
        receipt = self.forget(user_id, memory_ids=[memory_id])
        return receipt.memories + receipt.archived > 0
