"""The job that learns from conversations which have gone quiet.

The only one that is not SQL, since it may call a language model. It has a connection of
its own, which holds the lock of the job and no transaction: it lasts as long as the
connection does, and the store takes and returns its own connections between model calls.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from aimemory import statements
from aimemory.store import MemoryStore
from aimemory.upkeep.runs import reason

EXTRACT_IDLE = "extract_idle"
IDLE_SECONDS = 600.0
MAX_ATTEMPTS = 5
MOST_FAILURES = 5
"""Conversations that fail one after the other before the run gives up: the service is down."""


def extract_idle(
    connection: psycopg.Connection,
    open_store: Callable[[], MemoryStore],
    *,
    worker: str,
    batch_size: int,
    dry_run: bool = False,
    as_of: datetime | None = None,
) -> None:
    """Learn from conversations that wait, unless another worker is at it.

    The store is opened only if there are any. A conversation that fails keeps its turns.
    """
    run_id = _one(
        connection,
        statements.CLAIM_JOB,
        which=EXTRACT_IDLE,
        is_rehearsal=dry_run,
        by_worker=worker,
        as_of=None,
    )
    if run_id is None:
        return
    failure: str | None = "the worker was stopped"
    try:
        failure = _extract(connection, open_store, run_id, batch_size, dry_run, as_of)
    except Exception as error:
        failure = reason(error)
        raise
    finally:
        # A connection that broke has given back the lock, and the next run notes the failure.
        with suppress(psycopg.OperationalError):
            _one(
                connection,
                statements.RELEASE_JOB,
                which=EXTRACT_IDLE,
                this_run=run_id,
                failure=failure,
                as_of=None,
            )


def _extract(
    connection: psycopg.Connection,
    open_store: Callable[[], MemoryStore],
    run_id: UUID,
    batch_size: int,
    dry_run: bool,
    as_of: datetime | None,
) -> str | None:
    """Return why the run failed, if it did."""
    waiting = connection.execute(
        statements.IDLE_SESSIONS,
        {
            "idle_seconds": IDLE_SECONDS,
            "max_rows": None if dry_run else batch_size,
            "max_attempts": MAX_ATTEMPTS,
            "as_of": as_of,
        },
    ).rowcount
    if dry_run or not waiting:
        _one(connection, statements.COUNT_BATCH, this_run=run_id, how_many=waiting)
        return None
    failed = in_a_row = 0

    def count(is_learnt: bool) -> bool:
        nonlocal failed, in_a_row
        failed += not is_learnt
        in_a_row = 0 if is_learnt else in_a_row + 1
        # Asked on the connection with the lock: when it is gone, somebody else may be at it.
        counted = _one(connection, statements.COUNT_BATCH, this_run=run_id, how_many=int(is_learnt))
        return bool(counted) and in_a_row < MOST_FAILURES

    learnt = open_store().learn_idle(
        idle_seconds=IDLE_SECONDS, limit=batch_size, as_of=as_of, after_each=count
    )
    if failed and not learnt:
        return f"nothing was learnt from {failed} conversations; aimemory.turns.last_error says why"
    return None


def _one(connection: psycopg.Connection, statement: bytes, **values: Any) -> Any:
    row = connection.execute(statement, values).fetchone()
    return row[0] if row else None
