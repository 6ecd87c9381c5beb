"""Tell what state a database is in, whatever state that is.

Nothing is changed, and nothing is taken for granted: the database may be empty,
outdated, or on a server that aimemory cannot use at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg.rows import class_row, dict_row

from aimemory.embedding import known_model
from aimemory.errors import DatabaseUnsuitable
from aimemory.migration import SchemaState, check_server, schema_state

COUNTING_SECONDS = 60
LONGEST_DAYS = 2
TOO_MANY_DEAD = 0.2
LARGE = 10_000
"""Rows from which on dead ones are worth a warning; autovacuum leaves small tables alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The row of ``aimemory.database_status``."""

    users: int
    active_memories: int
    superseded_memories: int
    archived_memories: int
    memories_without_vector: int
    """Without one of the active model, so words find them and meaning does not."""
    models: list[dict[str, Any]]
    """Name, active, dimensions, memories with a vector, and scales by script."""

    @property
    def active_model(self) -> dict[str, Any] | None:
        """The model that recall reads, if there is one."""
        return next((model for model in self.models if model["active"]), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepState:
    """The row of ``aimemory.upkeep_status``."""

    pending_turns: int
    parked_turns: int
    """Turns that learning from has failed five times."""
    oldest_pending_at: datetime | None
    due_memories: int
    overdue_memories: int
    """Due for the archive for more than two days."""
    stale_types: list[str]
    """Types whose rules have changed since the due dates were worked out."""
    in_use_for_days: bool
    jobs: list[dict[str, Any]]
    """The last run of every job, and when it last succeeded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A row of ``aimemory.storage_status``: a table, or an index of one."""

    relation: str
    kind: str
    of_table: str | None
    bytes: int
    live_rows: int | None
    dead_rows: int | None
    dead_share: float | None
    vacuumed_at: datetime | None
    scans: int | None
    is_valid: bool
    is_constraint: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseStatus:
    """What a database is, what it holds, and what is wrong with it."""

    database: str
    """Its name and where it is; no password."""
    schema: SchemaState
    counts: Counts | None
    """None when the schema is missing or outdated, the role sees one user only, or counting
    took too long."""
    upkeep: UpkeepState | None = None
    """What waits for upkeep; None unless the schema is current."""
    storage: list[Relation] = field(default_factory=list)
    """Tables and indexes, largest first."""
    warnings: list[str] = field(default_factory=list)
    """What to do about what is wrong, a sentence each."""


def database_status(url: str) -> DatabaseStatus:
    """Look at a database and say what it holds and what is wrong with it."""
    warnings: list[str] = []
    with psycopg.connect(url, autocommit=True) as connection:
        try:
            check_server(connection)
        except DatabaseUnsuitable as error:
            warnings.append(str(error))
        schema = schema_state(connection)
        counts, upkeep, storage = None, None, list[Relation]()
        if schema.revision is None:
            warnings.append("aimemory is not installed in this database: run `aimemory migrate`")
        elif not schema.is_current:
            warnings.append(
                "the schema is not that of this library: run `aimemory migrate`, or use the "
                "library version that the database was migrated with"
            )
        else:
            role = _role(connection)
            warnings += role.warnings
            if role.sees_all:
                counts = _counts(connection)
                warnings += _too_long() if counts is None else _advice(counts)
                upkeep = _upkeep(connection)
                storage = _storage(connection)
                warnings += [*upkeep_advice(upkeep), *storage_advice(storage)]
        return DatabaseStatus(
            database=_place(connection),
            schema=schema,
            counts=counts,
            upkeep=upkeep,
            storage=storage,
            warnings=warnings,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Role:
    name: str
    bypasses: bool
    sees_all: bool

    @property
    def warnings(self) -> list[str]:
        if self.bypasses:
            return [
                f"the role {self.name} bypasses row-level security, which then protects nobody: "
                "connect services as a member of aimemory_app (docs/security.md)"
            ]
        if not self.sees_all:
            return [
                f"the role {self.name} sees the memories of one user at a time, so nothing was "
                "counted: connect as a member of aimemory_maintainer or aimemory_analyst"
            ]
        return []


def _role(connection: psycopg.Connection) -> _Role:
    with connection.cursor(row_factory=class_row(_Role)) as cursor:
        found = cursor.execute("""
            select r.rolname as name, r.rolsuper or r.rolbypassrls as bypasses,
                   r.rolbypassrls or pg_has_role(r.oid, 'aimemory_maintainer', 'usage')
                   or pg_has_role(r.oid, 'aimemory_analyst', 'usage') as sees_all
              from pg_catalog.pg_roles r where r.rolname = current_user""").fetchone()
    assert found is not None
    return found


def _too_long() -> list[str]:
    return [f"counting took longer than {COUNTING_SECONDS} s and was given up"]


def upkeep_row(url: str) -> dict[str, Any]:
    """Return the row of ``aimemory.upkeep_status``."""
    with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
        cursor = connection.cursor(row_factory=dict_row)
        (row,) = cursor.execute("select * from aimemory.upkeep_status").fetchall()
        return row


def _counts(connection: psycopg.Connection) -> Counts | None:
    with connection.transaction(), connection.cursor(row_factory=class_row(Counts)) as cursor:
        cursor.execute(f"set local statement_timeout = '{COUNTING_SECONDS}s'")
        try:
            with connection.transaction():
                return cursor.execute("select * from aimemory.database_status").fetchone()
        except psycopg.errors.QueryCanceled:
            return None


def _upkeep(connection: psycopg.Connection) -> UpkeepState:
    with connection.cursor(row_factory=class_row(UpkeepState)) as cursor:
        (state,) = cursor.execute("select * from aimemory.upkeep_status").fetchall()
        return state


def _storage(connection: psycopg.Connection) -> list[Relation]:
    with connection.cursor(row_factory=class_row(Relation)) as cursor:
        return cursor.execute(
            "select * from aimemory.storage_status order by bytes desc, relation"
        ).fetchall()


def upkeep_advice(state: UpkeepState) -> list[str]:
    """Say what to do about what upkeep has left undone."""
    runs = {job["job"]: job for job in state.jobs}
    archived_at = runs["archive_due"]["done_at"]
    warnings = []
    if archived_at is None and state.in_use_for_days:
        warnings.append(
            "upkeep has never run, so nothing is archived: run `aimemory scheduler`, or "
            "`aimemory maintain` once a day"
        )
    elif archived_at is not None and _age(archived_at) > timedelta(days=LONGEST_DAYS):
        warnings.append(
            f"archive_due last succeeded {_age(archived_at).days} days ago: is `aimemory "
            "scheduler` running? `aimemory maintain` does it now"
        )
    warnings += [
        f"the last run of {job} failed: {run['error']}"
        for job, run in runs.items()
        if run["status"] == "failed"
    ]
    if state.parked_turns:
        warnings.append(
            f"turns given up after five attempts to learn from them: {state.parked_turns:,}; "
            "aimemory.turns.last_error says why; set attempts to 0 to try again"
        )
    if state.stale_types:
        warnings.append(
            f"the rules of {', '.join(state.stale_types)} have changed since due dates were "
            "worked out: run `aimemory maintain refresh_due_dates`"
        )
    return warnings


def storage_advice(storage: list[Relation]) -> list[str]:
    """Say what to do about tables and indexes that cost more than they should."""
    warnings = [
        f"{relation.dead_share:.0%} of the rows of {relation.relation} are dead: see Storage in "
        "docs/operations.md"
        for relation in storage
        if relation.dead_share is not None
        and relation.dead_share > TOO_MANY_DEAD
        and (relation.live_rows or 0) + (relation.dead_rows or 0) >= LARGE
    ]
    return warnings + [
        f"the index {relation.relation} is invalid and is not used: `reindex index concurrently "
        f"aimemory.{relation.relation}`"
        for relation in storage
        if not relation.is_valid
    ]


def _age(written: str) -> timedelta:
    moment = datetime.fromisoformat(written)
    return datetime.now(moment.tzinfo) - moment


def _advice(counts: Counts) -> list[str]:
    warnings = []
    active = counts.active_model
    if counts.memories_without_vector:
        warnings.append(
            f"{counts.memories_without_vector:,} memories have no vector of the active model, so "
            "only words find them: run `aimemory reembed`"
        )
    if active is None:
        return warnings
    known = known_model(active["model"])
    if known is not None and "zh" not in known.languages:
        warnings.append(
            f"{active['model']} cannot read Chinese, so words alone find Chinese memories: "
            "switch to a multilingual model with `aimemory --embedder NAME reembed`"
        )
    if not active["scales"]:
        warnings.append(
            f"{active['model']} has not been calibrated, so its similarities are raw cosines: "
            "run `aimemory calibrate`"
        )
    return warnings


def _place(connection: psycopg.Connection) -> str:
    info = connection.info
    return f"{info.dbname} on {info.host}, port {info.port}, as {info.user}"
