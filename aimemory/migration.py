"""Bring the schema of a database to this version of the library.

`migrate` runs Alembic with the revisions that ship in the package; the work
itself is in migrations/env.py. It is safe to run twice, and from several
processes at once: one does the work, the others wait and find nothing to do.
"""

from __future__ import annotations

from dataclasses import dataclass

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from aimemory import sqlobjects
from aimemory.errors import AccessDenied, AimemoryError, DatabaseUnsuitable
from aimemory.settings import sqlalchemy_url

OLDEST_SERVER = 160000
OLDEST_PGVECTOR = (0, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaState:
    """What is installed in a database, next to what this library brings."""

    server_version: str
    pgvector_version: str | None
    revision: str | None
    """The Alembic revision of the tables; None when aimemory is not installed."""
    newest_revision: str
    fingerprint: str | None
    """Hash of the installed functions and views."""
    newest_fingerprint: str

    @property
    def is_current(self) -> bool:
        """True when tables, functions and views are those of this library."""
        return (self.revision, self.fingerprint) == (self.newest_revision, self.newest_fingerprint)


def migrate(url: str, revision: str = "head") -> None:
    """Upgrade (or, for developers, downgrade) the schema to a revision.

    Raises DatabaseUnsuitable when the server is older than PostgreSQL 16, the
    database is not UTF8, pgvector 0.8 is not to be had, the roles of aimemory are missing
    and may not be made, or a newer version of this library has been here; AccessDenied
    when the role may not migrate. Nothing is changed then.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        check_server(connection)
        current = _revision(connection)
    config = _config()
    _require_known(config, current)
    engine = create_engine(sqlalchemy_url(url), poolclass=NullPool)
    try:
        with engine.connect() as open_connection, open_connection.begin():
            config.attributes["connection"] = open_connection
            if _goes_down(config, current, revision):
                command.downgrade(config, revision)
            else:
                command.upgrade(config, revision)
    except DBAPIError as error:
        explained = _explained(error)
        if explained is None:
            raise
        raise explained from error
    finally:
        engine.dispose()


def _explained(error: DBAPIError) -> AimemoryError | None:
    """Return the error of ours that says what an administrator has to do, if there is one."""
    cause = error.orig
    if not isinstance(cause, psycopg.Error):
        return None
    if cause.sqlstate == "MM004":
        return DatabaseUnsuitable(str(cause.diag.message_primary))
    if cause.sqlstate == "42501":
        return AccessDenied(
            f"{cause.diag.message_primary}: migrate as the owner of the schema aimemory, who may "
            "create it in the database, after a superuser has run `create extension vector`"
        )
    return None


def check_server(connection: psycopg.Connection) -> None:
    """Raise DatabaseUnsuitable, saying what to change, unless aimemory can live here."""
    info = connection.info
    if info.server_version < OLDEST_SERVER:
        raise DatabaseUnsuitable(
            f"PostgreSQL {info.server_version // 10000} is too old: aimemory needs 16 or newer"
        )
    # Not by a query: text comes as bytes from a database of unknown encoding.
    encoding = info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise DatabaseUnsuitable(
            f"the database {info.dbname} is encoded in {encoding}: create one with "
            f"`create database {info.dbname}_utf8 encoding 'UTF8' template template0`"
        )
    _check_pgvector(connection)


def _check_pgvector(connection: psycopg.Connection) -> None:
    row = connection.execute(
        "select installed_version, default_version from pg_available_extensions"
        " where name = 'vector'"
    ).fetchone()
    if row is None:
        raise DatabaseUnsuitable(
            "the extension pgvector is not installed on this server: install it "
            "(Debian: postgresql-NN-pgvector; Docker: the image pgvector/pgvector:pg18)"
        )
    installed, available = row
    if _version(installed or available) < OLDEST_PGVECTOR:
        hint = "run `alter extension vector update`" if installed else "install a newer one"
        raise DatabaseUnsuitable(
            f"pgvector {installed or available} is too old: aimemory needs 0.8 or newer; {hint}"
        )


def schema_state(connection: psycopg.Connection) -> SchemaState:
    """Read what is installed; works on a database that has never seen aimemory."""
    row = connection.execute(
        "select obj_description(to_regnamespace('aimemory'), 'pg_namespace'),"
        " (select extversion from pg_extension where extname = 'vector')"
    ).fetchone()
    comment, vector = row or (None, None)
    scripts = ScriptDirectory.from_config(_config())
    return SchemaState(
        server_version=connection.info.parameter_status("server_version") or "",
        pgvector_version=vector,
        revision=_revision(connection),
        newest_revision=scripts.get_current_head() or "",
        fingerprint=comment.rpartition(" ")[2] if comment else None,
        newest_fingerprint=sqlobjects.fingerprint(),
    )


def require_current(state: SchemaState) -> None:
    """Raise DatabaseUnsuitable unless the installed schema is this library's."""
    if state.is_current:
        return
    if state.revision is None:
        raise DatabaseUnsuitable("aimemory is not installed in this database: `aimemory migrate`")
    raise DatabaseUnsuitable(
        f"the schema (revision {state.revision}, objects {state.fingerprint}) is not that of this "
        f"library (revision {state.newest_revision}, objects {state.newest_fingerprint}): "
        "run `aimemory migrate`, or use the library version that the database was migrated with"
    )


def _revision(connection: psycopg.Connection) -> str | None:
    row = connection.execute(
        "select to_regclass('aimemory.alembic_version') is not null"
    ).fetchone()
    if row is None or not row[0]:
        return None
    found = connection.execute("select version_num from aimemory.alembic_version").fetchone()
    return None if found is None else str(found[0])


def _require_known(config: Config, current: str | None) -> None:
    """Raise DatabaseUnsuitable if the revision of a database is none of this library's."""
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise DatabaseUnsuitable(
            f"the database is at revision {current}, which this version of aimemory does not know: "
            "a newer version has migrated it; upgrade the library"
        )


def _goes_down(config: Config, current: str | None, target: str) -> bool:
    if current is None or target == "head":
        return False
    if target == "base":
        return True
    scripts = ScriptDirectory.from_config(config)
    older = {script.revision for script in scripts.iterate_revisions(current, "base")}
    return target in older - {current}


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(sqlobjects.directory("migrations")))
    config.set_main_option("path_separator", "os")
    return config
