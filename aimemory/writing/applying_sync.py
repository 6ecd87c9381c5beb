# Generated from aimemory/writing/applying_async.py by tools/unasync.py: edit that file.
"""Carry a decision out, on a connection that holds the user's lock."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from aimemory.encoding import EncodedDocument
from aimemory.errors import InvalidInput
from aimemory.records import WriteResult
from aimemory.repository import MemoryRepository
from aimemory.writing.decisions import Decision
from aimemory.writing.grounding import importance
from aimemory.writing.proposals import Proposal

LEARNT = "learning"
"""Who changed it, in the history of what was learnt from a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A checked proposal, ready to be stored."""

    user_id: str
    proposal: Proposal
    vectors: EncodedDocument
    merged: EncodedDocument | None = None
    """The vectors of the completed text, when the decision is to complete a memory."""
    scope: str = "user"
    session_id: str | None = None
    said_at: datetime | None = None

    @property
    def importance(self) -> float:
        """What the words say, or else what the class is worth."""
        return importance(self.proposal)


def apply(repository: MemoryRepository, plan: Plan, decision: Decision) -> WriteResult:
    """Confirm, complete, replace or insert, and say what was done and why."""
    if decision.action == "duplicate":
        return _confirm(repository, plan, decision)
    if decision.action == "merged":
        return _merge(repository, plan, decision)
    return _insert(repository, plan, decision)


def propose(repository: MemoryRepository, plan: Plan, decision: Decision) -> WriteResult:
    """Queue the proposal for the user's yes or no, with what would be done."""
    repository.propose(
        plan.user_id,
        plan.proposal.content,
        memory_type=plan.proposal.memory_type,
        importance=plan.importance,
        scope=plan.scope,
        slot=plan.proposal.slot,
        proposal=proposal_json(plan.proposal)
        | {"would": decision.action, "session_id": plan.session_id},
        as_of=plan.said_at,
    )
    return WriteResult(action="pending", reason="waits for the user", memory_id=None)


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """Write a proposal as JSON; `read_proposal` reads it back."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asdict(proposal).items()
    }


def read_proposal(stored: dict[str, Any]) -> Proposal:
    """Read what `proposal_json` wrote."""
    fields = {name: stored[name] for name in Proposal.__dataclass_fields__ if name in stored}
    for name in ("event_at", "valid_until"):
        if fields.get(name):
            fields[name] = datetime.fromisoformat(fields[name])
    return Proposal(**fields)


def _confirm(
    repository: MemoryRepository, plan: Plan, decision: Decision
) -> WriteResult:
    target = _target(decision)
    change = repository.restore if decision.target_archived else repository.confirm
    change(
        plan.user_id,
        target,
        reason=decision.reason,
        changed_by=LEARNT,
        as_of=plan.said_at,
    )
    return WriteResult(action="duplicate", reason=decision.reason, memory_id=target)


def _merge(repository: MemoryRepository, plan: Plan, decision: Decision) -> WriteResult:
    target = _target(decision)
    merged = plan.merged or EncodedDocument()
    try:
        repository.merge(
            plan.user_id,
            target,
            decision.merged_text or plan.proposal.content,
            entities=plan.proposal.entities,
            importance=plan.importance,
            vectors=merged.vectors,
            model=merged.model,
            reason=decision.reason,
            changed_by=LEARNT,
            as_of=plan.said_at,
        )
    except InvalidInput:
        # Another memory says what this one would say now: nothing new was said.
        return WriteResult(action="duplicate", reason="known already", memory_id=target)
    result = WriteResult(action="merged", reason=decision.reason, memory_id=target)
    return merged.noted_in(result)


def _insert(repository: MemoryRepository, plan: Plan, decision: Decision) -> WriteResult:
    proposal = plan.proposal
    metadata = {"supersedes": [str(old) for old in decision.replaced]} if decision.replaced else {}
    added = repository.add(
        plan.user_id,
        proposal.content,
        memory_type=proposal.memory_type,
        importance=plan.importance,
        scope=plan.scope,
        slot=proposal.slot,
        entities=proposal.entities,
        metadata=metadata,
        vectors=plan.vectors.vectors,
        model=plan.vectors.model,
        session_id=plan.session_id,
        turn_no=proposal.turn_no,
        speaker="user",
        evidence=proposal.evidence,
        event_at=proposal.event_at,
        valid_until=proposal.valid_until,
        standing=proposal.standing,
        changed_by=LEARNT,
        created_at=plan.said_at,
    )
    replaced = added.replaced
    for old in decision.replaced:
        if added.memory_id is not None and old != added.replaced:
            done = repository.supersede(
                plan.user_id,
                old,
                added.memory_id,
                reason=decision.reason,
                changed_by=LEARNT,
                as_of=plan.said_at,
            )
            replaced = replaced or (old if done else None)
    result = WriteResult(
        action="superseded" if replaced else added.action,
        reason=decision.reason if replaced else added.reason,
        memory_id=added.memory_id,
        replaced=replaced,
    )
    return plan.vectors.noted_in(result)


def _target(decision: Decision) -> UUID:
    if decision.target is None:
        raise AssertionError(f"a decision for {decision.action} names a memory")
    return decision.target
