"""What an assistant should know before it answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aimemory.records import Hits, StandingMemory, StoredTurn, WriteResult

_PRONOUN = re.compile(
    r"[它他她这那]|\b(?:it|its|he|she|they|him|her|them|his|their|this|that)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A block for the system prompt, and what it was made of."""

    text: str
    """Put it at the end of the system prompt; empty when nothing fits the question."""
    hits: Hits
    """All that was recalled; the block may hold fewer."""
    profile: Sequence[StandingMemory]
    """What applies to every answer."""
    tokens: int
    """Of ``text``, counted as the budget counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer, what it was based on, and what was learnt from the turn."""

    text: str
    context: Context
    learnt: Sequence[WriteResult]


NOTHING_KNOWN = Context(text="", hits=Hits([], degraded=None, latency_ms=0.0), profile=(), tokens=0)
"""What an assistant knows that is to answer without memory."""


def names_from(query: str, recent: Sequence[StoredTurn]) -> str:
    """Return the text in which to look for names.

    That is the question, and where it speaks of "it" or of 他 the rounds before it too,
    newest last: a name that was said two turns ago is what the pronoun stands for.
    """
    if not _PRONOUN.search(query):
        return query
    return "\n".join([*(turn.content for turn in recent), query])
