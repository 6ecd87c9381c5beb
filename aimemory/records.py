"""What crosses the API: frozen values, one class per kind of result row.

Times are aware datetimes, ids are UUIDs, scores are floats. The fields of
`Memory`, `Revision` and `Similar` are the result columns of the SQL functions of
the same meaning; tests/test_contract.py holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

Action = Literal["inserted", "duplicate", "merged", "superseded", "pending", "rejected"]
EntityMode = Literal["off", "soft", "hard"]
Status = Literal["active", "superseded", "archived", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One stored memory, live or archived."""

    memory_id: UUID
    content: str
    memory_type: str
    """fact, preference, event, state or decision, or a type of your own."""
    importance: float
    """From 0 to 1 as given; time does not change it."""
    scope: str
    slot: str | None
    """``entity.attribute``: at most one active memory of a scope holds a slot."""
    entities: list[str]
    """Whom or what it is about, ``name`` or ``name/kind``, in canonical form."""
    tags: list[str]
    metadata: dict[str, Any]
    status: str
    """active or superseded."""
    superseded_by: UUID | None
    superseded_at: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    event_at: datetime | None
    created_at: datetime
    updated_at: datetime
    last_confirmed_at: datetime
    confirm_count: int
    """How often it was said again."""
    pinned: bool
    standing: bool
    evidence: str | None
    speaker: str | None
    session_id: str | None
    turn_no: int | None
    archived_at: datetime | None
    """None for a live memory."""
    archive_reason: str | None
    last_access_at: datetime | None
    access_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A memory that a hit has taken the place of."""

    memory_id: UUID
    content: str
    created_at: datetime
    superseded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result with every part of its score."""

    memory_id: UUID
    content: str
    memory_type: str
    importance: float
    scope: str
    entities: list[str]
    tags: list[str]
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    event_at: datetime | None
    valid_until: datetime | None
    score: float
    """What results are ordered by."""
    similarity: float | None
    """Calibrated: 0 is the cosine of unrelated texts, 1 that of a best match. None: no vector."""
    keyword: float
    """BM25 as a share of the best BM25 of this query, 0 to 1."""
    recency: float
    """0.5 for every half-life since the last update."""
    forgetting: float
    """1 minus what is left after the time without use, 0 to 1."""
    effective_importance: float
    vector_rank: int | None
    """Place in the vector route, from 1; None when that route did not find it."""
    keyword_rank: int | None
    entity_rank: int | None
    routes: list[str]
    """Which routes found it: vector, keyword, entity, archive."""
    matched_terms: list[str]
    matched_entities: list[str]
    archived: bool
    """True when it answers from cold storage."""
    history: list[Replaced] = field(default_factory=list)
    """What it replaced, newest first."""

    @classmethod
    def from_row(cls, *, history: Iterable[dict[str, str]], **columns: Any) -> Hit:
        """Build a hit from a row of aimemory.recall."""
        return cls(history=_replaced(history), **columns)


class Hits(list[Hit]):
    """Search results, best first, and whether every route could take part."""

    degraded: str | None
    """Why meaning did not (fully) take part, or None."""
    latency_ms: float
    """Milliseconds of the recall statement, round trip included, model excluded."""

    def __init__(self, hits: Iterable[Hit], *, degraded: str | None, latency_ms: float) -> None:
        super().__init__(hits)
        self.degraded = degraded
        self.latency_ms = latency_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """What a write did, and why."""

    action: Action
    reason: str | None
    """Such as same_content, idempotency_key, restored, slot; None when there is nothing to say."""
    memory_id: UUID | None
    """The memory that now says it, new or old."""
    replaced: UUID | None = None
    """The memory that was superseded by this one."""
    embedded: bool = True
    """False when the model was out of reach: words find it, `aimemory reembed` adds the vector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One change of a memory."""

    revision: int
    action: str
    reason: str | None
    actor: str | None
    content: str
    """The text before the change."""
    details: dict[str, Any]
    """Other values before the change."""
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One thing that happened to a user's memories."""

    happened_at: datetime
    action: str
    """added, confirmed, updated, merged, superseded, archived, restored, pinned or unpinned."""
    memory_id: UUID
    memory_type: str
    content: str
    """What the memory said from then on."""
    text_before: str | None
    """What it said until then, if this changed it."""
    event_at: datetime | None
    """When that happens which the memory is about, if it is an event."""
    reason: str | None
    actor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMemory:
    """A memory as it was known at a moment."""

    memory_id: UUID
    content: str
    """The text of that moment."""
    memory_type: str
    importance: float
    scope: str
    slot: str | None
    entities: list[str]
    tags: list[str]
    event_at: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    created_at: datetime
    state_now: str
    """What has become of it: active, superseded or archived."""
    content_now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """A memory near in meaning to another one."""

    memory_id: UUID
    content: str
    memory_type: str
    scope: str
    slot: str | None
    status: str
    archived: bool
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a listing."""

    memories: list[Memory]
    next: str | None
    """Give it as ``after`` for the next page; None when this was the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTurn:
    """One message of a stored conversation."""

    turn_no: int
    role: str
    content: str
    said_at: datetime
    attempts: int = 0
    """How often learning from it failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nominee:
    """A stored memory that a new one may repeat, complete or contradict."""

    memory_id: UUID
    content: str
    memory_type: str
    slot: str | None
    entities: list[str]
    archived: bool
    same_words: bool
    same_slot: bool
    similarity: float | None
    """On the scale for comparing memories; None without a vector."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingMemory:
    """A memory that applies to every answer."""

    memory_id: UUID
    content: str
    memory_type: str
    importance: float
    created_at: datetime
    updated_at: datetime
    history: list[Replaced] = field(default_factory=list)

    @classmethod
    def from_row(cls, *, history: Iterable[dict[str, str]], **columns: Any) -> StandingMemory:
        """Build it from a row of aimemory.standing_memories."""
        return cls(history=_replaced(history), **columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that waits for the user's decision, or what became of it."""

    candidate_id: UUID
    content: str
    memory_type: str
    importance: float
    scope: str
    slot: str | None
    proposal: dict[str, Any]
    """Everything that would be stored."""
    state: str
    """pending, approved or rejected."""
    reason: str | None
    memory_id: UUID | None
    created_at: datetime
    decided_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserState:
    """A user's switches, and the use of language models today."""

    learning: bool = True
    time_zone: str = "UTC"
    usage_calls: int = 0
    usage_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What an erasure took, or would take: numbers of rows."""

    erasure_id: UUID | None
    """Its row in ``aimemory.erasures``; None for a rehearsal, and when nothing was found."""
    filters: list[str]
    """By what was chosen, without the values: ids, scopes, session and so on."""
    memories: int
    archived: int
    revisions: int
    vectors: int
    terms: int
    candidates: int
    aliases: int
    turns: int
    sessions: int
    recalls: int
    """Log entries that were erased, or lost the memory, the question and the prompt."""
    vetoes: int
    """Made; or erased, with everything else of a user."""
    users: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of the records of an export."""

    user_id: str
    """Whose they are now."""
    dry_run: bool
    """True: it was tried, and nothing was stored."""
    counts: Mapping[str, Mapping[str, int]]
    """How many by kind (memory, revision, turn and so on) and outcome: inserted, known (there
    already), duplicate (an active memory says it), vetoed (the user has said no to it),
    superseding and superseded (of one slot the later confirmed is active), differs (a turn of
    other words), skipped (with its memory)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What is remembered of a user, for the user to read and to correct."""

    text: str
    """Markdown: one list per type of memory, newest first, each with the start of its id."""
    memories: Sequence[Memory]


def _replaced(history: Iterable[dict[str, str]]) -> list[Replaced]:
    return [
        Replaced(
            memory_id=UUID(item["memory_id"]),
            content=item["content"],
            created_at=datetime.fromisoformat(item["created_at"]),
            superseded_at=datetime.fromisoformat(item["superseded_at"]),
        )
        for item in history
    ]
