"""Find the database: the one named, or the embedded one made ready for use."""

from __future__ import annotations

from pathlib import Path

import psycopg

from aimemory.embedded import EmbeddedServer
from aimemory.migration import check_server, migrate, require_current, schema_state


def find_database(url: str | None, data_dir: Path | None) -> tuple[str, EmbeddedServer | None]:
    """Return the URL of a database with the current schema, and the server if it is embedded.

    An embedded database is ours, so it is created and migrated on the way. A
    database that is given is only checked: migrating it is the operator's decision.
    Raises DatabaseUnsuitable or EmbeddedUnavailable, saying what to do.
    """
    if url is not None:
        with psycopg.connect(url, autocommit=True) as connection:
            check_server(connection)
            require_current(schema_state(connection))
        return url, None
    server = EmbeddedServer.join(data_dir)
    try:
        if not _is_current(server.url):
            migrate(server.url)
    except BaseException:
        server.close()
        raise
    return server.url, server


def _is_current(url: str) -> bool:
    with psycopg.connect(url, autocommit=True) as connection:
        return schema_state(connection).is_current
