"""Drop and re-create the SQL functions and views kept under sql/, and set who may use them.

Tables are versioned by Alembic. Functions, views and privileges are not: what is under
sql/ at a commit is what that commit installs. migrations/env.py drops them
before the first migration runs, so that no view can block a column change,
and creates them after the last one, all in the same transaction.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from sqlalchemy import Connection

_PACKAGE = Path(__file__).parent


def directory(name: str) -> Path:
    """Return ``sql`` or ``migrations``: inside the wheel, or beside the package in a checkout."""
    bundled = _PACKAGE / f"_{name}"
    return bundled if bundled.is_dir() else _PACKAGE.parent / name


def sources() -> list[Path]:
    """List the files that sql/objects.sql includes, in its order."""
    listing = (directory("sql") / "objects.sql").read_text("utf-8")
    names = re.findall(r"^\\ir (\S+)$", listing, re.MULTILINE)
    return [directory("sql") / name for name in names]


@cache
def fingerprint() -> str:
    """Hash all SQL objects; the schema's comment carries that of what is installed."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def prepare(connection: Connection) -> None:
    """Make the schema and the extension, and resolve names in them and nowhere else."""
    _run(connection, (directory("sql") / "prepare.sql").read_text("utf-8"))


def drop(connection: Connection) -> None:
    """Drop all our functions and views; stop with an error if something else uses one."""
    _run(connection, (directory("sql") / "drop.sql").read_text("utf-8"))


def lift_row_level_security(connection: Connection) -> None:
    """Let the owner of the tables see every row, as revisions that change rows have to."""
    _each_table(connection, "no force", "c.relforcerowsecurity")


def force_row_level_security(connection: Connection) -> None:
    """Hold the owner of the tables to their policies again."""
    _each_table(connection, "force", "not c.relforcerowsecurity")


def _each_table(connection: Connection, change: str, where: str) -> None:
    tables = connection.exec_driver_sql(
        "select c.oid::regclass::text from pg_catalog.pg_class c"
        " where c.relnamespace = 'aimemory'::regnamespace and c.relkind in ('r', 'p')"
        f" and c.relrowsecurity and {where} order by c.relname"
    )
    for (table,) in tables.all():
        connection.exec_driver_sql(f"alter table {table} {change} row level security")


def create(connection: Connection) -> None:
    """Create all our functions and views, set the privileges, and record the fingerprint."""
    for path in sources():
        _run(connection, path.read_text("utf-8"))
    _run(connection, f"comment on schema aimemory is 'aimemory sql {fingerprint()}'")


def _run(connection: Connection, script: str) -> None:
    # no_parameters hands the text to psycopg untouched: % and : need no
    # escaping, and one file may hold several statements.
    connection.execution_options(no_parameters=True).exec_driver_sql(script)
