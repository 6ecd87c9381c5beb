"""Throw-away databases, and embeddings that are computed once."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import psycopg
from psycopg import sql

from aimemory import Embedder, migrate
from aimemory.embedded import EmbeddedServer
from aimemory.embedding import Vector


@contextmanager
def throwaway_server() -> Iterator[EmbeddedServer]:
    """Run an embedded server on a fresh data directory, which is deleted afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="aimemory-benchmark-"))
    try:
        with EmbeddedServer.join(folder) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(server: EmbeddedServer, name: str) -> str:
    """Create a database with our schema and return its URL."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    url = server.url_for("postgres", name)
    migrate(url)
    return url


class CachedEmbedder:
    """An embedder that keeps its vectors in a file of the user's cache folder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        folder = platformdirs.user_cache_path("aimemory") / "benchmarks"
        folder.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(folder / "vectors.sqlite", timeout=60)
        self._file.execute("pragma synchronous = off")
        self._file.execute("create table if not exists vectors (key blob primary key, vector blob)")

    def __getattr__(self, name: str) -> Any:
        # Members that not every embedder has: max_tokens, token_count, unreadable_share.
        return getattr(self._embedder, name)

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text; the model is asked for those it was never asked for."""
        unique = list(dict.fromkeys(texts))
        found = {text: self._find("document", text) for text in unique}
        vectors = {text: vector for text, vector in found.items() if vector is not None}
        missing = [text for text in unique if text not in vectors]
        for start in range(0, len(missing), 200):
            batch = missing[start : start + 200]
            for text, vector in zip(batch, self._embedder.embed_documents(batch), strict=True):
                self._keep("document", text, vector)
                vectors[text] = vector
        return [vectors[text] for text in texts]

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a text to search with."""
        vector = self._find("query", text)
        if vector is None:
            vector = self._embedder.embed_query(text)
            self._keep("query", text, vector)
        return vector

    def _key(self, kind: str, text: str) -> bytes:
        return hashlib.sha256("\0".join((self.model, kind, text)).encode()).digest()

    def _find(self, kind: str, text: str) -> Vector | None:
        row = self._file.execute(
            "select vector from vectors where key = ?", (self._key(kind, text),)
        ).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)

    def _keep(self, kind: str, text: str, vector: Vector) -> None:
        self._file.execute(
            "insert or replace into vectors values (?, ?)",
            (self._key(kind, text), np.asarray(vector, dtype=np.float32).tobytes()),
        )
        self._file.commit()
