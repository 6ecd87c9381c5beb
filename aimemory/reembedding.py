"""Give every memory a vector of another model, while the database is in use.

Both models stay queryable throughout. The old one answers until every memory
has a vector of the new one; then one row of the registry changes and the new
one answers. Run again, it embeds what was written without a vector meanwhile,
because the service was down or still used the old model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import namedtuple_row

from aimemory import statements
from aimemory.embedding import Calibration, Embedder, Vector, embed_document_chunks, measure_scripts
from aimemory.encoding import ModelFacts, facts_of
from aimemory.errors import EmbeddingFailed, translated_errors
from aimemory.repository import MemoryRepository
from aimemory.repository.additions import vector_array
from aimemory.writing.judging import measure_memories

logger = logging.getLogger(__name__)

START = ("", UUID(int=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedReport:
    """What a run did."""

    model: str
    embedded: int
    """Memories that got a vector."""
    activated: bool
    """True when this run switched recall to the model."""
    dropped: int
    """Vectors of other models that were removed."""


def reembed(
    url: str,
    embedder: Embedder,
    *,
    batch_size: int = 64,
    drop_old: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ReembedReport:
    """Embed every memory with a model, and let recall use it from then on.

    Safe to stop and to start again: every batch is a transaction of its own. With
    ``drop_old`` the vectors of all other models are removed afterwards. ``progress``
    is called with the number of memories done and to do. Raises EmbeddingFailed when
    some memories cannot be embedded; all others are done then, and nothing is switched.
    """
    with psycopg.connect(url, autocommit=True) as connection, translated_errors():
        was_active = _register(connection, embedder)
        done = 0
        todo = _missing_count(connection, embedder.model) if progress else 0
        failed: dict[UUID, str] = {}
        for count in _batches(connection, embedder, batch_size, failed):
            done += count
            if progress:
                progress(done, max(done, todo))
        if failed:
            memory_id, why = next(iter(failed.items()))
            raise EmbeddingFailed(
                f"{len(failed)} memories could not be embedded, so the model was not switched; "
                f"the first is {memory_id}: {why}"
            )
        if not was_active:
            connection.execute(statements.ACTIVATE_MODEL, {"new_model": embedder.model})
        dropped = _drop_others(connection, embedder.model) if drop_old else 0
    return ReembedReport(
        model=embedder.model, embedded=done, activated=not was_active, dropped=dropped
    )


def calibrate(url: str, embedder: Embedder) -> dict[str, dict[str, Calibration]]:
    """Measure the scales of a model's cosines, and store them in the registry.

    There is one for comparing a question with memories and one for comparing memories,
    each by script. The measure uses sentences that ship with the library, so it needs no
    data of yours. A script that the model cannot read is left out. A model that is not
    registered yet is registered first.
    """
    scales = {"questions": measure_scripts(embedder), "memories": measure_memories(embedder)}
    with psycopg.connect(url, autocommit=True) as connection, translated_errors():
        _register(connection, embedder)
        for pairs, by_script in scales.items():
            for script, calibration in by_script.items():
                connection.execute(
                    statements.CALIBRATE_MODEL,
                    {
                        "for_model": embedder.model,
                        "for_script": script,
                        "pairs_of": pairs,
                        "low_cosine": calibration.floor,
                        "high_cosine": calibration.ceiling,
                    },
                )
    return scales


def _register(connection: psycopg.Connection, embedder: Embedder) -> bool:
    facts: ModelFacts = facts_of(embedder)
    return MemoryRepository(connection).register_model(
        facts.model,
        facts.dimensions,
        query_prefix=facts.query_prefix,
        document_prefix=facts.document_prefix,
        scales=facts.scales,
    )


def _missing_count(connection: psycopg.Connection, model: str) -> int:
    row = connection.execute(
        b"select count(*) from (" + statements.MISSING_VECTORS + b") m",
        {
            "for_model": model,
            "max_rows": 2**31 - 1,
            "after_user": START[0],
            "after_id": START[1],
        },
    ).fetchone()
    return int(row[0]) if row else 0


def _batches(
    connection: psycopg.Connection, embedder: Embedder, size: int, failed: dict[UUID, str]
) -> Iterator[int]:
    """Embed batch after batch, in passes until one finds nothing, and yield what each added."""
    added_in_pass = 1
    while added_in_pass:
        added_in_pass = 0
        after = START
        while rows := _missing(connection, embedder.model, size, after):
            after = (rows[-1].user_id, rows[-1].memory_id)
            vectors = _embed(embedder, rows, failed)
            with connection.transaction():
                added = sum(
                    _fill(connection, embedder.model, row, made)
                    for row, made in zip(rows, vectors, strict=True)
                    if made is not None
                )
            added_in_pass += added
            yield added


def _missing(
    connection: psycopg.Connection, model: str, size: int, after: tuple[str, UUID]
) -> list[Any]:
    cursor = connection.cursor(row_factory=namedtuple_row)
    values = {
        "for_model": model,
        "max_rows": size,
        "after_user": after[0],
        "after_id": after[1],
    }
    return list(cursor.execute(statements.MISSING_VECTORS, values).fetchall())


def _embed(
    embedder: Embedder, rows: Sequence[Any], failed: dict[UUID, str]
) -> list[Sequence[Vector] | None]:
    try:
        return [*embed_document_chunks(embedder, [row.content for row in rows])]
    except EmbeddingFailed as error:
        if len(rows) == 1:
            failed[rows[0].memory_id] = str(error)
            logger.warning("memory %s cannot be embedded: %s", rows[0].memory_id, error)
            return [None]
        # One bad text must not keep its neighbours from being embedded.
        return [made for row in rows for made in _embed(embedder, [row], failed)]


def _fill(connection: psycopg.Connection, model: str, row: Any, vectors: Sequence[Vector]) -> bool:
    filled = connection.execute(
        statements.FILL_VECTORS,
        {
            "for_user": row.user_id,
            "target": row.memory_id,
            "embedded_text": row.content,
            "vectors": vector_array(vectors),
            "vector_model": model,
        },
    ).fetchone()
    return bool(filled and filled[0])


def _drop_others(connection: psycopg.Connection, model: str) -> int:
    others = connection.execute(
        "select model_id from aimemory.embedding_models where model_id <> %s order by model_id",
        (model,),
    ).fetchall()
    dropped = 0
    for (other,) in others:
        while True:
            row = connection.execute(
                statements.DROP_VECTORS, {"of_model": other, "max_rows": 5000}
            ).fetchone()
            if not row or not row[0]:
                break
            dropped += row[0]
    return dropped
