"""Measure what a cosine means for one model.

Cosines of two models cannot be compared: multilingual-e5-small gives unrelated
sentences 0.80, all-MiniLM-L6-v2 gives them 0.05. Thresholds are therefore on the
scale (cosine - floor) / (ceiling - floor), where 0 is an unrelated memory and 1 the
memory that answers the question, both as the median of many.

Within one model the scripts differ as well: multilingual-e5-small puts the floor of
Chinese where the ceiling of English is. So each is measured for itself, and the script
of the question chooses the scale.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np

from aimemory.embedding.checks import checked
from aimemory.embedding.language import unreadable_share
from aimemory.embedding.protocol import Embedder, Vector
from aimemory.errors import EmbeddingFailed, InvalidInput

Pair = tuple[str, str]
"""A question and a memory."""
SMALLEST_SPAN = 0.02
"""Of ceiling and floor; below it the scale would magnify noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The two points that fix a model's scale."""

    floor: float
    """Median cosine of a question and an unrelated memory."""
    ceiling: float
    """Median cosine of a question and the memory that matches it best."""
    matches: int
    """Questions that the ceiling is the median of."""
    unrelated: int
    """Pairs that the floor is the median of."""

    def similarity(self, cosine: float) -> float:
        """Return a cosine on the common scale; above 1 is possible and keeps its rank."""
        return (cosine - self.floor) / (self.ceiling - self.floor)


def measure(
    embedder: Embedder,
    pairs: Sequence[Pair] | None = None,
    unrelated: Sequence[Pair] | None = None,
    *,
    script: str | None = None,
) -> Calibration:
    """Measure floor and ceiling of a model, with the shipped pairs or the caller's.

    A question may occur in several pairs; its best memory counts. Where ``unrelated``
    is not given, every question is paired with every memory of another pair in its
    script. Of the shipped pairs only those are used that the model can read, and
    only those of ``script``, "cjk" or "other", where it is given.
    """
    if pairs is None:
        groups = [
            _read_by(embedder, group)
            for name, group in _shipped().items()
            if script in (None, name)
        ]
        pairs = [pair for group in groups for pair in group]
    else:
        groups = [list(pairs)]
    if unrelated is None:
        unrelated = [cross for group in groups for cross in _crossed(group)]
    if not pairs or not unrelated:
        raise InvalidInput("calibration needs two pairs at least, in a script the model reads")
    cosine = _cosines(embedder, [*pairs, *unrelated])
    best: dict[str, float] = {}
    for question, memory in pairs:
        best[question] = max(best.get(question, -1.0), cosine[question, memory])
    floor = float(np.median([cosine[pair] for pair in unrelated]))
    ceiling = float(np.median(list(best.values())))
    if ceiling - floor < SMALLEST_SPAN:
        raise EmbeddingFailed(
            f"{embedder.model} does not tell matching pairs (cosine {ceiling:.3f}) from "
            f"unrelated ones ({floor:.3f}): it cannot read this language, or the pairs do not match"
        )
    return Calibration(floor=floor, ceiling=ceiling, matches=len(best), unrelated=len(unrelated))


def measure_scripts(embedder: Embedder) -> dict[str, Calibration]:
    """Measure a model with the shipped pairs of every script that it can read."""
    return {
        script: measure(embedder, script=script)
        for script, group in _shipped().items()
        if len(_read_by(embedder, group)) > 1
    }


def shipped_pairs() -> list[Pair]:
    """Return the pairs that come with the library, Chinese and English."""
    return [pair for group in _shipped().values() for pair in group]


def _shipped() -> dict[str, list[Pair]]:
    table = tomllib.loads(Path(__file__).with_name("calibration_pairs.toml").read_text("utf-8"))
    return {
        script: [(question, memory) for question, memory in pairs]
        for script, pairs in table.items()
    }


def _read_by(embedder: Embedder, group: list[Pair]) -> list[Pair]:
    return [pair for pair in group if unreadable_share(embedder, " ".join(pair)) < 0.1]


def _crossed(group: Sequence[Pair]) -> list[Pair]:
    related = set(group)
    return [
        (question, memory)
        for (question, _), (_, memory) in permutations(group, 2)
        if (question, memory) not in related
    ]


def _cosines(embedder: Embedder, pairs: Sequence[Pair]) -> dict[Pair, float]:
    questions = list(dict.fromkeys(question for question, _ in pairs))
    memories = list(dict.fromkeys(memory for _, memory in pairs))
    asked: dict[str, Vector] = {text: embedder.embed_query(text) for text in questions}
    vectors = checked(
        embedder.embed_documents(memories),
        model=embedder.model,
        dimensions=embedder.dimensions,
        count=len(memories),
    )
    held = dict(zip(memories, vectors, strict=True))
    return {(question, memory): float(asked[question] @ held[memory]) for question, memory in pairs}
