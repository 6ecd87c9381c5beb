"""Store methods for conversations: prepare an answer, hold the talk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from aimemory.block import EN, ZH, Block, Budget, render
from aimemory.calling import in_thread
from aimemory.context import NOTHING_KNOWN, Context, Reply, names_from
from aimemory.errors import InvalidInput
from aimemory.expansion import expand
from aimemory.llm import Message, count_tokens
from aimemory.llm.prompts import language_of
from aimemory.records import Hits, StoredTurn
from aimemory.repository import AsyncMemoryRepository
from aimemory.store.learning_async import AsyncLearning
from aimemory.text import storable
from aimemory.writing.cleaning import clean

ROUNDS = 3
"""Rounds of the conversation that the model gets word for word."""
BASE_PROMPT = {
    "zh": "你是一个有记忆能力的助手，请回答用户的问题。",
    "en": "You are an assistant with a memory. Answer the user's questions.",
}


class AsyncConversing(AsyncLearning):
    """What a store does with whole conversations."""

    async def context(
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
        before it. Put ``Context.text`` at the end of the system prompt. Private parts and
        secrets of the question are neither looked for nor kept in the log.
        """
        if not query.strip():
            raise InvalidInput("the query is empty")
        asked = clean(query, self._writer.learning.vocabulary).text
        recent = await self._recent(user_id, session_id) if session_id else []
        room = budget or Budget()
        hits = await self._recalled(
            user_id, asked, recent, scopes=scopes, entities=entities, most=room.items, as_of=as_of
        )
        async with self._repository() as repository:
            profile = await repository.standing(user_id, scopes=scopes, as_of=as_of)
            state = await repository.user(user_id)
            block = render(
                profile,
                hits,
                wording=ZH if language_of([asked]) == "zh" else EN,
                budget=room,
                count=count_tokens,
                time_zone=state.time_zone,
            )
            if asked:
                await self._note(repository, user_id, session_id, asked, hits, block, as_of)
        return Context(text=block.text, hits=hits, profile=block.profile, tokens=block.tokens)

    async def chat(
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

        ``inject=False`` answers without memory; with ``learn=False`` nothing is ever learnt
        from this turn. The model reads the message as it was written.
        Raises InvalidInput when no chat model is configured, ExtractionFailed when it fails.
        """
        if self._chat is None:
            raise InvalidInput("no chat model: open the store with llm='openai:MODEL'")
        asked = storable(message)
        before = await self._recent(user_id, session_id)
        known = (
            await self.context(user_id, asked, session_id=session_id, scopes=scopes)
            if inject
            else NOTHING_KNOWN
        )
        base = system_prompt or BASE_PROMPT[language_of([asked])]
        talk = [_message(turn.role, turn.content) for turn in before]
        prompt: Message = {"role": "system", "content": f"{base}\n\n{known.text}".rstrip()}
        completion = await in_thread(self._chat.chat, [prompt, *talk, _message("user", asked)])
        learnt = await self.record(
            user_id,
            session_id,
            [_message("user", asked), _message("assistant", completion.text)],
            at=at,
            scope=scope,
            learn=learn,
        )
        return Reply(text=completion.text, context=known, learnt=learnt)

    async def _recalled(
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
        if not asked:
            return Hits([], degraded=None, latency_ms=0.0)

        async def search(query: str) -> Hits:
            return await self.search(
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

        hits = await search(asked)
        if hits or self._chat is None:
            return hits
        more = await in_thread(expand, self._chat, asked, recent)
        return await search(" ".join([asked, *more])) if more else hits

    async def _note(
        self,
        repository: AsyncMemoryRepository,
        user_id: str,
        session_id: str | None,
        asked: str,
        hits: Hits,
        block: Block,
        as_of: datetime | None,
    ) -> None:
        # What applies to every answer is used by every answer, and must not fade meanwhile.
        given = [
            *(memory.memory_id for memory in block.profile),
            *(hit.memory_id for hit in block.hits),
        ]
        if as_of is None and given:
            await repository.touch(user_id, given, session_id=session_id)
        await repository.log_recall(
            user_id,
            asked,
            hits,
            session_id=session_id,
            injected=given,
            block=block.text or None,
            token_count=block.tokens,
            latency_ms=hits.latency_ms,
            degraded=hits.degraded is not None,
            as_of=as_of,
        )

    async def _recent(self, user_id: str, session_id: str) -> list[StoredTurn]:
        async with self._repository() as repository:
            return await repository.recent_turns(user_id, session_id, max_turns=2 * ROUNDS)


def _message(role: str, content: str) -> Message:
    return {"role": "assistant" if role == "assistant" else "user", "content": content}
