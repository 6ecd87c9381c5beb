"""A database that cannot hold aimemory is refused with a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import psycopg
import pytest

import dumps
from aimemory import DatabaseUnsuitable, MemoryRepository, MemoryStore, migrate
from aimemory.migration import check_server, require_current, schema_state
from aimemory.server import find_database


def has_schema(url: str) -> bool:
    return bool(dumps.rows(url, "select from pg_namespace where nspname = 'aimemory'"))


def test_a_database_that_is_not_utf8_is_refused_before_anything_is_made(
    server_url: Callable[[str], str],
) -> None:
    """SQL_ASCII takes any bytes for text, so nothing would be known of its characters."""
    with psycopg.connect(server_url("postgres"), autocommit=True) as connection:
        connection.execute(
            "create database aim_sql_ascii encoding 'SQL_ASCII' template template0"
            " locale_provider libc locale 'C'"
        )
    url = server_url("aim_sql_ascii")

    with pytest.raises(DatabaseUnsuitable, match=r"encoded in SQL_ASCII: create one with .*UTF8"):
        migrate(url)

    assert not has_schema(url)


@pytest.fixture
def url_with_extensions(wiped_database: str) -> Callable[[str], str]:
    """Make a database whose pg_available_extensions lists what a test says.

    The files of pgvector cannot be taken from a server that other tests use, so a
    view of ours stands before the catalog's in the search path; the rest is real.
    """

    def make(extensions: str) -> str:
        with psycopg.connect(wiped_database) as connection:
            connection.execute("create schema pretended")
            connection.execute(
                "create view pretended.pg_available_extensions"
                f" (name, default_version, installed_version) as values {extensions}".encode()
            )
        return f"{wiped_database}&options=-csearch_path%3Dpretended,pg_catalog"

    return make


@pytest.mark.parametrize(
    ("extensions", "advice"),
    [
        ("('plpgsql', '1.0', '1.0')", "pgvector is not installed on this server: install it"),
        ("('vector', '0.7.4', null)", r"pgvector 0\.7\.4 is too old.* install a newer one"),
        ("('vector', '0.8.1', '0.7.4')", r"pgvector 0\.7\.4 is too old.*alter extension vector"),
    ],
    ids=["missing", "old", "not updated in this database"],
)
def test_without_a_new_enough_pgvector_nothing_is_made(
    url_with_extensions: Callable[[str], str], extensions: str, advice: str
) -> None:
    url = url_with_extensions(extensions)

    with pytest.raises(DatabaseUnsuitable, match=advice):
        migrate(url)

    assert not has_schema(url)


@pytest.mark.parametrize("version", ["0.8.0", "0.10.0", "1.0"])
def test_a_newer_pgvector_passes(url_with_extensions: Callable[[str], str], version: str) -> None:
    with psycopg.connect(url_with_extensions(f"('vector', '{version}', null)")) as connection:
        check_server(connection)


def test_an_old_server_is_refused() -> None:
    """A stand-in, because PostgreSQL 15 is not among the servers that tests run on."""
    old = SimpleNamespace(info=SimpleNamespace(server_version=150012))

    with pytest.raises(DatabaseUnsuitable, match="PostgreSQL 15 is too old: aimemory needs 16"):
        check_server(cast(Any, old))


OPENINGS = [
    pytest.param(lambda url: MemoryStore.open(url), id="store"),
    pytest.param(lambda url: find_database(url, None), id="find_database"),
]


@pytest.mark.parametrize("open_it", OPENINGS)
def test_a_database_without_aimemory_names_the_command(
    wiped_database: str, open_it: Callable[[str], object]
) -> None:
    with pytest.raises(
        DatabaseUnsuitable, match="not installed in this database: `aimemory migrate`"
    ):
        open_it(wiped_database)


@pytest.mark.parametrize("open_it", OPENINGS)
def test_objects_of_another_version_name_the_command(
    wiped_database: str, open_it: Callable[[str], object]
) -> None:
    migrate(wiped_database)
    with psycopg.connect(wiped_database) as connection:
        connection.execute("comment on schema aimemory is 'aimemory sql 0123456789abcdef'")

    with pytest.raises(
        DatabaseUnsuitable, match=r"objects 0123456789abcdef.*run `aimemory migrate`"
    ):
        open_it(wiped_database)


def test_tables_of_another_version_name_the_command(wiped_database: str) -> None:
    migrate(wiped_database, "0001")

    with (
        psycopg.connect(wiped_database) as connection,
        pytest.raises(DatabaseUnsuitable, match=r"revision 0001.*run `aimemory migrate`"),
    ):
        require_current(schema_state(connection))


def test_a_database_of_a_newer_version_is_left_alone(wiped_database: str) -> None:
    """An old program that is deployed once more must not drop the functions of the new one."""
    migrate(wiped_database)
    with psycopg.connect(wiped_database) as connection:
        connection.execute("update aimemory.alembic_version set version_num = '9999'")
    before = dumps.dump(wiped_database)

    with pytest.raises(DatabaseUnsuitable, match=r"revision 9999.*upgrade the library"):
        migrate(wiped_database)

    assert dumps.dump(wiped_database) == before


def test_opening_a_database_that_is_not_ours_changes_nothing_in_it(
    wiped_database: str,
) -> None:
    with pytest.raises(DatabaseUnsuitable):
        MemoryStore.open(wiped_database)

    assert not has_schema(wiped_database)


def test_a_repository_on_a_database_without_aimemory_names_the_command(
    wiped_database: str,
) -> None:
    with (
        psycopg.connect(wiped_database) as connection,
        pytest.raises(DatabaseUnsuitable, match="run `aimemory migrate`"),
    ):
        MemoryRepository(connection).recall("ann", "tea")


def test_a_current_database_says_so(database: str) -> None:
    with psycopg.connect(database) as connection:
        state = schema_state(connection)

    assert state.is_current
    assert state.pgvector_version is not None
    require_current(state)
