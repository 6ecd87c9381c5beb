"""Distil proposals from a conversation with a language model.

The model is given the conversation as data and is believed in nothing: every item is
checked here, and its evidence against the turns afterwards. A reply that cannot be used
is shown to the model once; after that the extraction has failed, and the caller still
has the turns. The log tells which of this happened and never what was said.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from aimemory.errors import ExtractionFailed, InvalidInput
from aimemory.llm.prompts import PROMPTS, Language, enclosed, language_of
from aimemory.llm.protocol import ChatModel, Message, Structured, UnreadableReply
from aimemory.llm.usage import Usage, spend
from aimemory.writing.llm_items import MEMORIES, InvalidItem, items_of, read_item
from aimemory.writing.proposals import Extraction, Extractor, Proposal, Window

logger = logging.getLogger(__name__)

SHOWN_AGAIN = 2000
"""Characters of an unusable reply that its model gets to see."""


class LLMExtractor:
    """Extracts with a chat model; with a ``fallback`` where the model fails."""

    def __init__(self, chat: ChatModel, *, fallback: Extractor | None = None) -> None:
        self._chat = chat
        self._fallback = fallback

    def extract(self, window: Window) -> Extraction:
        """Return what is worth keeping; raise ExtractionFailed without a usable answer.

        Takes one call of the model, two if its first reply was of no use, and none if
        the user said nothing.
        """
        if not any(turn.role == "user" for turn in window.turns):
            return Extraction()
        spent = Usage()
        try:
            proposals = self._proposals(window, spent)
        except ExtractionFailed as error:
            if self._fallback is None:
                spend(spent.calls, spent.tokens)
                raise
            logger.warning(
                "%s failed (%s): extracting without it", self._chat.model, type(error).__name__
            )
            extraction = self._fallback.extract(window)
            return replace(
                extraction,
                calls=extraction.calls + spent.calls,
                tokens=extraction.tokens + spent.tokens,
            )
        return Extraction(proposals=proposals, calls=spent.calls, tokens=spent.tokens)

    def _proposals(self, window: Window, spent: Usage) -> Sequence[Proposal]:
        messages = extraction_messages(window)
        first = self._ask(messages, window, spent)
        if first.problem is None:
            return first.proposals
        logger.warning("reply of %s unusable, %s: retried", self._chat.model, first.problem)
        second = self._ask([*messages, *_correction(first, window)], window, spent)
        if second.problem is None:
            return second.proposals
        best = max(first, second, key=lambda answer: len(answer.proposals))
        if best.proposals:
            logger.warning("both replies cut: %d complete items kept", len(best.proposals))
            return best.proposals
        logger.error("second reply of %s unusable, %s: failed", self._chat.model, second.problem)
        raise UnreadableReply(
            f"{self._chat.model} gave no usable list of memories in two replies "
            f"({second.problem}): extract again later, or use a model that keeps to JSON schemas",
            problem=second.problem,
            text=second.text,
            calls=spent.calls,
            tokens=spent.tokens,
        )

    def _ask(self, messages: Sequence[Message], window: Window, spent: Usage) -> _Answer:
        try:
            reply = self._chat.structured(messages, MEMORIES, "memories")
        except UnreadableReply as error:
            spent.add(error.calls, error.tokens)
            return _Answer(problem=error.problem, text=error.text)
        spent.add(reply.calls, reply.tokens)
        if reply.repaired:
            logger.info("reply of %s repaired", self._chat.model)
        return _answer(reply, window)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What one reply came to; with a problem it is worth asking again."""

    proposals: Sequence[Proposal] = ()
    problem: str | None = None
    text: str


def _answer(reply: Structured, window: Window) -> _Answer:
    items = items_of(reply.value, truncated=reply.truncated)
    if items is None:
        return _Answer(problem="it is no list of memories", text=reply.text)
    proposals: list[Proposal] = []
    invalid: list[str] = []
    for number, item in enumerate(items, 1):
        try:
            proposal = read_item(item, zone=zone_of(window), language=_language(window))
        except InvalidItem as error:
            logger.warning("item %d of %d dropped: %s", number, len(items), error)
            invalid.append(str(error))
        else:
            proposals.append(replace(proposal, turn_no=_turn_no(proposal, window)))
    problem = None
    if reply.truncated:
        problem = "it was cut off"
    elif invalid and not proposals:
        problem = f"no item is valid: {invalid[0]}"
    return _Answer(proposals=proposals, problem=problem, text=reply.text)


def _turn_no(proposal: Proposal, window: Window) -> int | None:
    """Return the turn that has the evidence word for word."""
    for turn in window.turns:
        if turn.role == "user" and proposal.evidence in turn.content:
            return turn.turn_no
    return None


def extraction_messages(window: Window) -> list[Message]:
    """Return what the model is sent: constant instructions, and the conversation as data."""
    prompts = PROMPTS[_language(window)]
    zone = zone_of(window)
    turns = [
        {
            "role": turn.role,
            "said_at": prompts.stamp(turn.said_at.astimezone(zone)),
            "content": turn.content,
        }
        for turn in window.turns
    ]
    now = prompts.stamp(window.now.astimezone(zone))
    parts = [
        f"{prompts.now}: {now}, {prompts.time_zone}: {window.time_zone}",
        enclosed("conversation", {"turns": turns}),
        prompts.reminder,
    ]
    return [
        {"role": "system", "content": prompts.extraction},
        {"role": "user", "content": "\n\n".join(parts)},
    ]


def _correction(answer: _Answer, window: Window) -> list[Message]:
    assert answer.problem is not None
    told: Message = {
        "role": "user",
        "content": PROMPTS[_language(window)].correction(answer.problem),
    }
    if not answer.text.strip():  # Some servers refuse an empty message.
        return [told]
    return [{"role": "assistant", "content": answer.text[:SHOWN_AGAIN]}, told]


def _language(window: Window) -> Language:
    return language_of(turn.content for turn in window.turns if turn.role == "user")


def zone_of(window: Window) -> ZoneInfo:
    """Return the time zone of a window; raise InvalidInput for a name that is none."""
    try:
        return ZoneInfo(window.time_zone)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidInput(f"{window.time_zone!r} is no IANA time zone") from error
