"""The values that pass through the write funnel, and its two seams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

Role: TypeAlias = Literal["user", "assistant"]
Relation: TypeAlias = Literal["duplicate", "refines", "contradicts", "unrelated"]

IMPORTANCE_OF_CLASS = {
    "identity_relation": 0.9,
    "critical": 0.8,
    "preference": 0.7,
    "ordinary": 0.6,
    "routine": 0.4,
    "reject": 0.2,
    "world_knowledge": 0.2,
}
"""Importance by content class: who somebody is and whom they know; health, safety and major
decisions; a clear preference; any other fact or state; a routine event; what is not worth
keeping; and what is true of the world rather than of the user."""
LEAST_IMPORTANCE = 0.4
"""What is less important than this is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message, cleaned: private parts and secrets taken out."""

    role: Role
    content: str
    said_at: datetime
    turn_no: int | None = None
    """Its number in the stored session; None for messages that are not stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What an extractor reads."""

    turns: Sequence[Turn]
    """User turns to learn from, reduced to their declarative clauses, with the assistant's
    turns between them as context."""
    now: datetime
    """When the last turn was said, aware; "yesterday" is the day before it in `time_zone`."""
    time_zone: str
    """IANA name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One memory that an extractor suggests."""

    content: str
    """One self-contained sentence, in the language of the user."""
    memory_type: str
    """fact, preference, event, state or decision."""
    importance_class: str
    """A key of `IMPORTANCE_OF_CLASS`."""
    evidence: str
    """What the user said, word for word; proves that it was said."""
    entities: Sequence[str] = ()
    """Whom or what it is about: ``name/kind``."""
    slot: str | None = None
    """``entity.attribute``, such as user.city; ``….profile`` collects several details."""
    event_at: datetime | None = None
    valid_until: datetime | None = None
    standing: bool = False
    """Applies to every answer, such as a wish for short ones."""
    importance: float | None = None
    """Overrides the class where a person or the words themselves say so (这个很重要)."""
    turn_no: int | None = None
    """The turn that the evidence is in, where it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What came out of one window."""

    proposals: Sequence[Proposal] = ()
    calls: int = 0
    """Calls of a language model that it took."""
    tokens: int = 0
    """Tokens of those calls, in and out."""


class Extractor(Protocol):
    """Distils proposals from a window. Raises ExtractionFailed; the turns are then kept."""

    def extract(self, window: Window) -> Extraction:
        """Return what is worth keeping; nothing is a normal answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A stored memory that a proposal may repeat, complete or contradict."""

    memory_id: str
    content: str
    memory_type: str
    slot: str | None
    entities: Sequence[str] = ()
    similarity: float | None = None
    """To the proposal, on the scale for comparing memories: 0 unrelated, 1 the same said again."""
    archived: bool = False
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a proposal relates to a stored memory, and why."""

    relation: Relation
    reason: str
    """One short phrase for the user: "same value", "polarity differs", "a new detail" …"""


class Judge(Protocol):
    """Compares a proposal with one stored memory."""

    def judge(self, proposal: Proposal, known: Known) -> Verdict:
        """Return how the two relate."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A part of a turn, and what the rules make of it."""

    text: str
    kind: Literal["statement", "question", "request", "smalltalk", "veto"]
    marked: bool = False
    """True for 记住, "remember that", 我决定 …: learn from this turn at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanedText:
    """A message after everything that must not be kept has been taken out."""

    text: str
    removed: Sequence[str] = field(default_factory=tuple)
    """Why something was taken out: private, injected_block, secret; never what it was."""
