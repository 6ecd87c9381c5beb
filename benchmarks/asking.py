"""The ways to ask one question of one user, each a ranked list of memories.

Routes that recall does not return as lists of their own are asked for with profiles
of a throw-away database: profiles are data, and operators may add some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import psycopg

from aimemory import MemoryRepository
from aimemory.embedding import Vector
from aimemory.statements import vector_text
from benchmarks.measures import reciprocal_rank_fusion, timed

COSINE = "cosine alone"
"""The nearest vectors by an exact scan: what times are compared with."""
DEPTH = 50
"""How many places of either list the fusion by rank sees."""
PROFILES = """
    insert into aimemory.scoring_profiles (profile, min_similarity, min_coverage)
    values ('no_thresholds', -1000, 0);
    insert into aimemory.scoring_profiles
        (profile, vector_weight, keyword_weight, recency_weight, forgetting_weight,
         importance_weight, min_coverage)
    values ('words_alone', 0, 1, 0, 0, 0, 0);
"""
EXACT_SCAN = """
    select v.memory_id
      from aimemory.memory_vectors v
     where v.user_id = %(user_id)s and v.model_id = %(model)s and not v.cold and v.indexable
     order by v.embedding <=> %(vector)s::halfvec
     limit 50
"""
NEAREST = """
    select v.memory_id
      from aimemory.memory_vectors v
      join aimemory.memories m on m.user_id = v.user_id and m.memory_id = v.memory_id
     where v.user_id = %(user_id)s and v.model_id = %(model)s
       and m.created_at <= %(as_of)s
     group by v.memory_id
     order by min(v.embedding <=> %(vector)s::halfvec), v.memory_id
     limit 50
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as the database is asked it."""

    user_id: str
    text: str
    vector: Vector
    model: str
    as_of: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back, best first, and how long the statement took."""

    found: list[UUID]
    milliseconds: float | None
    """None for lists that were merged here."""


class Asker:
    """Asks questions over one connection, in every way that is compared."""

    def __init__(self, connection: psycopg.Connection, *, results: int = 10) -> None:
        self._connection = connection
        self._repository = MemoryRepository(connection)
        self._results = results

    def answers(self, asked: Asked) -> Mapping[str, Answer]:
        """Return the answer of every way; one after the other, so that times compare."""
        ways: dict[str, Callable[[], list[UUID]]] = {
            COSINE: lambda: self._listed(EXACT_SCAN, asked),
            "fused": lambda: self._recall(asked),
            "meaning only": lambda: self._recall(asked, words=False),
            "words only": lambda: self._recall(asked, meaning=False),
            "entities off": lambda: self._recall(asked, entities=False),
            "no thresholds": lambda: self._recall(asked, profile="no_thresholds"),
            "seed003": lambda: self._recall(asked, profile="seed003"),
        }
        answers = {}
        for name, way in ways.items():
            found, milliseconds = timed(way)
            answers[name] = Answer(found=found, milliseconds=milliseconds)
        # The scan that is timed knows no as_of; the list that is scored does.
        nearest = self._listed(NEAREST, asked)
        answers[COSINE] = replace(answers[COSINE], found=nearest[: self._results])
        merged = reciprocal_rank_fusion(nearest, self._by_words(asked))
        answers["RRF"] = Answer(found=merged[: self._results], milliseconds=None)
        return answers

    def _recall(
        self,
        asked: Asked,
        *,
        words: bool = True,
        meaning: bool = True,
        entities: bool = True,
        profile: str = "balanced",
    ) -> list[UUID]:
        hits = self._repository.recall(
            asked.user_id,
            asked.text if words else None,
            vector=asked.vector if meaning else None,
            model=asked.model if meaning else None,
            max_results=self._results,
            entity_mode="soft" if entities else "off",
            profile=profile,
            as_of=asked.as_of,
        )
        return [hit.memory_id for hit in hits]

    def _by_words(self, asked: Asked) -> list[UUID]:
        hits = self._repository.recall(
            asked.user_id,
            asked.text,
            max_results=DEPTH,
            entity_mode="off",
            profile="words_alone",
            as_of=asked.as_of,
        )
        return [hit.memory_id for hit in hits]

    def _listed(self, statement: str, asked: Asked) -> list[UUID]:
        rows = self._connection.execute(
            statement.encode(),
            {
                "user_id": asked.user_id,
                "model": asked.model,
                "vector": vector_text(asked.vector),
                "as_of": asked.as_of,
            },
        )
        return [row[0] for row in rows]
