"""Made-up users, loaded straight into the tables and consistent in all of them.

Words follow Zipf's law over 20,000 of them, as in any language; vectors gather in
clusters, as those of real sentences do. What `load` writes is what add_memory would
have written, which `check` compares with the functions of the database.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import numpy.typing as npt
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from aimemory import MemoryRepository
from aimemory.embedding import Vector

MODEL = "synthetic"
DIMENSIONS = 384
WORDS_OF_A_MEMORY = 14
WORDS_OF_A_QUESTION = 12
BIG = ("user-10k", 10_000)
MIDDLE = ("user-1k", 1_000)
YEAR = (datetime(2025, 1, 1, tzinfo=UTC), 365)
AS_OF = datetime(2026, 2, 1, tzinfo=UTC)
Matrix = npt.NDArray[np.float32]


class Corpus:
    """A source of texts and vectors that is the same in every run."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self._words = [f"w{number:05d}" for number in range(20_000)]
        share = 1 / np.arange(1, len(self._words) + 1)
        self._cumulated = np.cumsum(share / share.sum())
        self._centres = np.random.default_rng(0).normal(size=(200, DIMENSIONS))

    def words(self, count: int) -> list[str]:
        """Return words, the common ones as often as they are common."""
        places = np.searchsorted(self._cumulated, self.random.random(count))
        return [self._words[min(place, len(self._words) - 1)] for place in places]

    def question(self) -> str:
        return " ".join(self.words(WORDS_OF_A_QUESTION))

    def vectors(self, count: int) -> Matrix:
        """Return vectors of length 1, one in a row, around 200 centres."""
        centres = self._centres[self.random.integers(len(self._centres), size=count)]
        rows = 0.6 * centres + self.random.normal(size=(count, DIMENSIONS))
        unit: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def vector(self) -> Vector:
        only: Vector = self.vectors(1)[0]
        return only


def users(rows: int, corpus: Corpus) -> list[tuple[str, int]]:
    """Return names and sizes: one of 10,000, one of 1,000, others of 200 to 1,100, in all rows."""
    sizes = [BIG, MIDDLE]
    left = rows - sum(size for _, size in sizes)
    if left < 0:
        raise SystemExit(f"at least {rows - left:,} rows are needed for the two users compared")
    while left > 0:
        size = min(left, int(corpus.random.integers(200, 1_100)))
        sizes.append((f"user-{len(sizes):06d}", size))
        left -= size
    return sizes


def load(connection: psycopg.Connection, rows: int) -> None:
    """Fill an empty database with ``rows`` memories; leave it vacuumed."""
    corpus = Corpus(seed=1)
    sizes = users(rows, corpus)
    register_vector(connection)
    MemoryRepository(connection).register_model(
        MODEL, DIMENSIONS, scales={"questions": {"other": (0.0, 0.5)}}
    )
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute(
            "insert into aimemory.users (user_id, created_at) select unnest(%s::text[]), %s",
            ([user_id for user_id, _ in sizes], YEAR[0]),
        )
        for user_id, size in sizes:
            load_user(cursor, user_id, size, corpus)
    connection.execute("vacuum analyze")
    check(connection)


def load_user(cursor: psycopg.Cursor, user_id: str, size: int, corpus: Corpus) -> None:
    ids = [UUID(bytes=corpus.random.bytes(16), version=4) for _ in range(size)]
    texts = [corpus.words(WORDS_OF_A_MEMORY) for _ in range(size)]
    start, days = YEAR
    times = [start + timedelta(days=float(day)) for day in corpus.random.random(size) * days]
    with cursor.copy(
        "copy aimemory.memories (user_id, memory_id, content, memory_type, importance, keywords,"
        " content_hash, created_at, updated_at, last_confirmed_at) from stdin"
    ) as copy:
        for memory_id, words, time in zip(ids, texts, times, strict=True):
            content = " ".join(words)
            digest = hashlib.sha256(content.encode()).hexdigest()
            copy.write_row(
                (user_id, memory_id, content, "fact", 0.6, keywords(words), digest, *[time] * 3)
            )
    with cursor.copy(
        "copy aimemory.memory_access (user_id, memory_id, last_access_at) from stdin"
    ) as copy:
        for memory_id, time in zip(ids, times, strict=True):
            copy.write_row((user_id, memory_id, time))
    with cursor.copy(
        "copy aimemory.memory_terms (user_id, cold, term, memory_id, frequency, words) from stdin"
    ) as copy:
        for memory_id, words in zip(ids, texts, strict=True):
            for word, frequency in Counter(words).items():
                copy.write_row((user_id, False, word, memory_id, frequency, len(words)))
    copy_vectors(cursor, user_id, ids, corpus.vectors(size))


def copy_vectors(
    cursor: psycopg.Cursor, user_id: str, ids: Sequence[UUID], vectors: Matrix
) -> None:
    with cursor.copy(
        "copy aimemory.memory_vectors (user_id, model_id, cold, memory_id, chunk, embedding)"
        " from stdin (format binary)"
    ) as copy:
        copy.set_types(["text", "text", "bool", "uuid", "int2", "halfvec"])
        for memory_id, vector in zip(ids, vectors, strict=True):
            copy.write_row((user_id, MODEL, False, memory_id, 0, HalfVector(vector)))


def keywords(words: Sequence[str]) -> str:
    """Write a tsvector: the places of every word, from 2 as in aimemory.keywords."""
    places: dict[str, list[str]] = {}
    for place, word in enumerate(words, start=2):
        places.setdefault(word, []).append(str(place))
    return " ".join(f"'{word}':{','.join(at)}" for word, at in places.items())


def check(connection: psycopg.Connection) -> None:
    """End the program if the rows are not those that add_memory would have written."""
    row = connection.execute(
        """
        select count(*) filter (where m.keywords <> aimemory.keywords(m.content)),
               count(*) filter (where m.content_hash <> aimemory.content_hash(m.content)),
               count(*) filter (where array(
                   select t.term || t.frequency || t.words from aimemory.memory_terms t
                    where t.user_id = m.user_id and not t.cold and t.memory_id = m.memory_id
                      and t.term = any (aimemory.tokens(m.content)) order by 1)
                   <> array(
                   select w.token || count(*) || cardinality(aimemory.tokens(m.content))
                     from unnest(aimemory.tokens(m.content)) as w(token)
                    group by w.token order by w.token || count(*)))
          from (select * from aimemory.memories order by memory_id limit 50) m
        """
    ).fetchone()
    if row != (0, 0, 0):
        raise SystemExit(
            f"the loader no longer writes what add_memory writes: of 50 memories {row} differ in "
            "keywords, content_hash and memory_terms"
        )
