# Generated from aimemory/store/conversing_async.py by tools/unasync.py: edit that file.
"""Store methods for conversations: learn from turns, prepare an answer, hold the talk."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from aimemory.block import EN, ZH, Block, Budget, render
from aimemory.calling import in_place
from aimemory.context import Context, names_from
from aimemory.errors import ExtractionFailed, InvalidInput
from aimemory.expansion import expand
from aimemory.llm import Message, count_tokens
from aimemory.llm.prompts import language_of
from aimemory.records import Hits, StoredTurn, WriteResult
from aimemory.repository import MemoryRepository
from aimemory.store.finding_sync import Finding
from aimemory.text import identifier, storable
from aimemory.writing.clauses import is_marked
from aimemory.writing.cleaning import Messages, read_messages
from aimemory.writing.proposals import Turn
from aimemory.writing.rule_extractor import RuleExtractor

logger = logging.getLogger(__name__)

ROUNDS = 3
"""Rounds of the conversation that the model gets word for word."""
TURNS_TO_LEARN_FROM = 5
"""User turns that come together before a language model is asked."""
BASE_PROMPT = {
    "zh": "你是一个有记忆能力的助手，请回答用户的问题。",
    "en": "You are an assistant with a memory. Answer the user's questions.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer, what it was based on, and what was learnt from the turn."""

    text: str
    context: Context
    learnt: Sequence[WriteResult]


class Conversing(Finding):
    """What a store does with whole conversations."""

    def remember(
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
            return self._writer.learn(user_id, turns, scope=scope, review=review)
        self._record(user_id, session_id, turns)
        return self._extract(user_id, session_id, scope, review)

    def record(
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
        model that fails costs nothing here: the turns wait.
        """
        turns = self._turns(messages, at)
        self._record(user_id, session_id, turns)
        if not learn or not self._is_time(user_id, session_id, turns):
            return []
        try:
            return self._extract(user_id, session_id, scope, None)
        except ExtractionFailed:
            return []

    def end_session(
        self, user_id: str, session_id: str, *, scope: str = "user"
    ) -> list[WriteResult]:
        """Learn from what is left of a session, and close it."""
        results = self._extract(user_id, session_id, scope, None)
        with self._database.transaction() as connection:
            MemoryRepository(connection).close_session(user_id, session_id)
        return results

    def context(
        self,
        user_id: str,
        query: str,
        *,
        session_id: str | None = None,
        scopes: Iterable[str] | None = None,
        entities: Iterable[str] | None = None,
        budget: Budget | None = None,
        as_of: datetime | None = None,
    ) -> Context:
        """Return the block that an assistant should read before it answers ``query``.

        It holds what applies to every answer, and at most five memories in 300 tokens.
        In a session, a sentence such as "it was sick today" is understood with the rounds
        before it. Put ``Context.text`` at the end of the system prompt.
        """
        asked = storable(query)
        recent = self._recent(user_id, session_id) if session_id else []
        room = budget or Budget()
        hits = self._recalled(
            user_id, asked, recent, scopes=scopes, entities=entities, most=room.items, as_of=as_of
        )
        with self._repository() as repository:
            profile = repository.standing(user_id, scopes=scopes, as_of=as_of)
            state = repository.user(user_id)
            block = render(
                profile,
                hits,
                wording=ZH if language_of([asked]) == "zh" else EN,
                budget=room,
                count=count_tokens,
                time_zone=state.time_zone,
            )
            self._note(repository, user_id, session_id, asked, hits, block, as_of)
        return Context(text=block.text, hits=hits, profile=block.profile, tokens=block.tokens)

    def chat(
        self,
        user_id: str,
        session_id: str,
        message: str,
        *,
        system_prompt: str | None = None,
        scope: str = "user",
        scopes: Iterable[str] | None = None,
        learn: bool = True,
        inject: bool = True,
        at: datetime | None = None,
    ) -> Reply:
        """Answer a message with what is known, and learn from it.

        ``inject=False`` answers without memory, ``learn=False`` keeps nothing for learning.
        Raises InvalidInput when no chat model is configured, ExtractionFailed when it fails.
        """
        if self._chat is None:
            raise InvalidInput("no chat model: open the store with llm='openai:MODEL'")
        asked = storable(message)
        before = self._recent(user_id, session_id)
        known = self.context(user_id, asked, session_id=session_id, scopes=scopes)
        base = system_prompt or BASE_PROMPT[language_of([asked])]
        prompt = f"{base}\n\n{known.text}".rstrip() if inject else base
        talk: list[Message] = [{"role": "system", "content": prompt}]
        talk += [_message(turn.role, turn.content) for turn in before]
        completion = in_place(self._chat.chat, [*talk, _message("user", asked)])
        learnt = self.record(
            user_id,
            session_id,
            [_message("user", asked), _message("assistant", completion.text)],
            at=at,
            scope=scope,
            learn=learn,
        )
        return Reply(text=completion.text, context=known, learnt=learnt)

    def _recalled(
        self,
        user_id: str,
        asked: str,
        recent: Sequence[StoredTurn],
        *,
        scopes: Iterable[str] | None,
        entities: Iterable[str] | None,
        most: int,
        as_of: datetime | None,
    ) -> Hits:
        def search(query: str) -> Hits:
            return self.search(
                user_id,
                query,
                most,
                scopes=scopes,
                entities=entities,
                names_from=names_from(asked, recent),
                as_of=as_of,
                with_standing=False,
                touch=False,
                log=False,
            )

        hits = search(asked)
        if hits or self._chat is None:
            return hits
        more = in_place(expand, self._chat, asked, recent)
        return search(" ".join([asked, *more])) if more else hits

    def _note(
        self,
        repository: MemoryRepository,
        user_id: str,
        session_id: str | None,
        asked: str,
        hits: Hits,
        block: Block,
        as_of: datetime | None,
    ) -> None:
        given = [hit.memory_id for hit in block.hits]
        if as_of is None and given:
            repository.touch(user_id, given)
        repository.log_recall(
            user_id,
            asked,
            hits,
            session_id=session_id,
            injected=[*(memory.memory_id for memory in block.profile), *given],
            block=block.text or None,
            token_count=block.tokens,
            latency_ms=hits.latency_ms,
            degraded=hits.degraded is not None,
            as_of=as_of,
        )

    def _recent(self, user_id: str, session_id: str) -> list[StoredTurn]:
        with self._repository() as repository:
            return repository.recent_turns(user_id, session_id, max_turns=2 * ROUNDS)

    def _turns(self, messages: Messages, at: datetime | None) -> list[Turn]:
        moment = datetime.now(UTC) if at is None else at
        return read_messages(messages, moment, self._writer.learning.vocabulary)

    def _record(self, user_id: str, session_id: str, turns: Sequence[Turn]) -> None:
        identifier("user_id", user_id)
        identifier("session_id", session_id)
        if not turns:
            return
        with self._database.transaction() as connection:
            MemoryRepository(connection).record_turns(
                user_id,
                session_id,
                [(turn.role, turn.content, turn.said_at) for turn in turns],
                as_of=turns[-1].said_at,
            )

    def _is_time(self, user_id: str, session_id: str, turns: Sequence[Turn]) -> bool:
        learning = self._writer.learning
        if isinstance(learning.extractor, RuleExtractor):
            return True
        if any(is_marked(turn, learning.vocabulary) for turn in turns if turn.role == "user"):
            return True
        with self._repository() as repository:
            pending = repository.pending_turns(user_id, session_id)
        return sum(turn.role == "user" for turn in pending) >= TURNS_TO_LEARN_FROM

    def _extract(
        self, user_id: str, session_id: str, scope: str, review: bool | None
    ) -> list[WriteResult]:
        with self._repository() as repository:
            pending = repository.pending_turns(user_id, session_id)
        if not pending:
            return []
        turns = [
            Turn(
                role="user" if turn.role == "user" else "assistant",
                content=turn.content,
                said_at=turn.said_at,
                turn_no=turn.turn_no,
            )
            for turn in pending
        ]
        numbers = [turn.turn_no for turn in pending]
        try:
            results = self._writer.learn(
                user_id, turns, scope=scope, session_id=session_id, review=review
            )
        except ExtractionFailed as error:
            logger.warning("%d turns wait for another try: %s", len(numbers), error)
            with self._repository() as repository:
                repository.settle_turns(user_id, session_id, numbers, failure=str(error))
            raise
        with self._repository() as repository:
            repository.settle_turns(user_id, session_id, numbers)
        return results


def _message(role: str, content: str) -> Message:
    return {"role": "assistant" if role == "assistant" else "user", "content": content}
