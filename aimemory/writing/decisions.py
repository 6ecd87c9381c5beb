"""What follows from how a proposal relates to the memories it was compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from aimemory.records import Nominee
from aimemory.writing.judging import merged_text
from aimemory.writing.proposals import Judge, Known, Proposal, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do with a proposal, and why."""

    action: Literal["inserted", "duplicate", "merged", "superseded"]
    reason: str | None = None
    target: UUID | None = None
    """The memory that is confirmed or completed."""
    target_archived: bool = False
    merged_text: str | None = None
    """The text of the completed memory."""
    replaced: Sequence[UUID] = ()
    """The memories that this one takes the place of, most relevant first."""


def decide(judge: Judge, proposal: Proposal, nominees: Sequence[Nominee]) -> Decision:
    """Compare a proposal with every nominated memory and choose one action.

    The same words, or a duplicate, end the matter. A contradiction comes before a
    completion: what has changed must not be appended to what was. An event is
    neither completed nor replaced; it happened.
    """
    judged: list[tuple[Nominee, Verdict]] = []
    for nominee in nominees:
        if nominee.same_words:
            return _duplicate(nominee, "the same words")
        verdict = judge.judge(proposal, _known(nominee))
        if verdict.relation == "duplicate":
            return _duplicate(nominee, verdict.reason)
        judged.append((nominee, verdict))
    if proposal.memory_type == "event":
        return Decision(action="inserted")
    contradicted = [pair for pair in judged if pair[1].relation == "contradicts"]
    if contradicted:
        return Decision(
            action="superseded",
            reason=contradicted[0][1].reason,
            replaced=[nominee.memory_id for nominee, _ in contradicted],
        )
    for nominee, verdict in judged:
        if verdict.relation == "refines" and nominee.memory_type != "event":
            return Decision(
                action="merged",
                reason=verdict.reason,
                target=nominee.memory_id,
                target_archived=nominee.archived,
                merged_text=merged_text(_known(nominee), proposal),
            )
    return Decision(action="inserted")


def _duplicate(nominee: Nominee, reason: str) -> Decision:
    return Decision(
        action="duplicate",
        reason=reason,
        target=nominee.memory_id,
        target_archived=nominee.archived,
    )


def _known(nominee: Nominee) -> Known:
    return Known(
        memory_id=str(nominee.memory_id),
        content=nominee.content,
        memory_type=nominee.memory_type,
        slot=nominee.slot,
        entities=nominee.entities,
        similarity=nominee.similarity,
        archived=nominee.archived,
        created_at=nominee.created_at,
    )
