"""How roles, policies and grants come into a database, whoever owns it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import psycopg
import pytest
from psycopg import sql

import catalog
import dumps
from aimemory import AccessDenied, DatabaseUnsuitable, MemoryRepository, migrate
from roles import APP, as_role, with_setting

OWNER = "aim_test_owner"
LACKING = ("lacking_analyst", "lacking_app", "lacking_maintainer")


@pytest.fixture
def roles(server_url: Callable[[str], str]) -> Iterator[Callable[[str], None]]:
    """Make a role, for the time of the test."""
    made: list[str] = []
    with psycopg.connect(server_url("postgres"), autocommit=True) as connection:

        def make(definition: str) -> None:
            made.append(definition.split()[0])
            connection.execute(f"create role {definition}".encode())

        yield make
        for name in made:
            connection.execute(sql.SQL("drop role if exists {}").format(sql.Identifier(name)))


@pytest.fixture
def owned(
    empty_database: Callable[[], str],
    server_url: Callable[[str], str],
    roles: Callable[[str], None],
) -> Iterator[Callable[[str], str]]:
    """Make a database of a new role that is no superuser; return the URL as that role."""
    urls: list[str] = []

    def make(may: str = "") -> str:
        roles(f"{OWNER} {may}")
        urls.append(empty_database())
        name = psycopg.conninfo.conninfo_to_dict(urls[0])["dbname"]
        with psycopg.connect(server_url("postgres"), autocommit=True) as connection:
            connection.execute(f"alter database {name} owner to {OWNER}".encode())
        with psycopg.connect(urls[0]) as connection:
            connection.execute("create extension vector")
        return as_role(urls[0], OWNER)

    yield make
    for url in urls:
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with psycopg.connect(server_url("postgres"), autocommit=True) as connection:
            connection.execute(f"drop database {name} with (force)".encode())


@pytest.fixture
def without_roles(edited_sql: Path, roles: Callable[[str], None]) -> Path:
    """SQL that wants roles which this server does not have; those it has are in use."""
    for path in [edited_sql / "privileges.sql", edited_sql / "maintenance/require_maintainer.sql"]:
        text = re.sub(r"aimemory_(app|analyst|maintainer)", r"lacking_\1", path.read_text("utf-8"))
        path.write_text(text, "utf-8")
    return edited_sql


@pytest.fixture
def dropped_afterwards(server_url: Callable[[str], str]) -> Iterator[None]:
    yield
    with psycopg.connect(server_url("postgres"), autocommit=True) as connection:
        for name in LACKING:
            connection.execute(f"drop role if exists {name}".encode())


def known(url: str) -> list[str]:
    """Which of the lacking roles there are, of those that can do nothing on their own."""
    query = "select rolname from pg_roles where rolname = any(%s) and not rolcanlogin"
    query += " and not rolsuper and not rolbypassrls and not rolcreaterole order by 1"
    with psycopg.connect(url) as connection:
        return [name for (name,) in connection.execute(query.encode(), [list(LACKING)])]


def test_an_owner_without_any_right_installs_where_the_roles_exist(
    owned: Callable[[str], str], database: str
) -> None:
    url = owned("")

    migrate(url)
    migrate(url)

    assert dumps.dump(url, "--enable-row-security") == dumps.dump(database)


def test_an_owner_who_may_create_roles_makes_those_that_are_missing(
    dropped_afterwards: None, without_roles: Path, owned: Callable[[str], str]
) -> None:
    url = owned("createrole")

    migrate(url)

    assert known(url) == sorted(LACKING)


def test_without_roles_and_the_right_to_make_them_the_statements_are_named(
    without_roles: Path, owned: Callable[[str], str]
) -> None:
    url = owned("")

    with pytest.raises(DatabaseUnsuitable, match=f"{OWNER} may not create roles") as caught:
        migrate(url)

    statements = re.findall(r"create role \w+;", str(caught.value))
    assert statements == [f"create role {name};" for name in LACKING]
    assert dumps.rows(url, "select from pg_namespace where nspname = 'aimemory'") == []


def test_a_role_that_would_bypass_every_policy_is_refused(
    dropped_afterwards: None, without_roles: Path, owned: Callable[[str], str], server_url
) -> None:
    with psycopg.connect(server_url("postgres"), autocommit=True) as connection:
        for name in LACKING:
            connection.execute(f"create role {name} bypassrls".encode())

    with pytest.raises(DatabaseUnsuitable, match="alter role lacking_app nosuperuser nobypassrls;"):
        migrate(owned(""))


def test_two_databases_that_make_the_roles_at_once_both_succeed(
    dropped_afterwards: None, without_roles: Path, empty_database: Callable[[], str]
) -> None:
    text = (without_roles / "privileges.sql").read_text("utf-8")
    make_roles = text[: text.index("$$;") + 3].encode()
    failed: list[Exception] = []
    with (
        psycopg.connect(empty_database()) as first,
        psycopg.connect(empty_database()) as second,
        psycopg.connect(empty_database(), autocommit=True) as watcher,
    ):
        first.execute(make_roles)

        def work() -> None:
            try:
                second.execute(make_roles)
                second.commit()
            except Exception as error:
                failed.append(error)

        waiting = Thread(target=work)
        waiting.start()
        blocked = "select from pg_stat_activity where pid = %s and wait_event_type = 'Lock'"
        while not watcher.execute(blocked, [second.info.backend_pid]).rowcount:
            assert waiting.is_alive(), failed
        first.commit()
        waiting.join(30)

        assert failed == []
        assert known(watcher.info.dsn) == sorted(LACKING)


def test_a_migrate_that_changes_nothing_waits_for_no_reader_or_writer(fresh_database: str) -> None:
    with psycopg.connect(fresh_database) as busy:
        MemoryRepository(busy).add("ann", "likes tea")

        migrate(with_setting(fresh_database, "lock_timeout", "1s"))


def test_a_policy_of_somebody_else_does_not_survive_a_migrate(fresh_database: str) -> None:
    before = dumps.dump(fresh_database)
    with psycopg.connect(fresh_database) as connection:
        connection.execute("create policy open_door on aimemory.memories using (true)")
        connection.execute("alter policy own_rows on aimemory.turns using (true)")
        connection.execute("alter table aimemory.users disable row level security")
        connection.execute("grant select on aimemory.maintenance_runs to public")
        connection.execute("grant execute on function aimemory.tokens to public")

    migrate(fresh_database)

    assert dumps.dump(fresh_database) == before


REVISION = """
from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade():
    op.execute("update aimemory.memories set importance = 0.875")


def downgrade():
    op.execute("update aimemory.memories set importance = 0.125")
"""


def importance(url: str) -> list[float]:
    with psycopg.connect(url) as connection:
        connection.execute("set local aimemory.user_id = 'ann'")
        found = connection.execute("select importance from aimemory.memories").fetchall()
        return [value for (value,) in found]


def test_a_revision_of_an_owner_who_is_no_superuser_changes_every_row(
    owned: Callable[[str], str], edited: Callable[[str], Path]
) -> None:
    """Under forced row-level security it would see none, and report success."""
    url = owned("")
    migrate(url)
    with psycopg.connect(url) as connection:
        MemoryRepository(connection).add("ann", "likes tea")
        assert connection.execute("select count(*) from aimemory.memories").fetchone() == (1,)
    versions = edited("migrations") / "versions"
    head = max(path.name[:4] for path in versions.glob("0*.py"))
    (versions / "9999_change_rows.py").write_text(REVISION.format(head=head))

    migrate(url)
    assert importance(url) == [0.875]
    migrate(url, head)
    assert importance(url) == [0.125]

    with psycopg.connect(url) as connection:
        assert catalog.unprotected_tables(connection) == []
        assert connection.execute("select from aimemory.memories").fetchall() == []


def test_a_role_that_may_not_migrate_is_told_who_may(fresh_database: str) -> None:
    with pytest.raises(AccessDenied, match="migrate as the owner of the schema aimemory"):
        migrate(as_role(fresh_database, APP))


def test_a_step_down_keeps_the_policies_and_the_way_up_is_open(owned: Callable[[str], str]) -> None:
    url = owned("")
    migrate(url)

    migrate(url, "0003")

    with psycopg.connect(url) as connection:
        assert catalog.unprotected_tables(connection) == []
    migrate(url)
    migrate(url, "base")
    migrate(url)
    with psycopg.connect(url) as connection:
        assert catalog.unprotected_tables(connection) == []


def test_what_a_service_may_do_with_the_shared_tables(fresh_database: str) -> None:
    query = """
        select c.relname::text, string_agg(p.name, ', ' order by p.name)
          from pg_class c
         cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate']) p(name)
         where c.relnamespace = 'aimemory'::regnamespace and c.relkind = 'r'
           and has_table_privilege(current_user, c.oid, p.name)
           and not exists (select from pg_attribute a
                            where a.attrelid = c.oid and a.attname = 'user_id')
         group by c.relname"""

    assert dict(dumps.rows(as_role(fresh_database, APP), query)) == {  # type: ignore[arg-type]
        "alembic_version": "select",
        "calibrations": "insert, select",
        "embedding_models": "insert, select",
        "erasures": "insert, select",
        "memory_types": "select",
        "scoring_profiles": "select",
    }
