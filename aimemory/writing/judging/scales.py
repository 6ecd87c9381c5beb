"""What a cosine between two memories means for one model.

The scale of recall compares a question with a memory; two memories are worded alike and
lie much closer together, so they need one of their own: 0 is another memory of the same
user and 1 the same fact told again, both as the median of many.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from aimemory.embedding import Calibration, Embedder, Vector, measure, unreadable_share

_READABLE = 0.1
"""Share of the characters of a pair that a model may fail to read."""


class _Symmetric:
    """An embedder that reads the first text of a pair as a document, too."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        return self._embedder.embed_documents([text])[0]


def measure_memories(embedder: Embedder) -> dict[str, Calibration]:
    """Measure floor and ceiling for comparing memories, for every script the model can read.

    Takes some 120 embeddings. The keys are "cjk" and "other", as in
    `aimemory.embedding.measure_scripts`.
    """
    found = {}
    for script, pairs in restatement_pairs().items():
        readable = [
            pair for pair in pairs if unreadable_share(embedder, " ".join(pair)) < _READABLE
        ]
        if len(readable) > 1:
            found[script] = measure(_Symmetric(embedder), readable)
    return found


def restatement_pairs() -> dict[str, list[tuple[str, str]]]:
    """Return the pairs that come with the library, by script."""
    file = Path(__file__).with_name("restatement_pairs.toml")
    table = tomllib.loads(file.read_text("utf-8"))
    return {script: [(one, two) for one, two in pairs] for script, pairs in table.items()}
