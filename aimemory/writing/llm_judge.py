"""Ask a language model how two memories relate, where the rules cannot tell."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, get_args

from aimemory.errors import AimemoryError
from aimemory.llm.prompts import PROMPTS, enclosed, language_of
from aimemory.llm.protocol import ChatModel, Message, UnreadableReply
from aimemory.llm.usage import spend
from aimemory.text import storable
from aimemory.writing.proposals import Judge, Known, Proposal, Relation, Verdict

logger = logging.getLogger(__name__)

CLOSE = 0.6
"""From this similarity on, "unrelated" is worth a second opinion."""
LONGEST_REASON = 80

_PROPERTIES = {
    "relation": {"type": "string", "enum": list(get_args(Relation))},
    "reason": {"type": "string"},
}
VERDICT: Mapping[str, Any] = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": list(_PROPERTIES),
    "additionalProperties": False,
}
"""JSON schema of a reply."""


def is_sure(verdict: Verdict, known: Known) -> bool:
    """Return False for a verdict of the rules that the model should look at.

    That is one whose reason begins with "unsure", and "unrelated" for two memories that
    are close in meaning all the same.
    """
    if verdict.reason.startswith("unsure"):
        return False
    return verdict.relation != "unrelated" or (known.similarity or 0.0) < CLOSE


class LLMJudge:
    """Follows the rules where they are sure, and where the model fails.

    ``is_sure`` says whether a verdict of the rules stands. ``count`` is told the calls and
    tokens of every answer.
    """

    def __init__(
        self,
        chat: ChatModel,
        rules: Judge,
        *,
        is_sure: Callable[[Verdict, Known], bool] = is_sure,
        count: Callable[[int, int], None] = spend,
    ) -> None:
        self._chat = chat
        self._rules = rules
        self._is_sure = is_sure
        self._count = count

    def judge(self, proposal: Proposal, known: Known) -> Verdict:
        """Return how the two relate; asks the model at most once."""
        by_rules = self._rules.judge(proposal, known)
        if self._is_sure(by_rules, known):
            return by_rules
        try:
            reply = self._chat.structured(judgement_messages(proposal, known), VERDICT, "verdict")
        except AimemoryError as error:
            if isinstance(error, UnreadableReply):
                self._count(error.calls, error.tokens)
            why = type(error).__name__
            logger.warning("%s gave no verdict (%s): the rules decide", self._chat.model, why)
            return by_rules
        self._count(reply.calls, reply.tokens)
        by_model = None if reply.truncated else _verdict(reply.value)
        if by_model is None:
            logger.warning("%s gave no valid verdict: the rules decide", self._chat.model)
        return by_model or by_rules


def judgement_messages(proposal: Proposal, known: Known) -> list[Message]:
    """Return what the model is sent: constant instructions, and the memories as data."""
    prompts = PROMPTS[language_of([proposal.content, known.content])]
    pair = {
        "new": {
            "content": proposal.content,
            "type": proposal.memory_type,
            "slot": proposal.slot,
            "event_at": _iso(proposal.event_at),
        },
        "known": {
            "content": known.content,
            "type": known.memory_type,
            "slot": known.slot,
            "stored_at": _iso(known.created_at),
        },
    }
    return [
        {"role": "system", "content": prompts.judgement},
        {"role": "user", "content": f"{enclosed('pair', pair)}\n\n{prompts.reminder}"},
    ]


def _verdict(value: Any) -> Verdict | None:
    if not isinstance(value, dict):
        return None
    relation = str(value.get("relation")).strip().lower()
    for known in get_args(Relation):
        if relation == known:
            return Verdict(relation=known, reason=_phrase(value.get("reason")))
    return None


def _phrase(reason: Any) -> str:
    """Return a model's reason as one short line."""
    line = re.sub(r"\s+", " ", storable(reason)).strip() if isinstance(reason, str) else ""
    return line[:LONGEST_REASON] or "the model says so"


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="minutes") if moment else None
