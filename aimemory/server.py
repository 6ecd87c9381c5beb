"""Find the database: the one named, or the embedded one made ready for use."""

from __future__ import annotations

from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

from aimemory.embedded import EmbeddedServer
from aimemory.errors import translated_errors
from aimemory.migration import check_server, migrate, require_current, schema_state

ROLES = ("aimemory_app", "aimemory_maintainer")


def find_database(url: str | None, data_dir: Path | None) -> tuple[str, EmbeddedServer | None]:
    """Return the URL of a database with the current schema, and the server if it is embedded.

    An embedded database is ours, so it is created and migrated on the way, and the URL
    is that of the role for services; the server has others. A database that is given is
    only checked: migrating it is the operator's decision.
    Raises DatabaseUnsuitable or EmbeddedUnavailable, saying what to do.
    """
    if url is not None:
        with translated_errors(), psycopg.connect(url, autocommit=True) as connection:
            check_server(connection)
            require_current(schema_state(connection))
        return url, None
    server = EmbeddedServer.join(data_dir)
    try:
        make_ready(server)
    except BaseException:
        server.close()
        raise
    return server.app_url, server


def make_ready(server: EmbeddedServer) -> None:
    """Migrate an embedded database unless it is current, and let the roles of aimemory log in."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        current = schema_state(connection).is_current
    if not current:
        migrate(server.url)
    if not roles_ready(server):
        _let_roles_log_in(server)


def roles_ready(server: EmbeddedServer) -> bool:
    """Tell whether the roles of aimemory can log in to an embedded server."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        return _can_log_in(connection)


def _let_roles_log_in(server: EmbeddedServer) -> None:
    with psycopg.connect(server.url) as connection:
        # As in a migration: two processes must not change the same role at once.
        connection.execute("select pg_advisory_xact_lock(hashtextextended('aimemory', 0))")
        if _can_log_in(connection):
            return
        for role in ROLES:
            connection.execute(SQL("alter role {} login").format(Identifier(role)))
        # Whoever uses the embedded database may keep tables of their own in it.
        connection.execute("grant create on schema public to aimemory_app")


def _can_log_in(connection: psycopg.Connection) -> bool:
    found = connection.execute(
        "select from pg_catalog.pg_roles where rolname = any(%s) and rolcanlogin", (list(ROLES),)
    )
    return found.rowcount == len(ROLES)
