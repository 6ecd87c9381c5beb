"""Store methods that learn from what was said."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from aimemory.chatlogs import Conversation, Imported
from aimemory.errors import ExtractionFailed
from aimemory.records import StoredTurn, WriteResult
from aimemory.repository import AsyncMemoryRepository
from aimemory.store.finding_async import AsyncFinding
from aimemory.text import identifier
from aimemory.writing.clauses import is_marked
from aimemory.writing.cleaning import Messages, read_messages
from aimemory.writing.proposals import Turn

logger = logging.getLogger(__name__)

TURNS_TO_LEARN_FROM = 5
"""User turns that come together before a language model is asked."""
LONGEST_SESSION = 1_000_000


class AsyncLearning(AsyncFinding):
    """What a store does with turns."""

    async def remember(
        self,
        user_id: str,
        messages: Messages,
        *,
        session_id: str | None = None,
        at: datetime | None = None,
        scope: str = "user",
        review: bool | None = None,
    ) -> list[WriteResult]:
        """Learn from messages now; return one result per memory that was proposed.

        ``messages`` are those of the OpenAI API, or one string that the user said. ``at`` is
        when the last of them was said. With ``session_id`` the turns are stored first, so
        that nothing is lost when the language model fails: ExtractionFailed is raised then,
        and the turns are learnt from later. ``review`` queues what is found instead.
        """
        identifier("user_id", user_id)
        turns = self._turns(messages, at)
        if session_id is None:
            return await self._writer.learn(user_id, turns, scope=scope, review=review)
        await self._record(user_id, session_id, turns)
        return await self._extract(user_id, session_id, scope, review)

    async def record(
        self,
        user_id: str,
        session_id: str,
        messages: Messages,
        *,
        at: datetime | None = None,
        scope: str = "user",
        learn: bool = True,
    ) -> list[WriteResult]:
        """Store turns of a session, and learn from them when it is time.

        Rules cost nothing and learn at once. A language model is asked when something
        like "remember that" was said, or when five turns of the user have come together;
        otherwise upkeep does it when the session ends or has been idle for ten minutes. A
        model that fails costs nothing here: the turns wait. With ``learn=False`` they are
        part of the conversation, and nothing is ever learnt from them.
        """
        turns = self._turns(messages, at)
        numbers = await self._record(user_id, session_id, turns, learn=learn)
        if not learn or not numbers or not await self._is_time(user_id, session_id, turns):
            return []
        try:
            return await self._extract(user_id, session_id, scope, None)
        except ExtractionFailed:
            return []

    async def end_session(
        self, user_id: str, session_id: str, *, scope: str = "user"
    ) -> list[WriteResult]:
        """Learn from what is left of a session, and close it."""
        results = await self._extract(user_id, session_id, scope, None)
        async with self._database.transaction() as connection:
            await AsyncMemoryRepository(connection).close_session(user_id, session_id)
        return results

    def _turns(self, messages: Messages, at: datetime | None) -> list[Turn]:
        moment = datetime.now(UTC) if at is None else at
        return read_messages(messages, moment, self._writer.learning.vocabulary)

    async def learn_idle(
        self,
        *,
        idle_seconds: float = 600.0,
        limit: int = 100,
        as_of: datetime | None = None,
        after_each: Callable[[bool], bool] | None = None,
    ) -> int:
        """Learn from conversations, of any user, that have been quiet for a while.

        Upkeep calls it every minute or so: a session that was never ended would wait for
        ever. Returns how many it learnt from; where a language model failed, the turns are
        kept for the next try, which comes later with every failure. ``after_each`` is told
        after each conversation whether it was learnt from, and ends the work by False.
        Raises AccessDenied unless the store was opened with the URL of a member of
        aimemory_maintainer, since other roles see one user at a time.
        """
        async with self._repository() as repository:
            waiting = await repository.idle_sessions(
                idle_seconds=idle_seconds, max_results=limit, as_of=as_of
            )
        learnt = 0
        for user_id, session_id in waiting:
            try:
                await self._extract(user_id, session_id, "user", None)
                is_learnt = True
            except ExtractionFailed:
                is_learnt = False
            learnt += is_learnt
            if after_each is not None and not after_each(is_learnt):
                break
        return learnt

    async def remember_conversation(
        self,
        user_id: str,
        conversation: Conversation,
        *,
        scope: str = "user",
        review: bool | None = None,
    ) -> Imported:
        """Learn from a conversation of a log, unless an earlier import has done so.

        An import that was interrupted goes on where it stopped, and of a conversation that
        has grown since only the new turns are read. Raises ExtractionFailed when the
        language model fails; the turns are recorded then, and the next import learns.
        """
        session_id = identifier("session_id", conversation.session_id)
        identifier("user_id", user_id)
        vocabulary = self._writer.learning.vocabulary
        turns = [
            turn
            for message, said_at in zip(conversation.messages, conversation.said_at, strict=True)
            for turn in read_messages([message], said_at, vocabulary)
        ]
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            # Two imports of one log at once must not both find that nothing is recorded.
            await repository.lock(user_id)
            recorded = await repository.recent_turns(user_id, session_id, max_turns=LONGEST_SESSION)
            known = [(turn.role, turn.content) for turn in recorded]
            said = [(turn.role, turn.content) for turn in turns]
            common = min(len(known), len(said))
            if known[:common] != said[:common]:
                return Imported(session_id=session_id, status="differs")
            await _store_turns(repository, user_id, session_id, turns[common:])
            waiting = await repository.pending_turns(user_id, session_id, max_turns=1)
        if not waiting:
            return Imported(session_id=session_id, status="known")
        results = await self._extract(user_id, session_id, scope, review)
        return Imported(session_id=session_id, status="learnt", results=results)

    async def _record(
        self, user_id: str, session_id: str, turns: Sequence[Turn], *, learn: bool = True
    ) -> list[int]:
        identifier("user_id", user_id)
        identifier("session_id", session_id)
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            numbers = await _store_turns(repository, user_id, session_id, turns)
            if not learn:
                await repository.settle_turns(user_id, session_id, numbers)
        return numbers

    async def _is_time(self, user_id: str, session_id: str, turns: Sequence[Turn]) -> bool:
        learning = self._writer.learning
        if learning.extractor is learning.fallback:
            return True
        if any(is_marked(turn, learning.vocabulary) for turn in turns if turn.role == "user"):
            return True
        async with self._repository() as repository:
            pending = await repository.pending_turns(user_id, session_id)
        return sum(turn.role == "user" for turn in pending) >= TURNS_TO_LEARN_FROM

    async def _extract(
        self, user_id: str, session_id: str, scope: str, review: bool | None
    ) -> list[WriteResult]:
        """Learn from all turns that wait, one window of them after the other."""
        results: list[WriteResult] = []
        while True:
            async with self._repository() as repository:
                waiting = await repository.pending_turns(user_id, session_id)
            if not waiting:
                return results
            results += await self._learn_from(user_id, session_id, waiting, scope, review)

    async def _learn_from(
        self,
        user_id: str,
        session_id: str,
        waiting: Sequence[StoredTurn],
        scope: str,
        review: bool | None,
    ) -> list[WriteResult]:
        turns = [
            Turn(
                role="user" if turn.role == "user" else "assistant",
                content=turn.content,
                said_at=turn.said_at,
                turn_no=turn.turn_no,
            )
            for turn in waiting
        ]
        numbers = [turn.turn_no for turn in waiting]
        try:
            results = await self._writer.learn(
                user_id, turns, scope=scope, session_id=session_id, review=review
            )
        except ExtractionFailed as error:
            logger.warning("%d turns wait for another try: %s", len(numbers), error)
            async with self._repository() as repository:
                await repository.settle_turns(user_id, session_id, numbers, failure=str(error))
            raise
        async with self._repository() as repository:
            await repository.settle_turns(user_id, session_id, numbers)
        return results


async def _store_turns(
    repository: AsyncMemoryRepository, user_id: str, session_id: str, turns: Sequence[Turn]
) -> list[int]:
    if not turns:
        return []
    return await repository.record_turns(
        user_id,
        session_id,
        [(turn.role, turn.content, turn.said_at) for turn in turns],
        as_of=turns[-1].said_at,
    )
