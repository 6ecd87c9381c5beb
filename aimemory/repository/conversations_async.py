"""Repository methods for conversations: the short-term layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from psycopg.rows import class_row, scalar_row, tuple_row

from aimemory import statements
from aimemory.records import StoredTurn
from aimemory.repository.calls_async import AsyncCalls


class AsyncConversations(AsyncCalls):
    """What was said, and what has been learnt from."""

    async def lock(self, user_id: str) -> None:
        """Hold the user's lock until the transaction ends: nobody else writes meanwhile."""
        await self._all(
            statements.LOCK_USER, scalar_row, for_user=user_id, create_missing=True, as_of=None
        )

    async def record_turns(
        self,
        user_id: str,
        session_id: str,
        turns: Sequence[tuple[str, str, datetime]],
        *,
        as_of: datetime | None = None,
    ) -> list[int]:
        """Store turns (role, content, time) of a session; return their numbers."""
        numbers: list[int] = await self._one(
            statements.RECORD_TURNS,
            for_user=user_id,
            in_session=session_id,
            roles=[role for role, _, _ in turns],
            texts=[content for _, content, _ in turns],
            said=[said_at for _, _, said_at in turns],
            as_of=as_of,
        )
        return numbers

    async def recent_turns(
        self, user_id: str, session_id: str, *, max_turns: int = 6
    ) -> list[StoredTurn]:
        """Return the last turns of a session, oldest first."""
        return await self._all(
            statements.RECENT_TURNS,
            class_row(StoredTurn),
            for_user=user_id,
            in_session=session_id,
            max_turns=max_turns,
        )

    async def pending_turns(
        self, user_id: str, session_id: str, *, max_turns: int = 40, max_attempts: int = 5
    ) -> list[StoredTurn]:
        """Return the turns that nothing has been learnt from yet, oldest first."""
        return await self._all(
            statements.PENDING_TURNS,
            class_row(StoredTurn),
            for_user=user_id,
            in_session=session_id,
            max_turns=max_turns,
            max_attempts=max_attempts,
        )

    async def settle_turns(
        self,
        user_id: str,
        session_id: str,
        numbers: Iterable[int],
        *,
        failure: str | None = None,
        as_of: datetime | None = None,
    ) -> int:
        """Mark turns as learnt from, or count a failed attempt; return how many there were."""
        settled = await self._one(
            statements.SETTLE_TURNS,
            for_user=user_id,
            in_session=session_id,
            numbers=[*numbers],
            failure=failure,
            as_of=as_of,
        )
        return int(settled)

    async def idle_sessions(
        self,
        *,
        idle_seconds: float = 600.0,
        max_results: int = 100,
        max_attempts: int = 5,
        as_of: datetime | None = None,
    ) -> list[tuple[str, str]]:
        """Return user and session of conversations that wait and have gone quiet."""
        rows = await self._all(
            statements.IDLE_SESSIONS,
            tuple_row,
            idle_seconds=idle_seconds,
            max_rows=max_results,
            max_attempts=max_attempts,
            as_of=as_of,
        )
        return [(user_id, session_id) for user_id, session_id, _ in rows]

    async def close_session(
        self, user_id: str, session_id: str, *, as_of: datetime | None = None
    ) -> bool:
        """End a session; False if it was not open."""
        return await self._done(
            statements.CLOSE_SESSION, for_user=user_id, in_session=session_id, as_of=as_of
        )
