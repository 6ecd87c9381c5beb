"""Short ways to propose and decide, for tests of the review queue."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from memories import NOW, value


def propose(
    db: psycopg.Connection, content: str, user: str = "ann", *, at: datetime = NOW, **named: Any
) -> UUID:
    """Queue one memory; return the id of the candidate."""
    usual: dict[str, Any] = {
        "as_type": "fact",
        "with_importance": 0.6,
        "in_scope": "user",
        "in_slot": None,
        "everything": {},
    }
    candidate: UUID = value(
        db,
        "propose_candidate",
        for_user=user,
        new_content=content,
        as_of=at,
        **(usual | named),
    )
    return candidate


def decide(
    db: psycopg.Connection,
    target: UUID,
    is_approved: bool,
    user: str = "ann",
    *,
    at: datetime = NOW,
    **named: Any,
) -> bool:
    """Say yes or no; return whether the candidate was waiting for it."""
    return bool(
        value(
            db,
            "decide_candidate",
            for_user=user,
            target=target,
            is_approved=is_approved,
            as_of=at,
            **named,
        )
    )


def vetoed(
    db: psycopg.Connection, content: str, slot: str | None = None, user: str = "ann"
) -> bool:
    return bool(value(db, "is_vetoed", for_user=user, the_content=content, the_slot=slot))
