"""Alembic environment: tables are versioned, everything under sql/ is re-created.

One transaction does all of it: drop our functions and views, run the
revisions, create the functions and views again, with their privileges. So no view
can block a change of a table, and no old signature survives.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from aimemory import sqlobjects
from aimemory.models import Base
from aimemory.settings import Settings

SCHEMA = "aimemory"


def moves_schema() -> bool:
    """Tell upgrade, downgrade and stamp (true) from current and check (false)."""
    try:
        context.get_revision_argument()
    except KeyError:
        return False
    return True


def at_head() -> bool:
    """Tell whether the database is at the newest revision now."""
    current = context.get_context().get_current_heads()
    return set(current) == set(context.script.get_heads())


def at_target() -> bool:
    """Tell whether no revision has to run."""
    wanted = context.get_revision_argument()
    revisions = {wanted} if isinstance(wanted, str) else set(wanted or ())
    return revisions == set(context.get_context().get_current_heads())


def ours(name: str | None, kind: str, _parents: object) -> bool:
    """Compare nothing outside our schema: the application has tables of its own."""
    return kind != "schema" or name == SCHEMA


def run(connection: Connection) -> None:
    """Run the asked-for command on an open connection."""
    if moves_schema():
        # One at a time: a second process waits here, then finds nothing to do.
        lock = "select pg_advisory_xact_lock(hashtextextended('aimemory', 0))"
        connection.exec_driver_sql(lock)
        sqlobjects.prepare(connection)
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        # Ours, not the host application's: it may run Alembic as well.
        version_table_schema=SCHEMA,
        include_schemas=True,
        include_name=ours,
    )
    with context.begin_transaction():
        if not moves_schema():
            context.run_migrations()
            return
        sqlobjects.drop(connection)
        if not at_target():
            # An owner who is no superuser would see no row of a user, and change none.
            sqlobjects.lift_row_level_security(connection)
        context.run_migrations()
        sqlobjects.force_row_level_security(connection)
        if at_head():
            sqlobjects.create(connection)


def run_offline() -> None:
    """Print the revisions as SQL; tools/tables.py makes sql/tables.sql of it."""
    context.configure(
        dialect_name="postgresql",
        version_table_schema=SCHEMA,
        literal_binds=True,
        transactional_ddl=False,
    )
    context.run_migrations()


def run_online() -> None:
    """Use the caller's connection if there is one, else that of the settings."""
    given = context.config.attributes.get("connection")
    if given is not None:
        run(given)
        return
    engine = create_engine(Settings.from_environ().sqlalchemy_url(), poolclass=NullPool)
    with engine.connect() as connection, connection.begin():
        run(connection)


if context.is_offline_mode():
    run_offline()
else:
    run_online()
