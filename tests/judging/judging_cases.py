"""A proposal and a stored memory of a few words."""

from __future__ import annotations

from collections.abc import Sequence

from aimemory.writing.proposals import Known, Proposal


def proposal(
    content: str, kind: str = "fact", slot: str | None = None, entities: Sequence[str] = ()
) -> Proposal:
    return Proposal(
        content=content,
        memory_type=kind,
        importance_class="ordinary",
        evidence=content,
        slot=slot,
        entities=entities,
    )


def known(
    content: str,
    kind: str = "fact",
    slot: str | None = None,
    entities: Sequence[str] = (),
    similarity: float | None = None,
) -> Known:
    return Known(
        memory_id=content,
        content=content,
        memory_type=kind,
        slot=slot,
        entities=entities,
        similarity=similarity,
    )
