"""Reach the database that the options and the environment name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from aimemory.embedded import EmbeddedServer, default_data_dir
from aimemory.embedding import Embedder, open_embedder
from aimemory.encoding import NONE
from aimemory.errors import InvalidInput
from aimemory.server import find_database, roles_ready
from aimemory.settings import Settings
from aimemory.store import MemoryStore


def settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the environment with those of the command line in their place."""
    found = Settings.from_environ()
    if arguments.url is not None:
        found = replace(found, database_url=arguments.url)
    if arguments.data_dir is not None:
        found = replace(found, database_url=None, data_dir=Path(arguments.data_dir))
    if arguments.embedder is not None:
        found = replace(found, embedder=arguments.embedder)
    if arguments.llm is not None:
        found = replace(found, llm=arguments.llm)
    return found


@contextmanager
def opened_store(arguments: argparse.Namespace, *, llm: bool = False) -> Iterator[MemoryStore]:
    """Open the store for the time of a command; with its language model only if it needs one."""
    with MemoryStore.open(
        arguments.url,
        data_dir=arguments.data_dir,
        embedder=arguments.embedder,
        llm=arguments.llm if llm else NONE,
    ) as store:
        yield store


@contextmanager
def ready_database(arguments: argparse.Namespace) -> Iterator[str]:
    """Lend the URL of a database with the current schema; an embedded one is migrated.

    The role of an embedded one is that which works on the memories of all users.
    """
    chosen = settings(arguments)
    url, server = find_database(chosen.database_url, chosen.data_dir)
    try:
        yield url if server is None else server.maintainer_url
    finally:
        if server is not None:
            server.close()


@contextmanager
def any_database(arguments: argparse.Namespace) -> Iterator[str]:
    """Lend the URL of the database as it is, migrated or not; an embedded one's superuser."""
    chosen = settings(arguments)
    if chosen.database_url is not None:
        yield chosen.database_url
        return
    with EmbeddedServer.join(chosen.data_dir) as server:
        yield server.url


@contextmanager
def observed_database(arguments: argparse.Namespace) -> Iterator[str]:
    """Lend the URL of the database as it is, for a look at the memories of all users."""
    chosen = settings(arguments)
    if chosen.database_url is not None:
        yield chosen.database_url
        return
    with EmbeddedServer.join(chosen.data_dir) as server:
        yield server.maintainer_url if roles_ready(server) else server.url


def embedded_directory(arguments: argparse.Namespace) -> Path | None:
    """Return the directory of the embedded server; None when a URL names another one."""
    chosen = settings(arguments)
    if chosen.database_url is not None:
        return None
    return (chosen.data_dir or default_data_dir()).expanduser()


def required_embedder(arguments: argparse.Namespace) -> Embedder:
    """Load the embedding model; raise InvalidInput if none is wanted."""
    name = settings(arguments).embedder
    if name == NONE:
        raise InvalidInput("this needs an embedding model: name one with --embedder")
    return open_embedder(name)
