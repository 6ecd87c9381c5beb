"""Short ways to say something in a session, for tests of the functions over turns."""

from __future__ import annotations

from datetime import datetime

import psycopg

from memories import NOW, Row, rows, value


def say(
    db: psycopg.Connection,
    *texts: str,
    user: str = "ann",
    session: str = "s",
    role: str = "user",
    at: datetime = NOW,
) -> list[int]:
    """Store turns; return their numbers."""
    numbers: list[int] = value(
        db,
        "record_turns",
        for_user=user,
        in_session=session,
        roles=[role] * len(texts),
        texts=list(texts),
        said=[at] * len(texts),
        as_of=at,
    )
    return numbers


def settle(
    db: psycopg.Connection,
    *numbers: int,
    user: str = "ann",
    session: str = "s",
    failure: str | None = None,
    at: datetime = NOW,
) -> int:
    """Mark turns as learnt from, or as failed; return how many there were."""
    settled: int = value(
        db,
        "settle_turns",
        for_user=user,
        in_session=session,
        numbers=list(numbers),
        failure=failure,
        as_of=at,
    )
    return settled


def turns(db: psycopg.Connection, user: str = "ann", session: str = "s") -> list[Row]:
    """Return the stored turns of a session in order."""
    query = "select * from aimemory.turns where user_id = %s and session_id = %s order by turn_no"
    return rows(db, query, user, session)


def sessions(db: psycopg.Connection, user: str = "ann") -> list[Row]:
    return rows(db, "select * from aimemory.sessions where user_id = %s order by 2", user)
