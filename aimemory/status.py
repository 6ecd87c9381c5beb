"""Tell what state a database is in, whatever state that is.

Nothing is changed, and nothing is taken for granted: the database may be empty,
outdated, or on a server that aimemory cannot use at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.rows import class_row

from aimemory.embedding import known_model
from aimemory.errors import DatabaseUnsuitable
from aimemory.migration import SchemaState, check_server, schema_state

COUNTING_SECONDS = 60


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
class DatabaseStatus:
    """What a database is, what it holds, and what is wrong with it."""

    database: str
    """Its name and where it is; no password."""
    schema: SchemaState
    counts: Counts | None
    """None when the schema is missing or outdated, the role sees one user only, or counting
    took too long."""
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
        counts = None
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
        return DatabaseStatus(
            database=_place(connection), schema=schema, counts=counts, warnings=warnings
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


def _counts(connection: psycopg.Connection) -> Counts | None:
    with connection.transaction(), connection.cursor(row_factory=class_row(Counts)) as cursor:
        cursor.execute(f"set local statement_timeout = '{COUNTING_SECONDS}s'")
        try:
            with connection.transaction():
                return cursor.execute("select * from aimemory.database_status").fetchone()
        except psycopg.errors.QueryCanceled:
            return None


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
