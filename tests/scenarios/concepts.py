"""An embedder that knows which words mean the same, because scenarios.yaml says so.

A text is the sum of the unit vectors of the concepts whose words occur in it, longest word
first and every stretch of text used once, plus a little of its hashed character pairs. So
失眠 and 褪黑素 are close without a character in common, and a word with two senses is a
neighbour of both.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from aimemory.embedding import Vector

PAIRS = 256
"""Buckets for character pairs."""
PAIR_WEIGHT = 0.15


class ConceptEmbedder:
    """Embeds with a lexicon from concept to words. Its cosines need no calibration."""

    model = "concepts"

    def __init__(self, lexicon: Mapping[str, Sequence[str]]) -> None:
        self.dimensions = len(lexicon) + PAIRS
        self._concepts: dict[str, list[int]] = {}
        for place, words in enumerate(lexicon.values()):
            for word in words:
                self._concepts.setdefault(word.casefold(), []).append(place)
        longest_first = sorted(self._concepts, key=len, reverse=True)
        self._words = [re.compile(re.escape(word)) for word in longest_first]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        vector[:-PAIRS] = _unit(self._meaning(text.casefold()))
        vector[-PAIRS:] = PAIR_WEIGHT * _unit(_pairs(text))
        if not vector.any():
            vector[-1] = 1
        return _unit(vector)

    def _meaning(self, text: str) -> Vector:
        found = np.zeros(self.dimensions - PAIRS, dtype=np.float32)
        for word in self._words:
            for match in list(word.finditer(text)):
                if "\0" in text[match.start() : match.end()]:
                    continue
                found[self._concepts[match[0]]] += 1
                text = text[: match.start()] + "\0" * len(match[0]) + text[match.end() :]
        return found


def _pairs(text: str) -> Vector:
    counts = np.zeros(PAIRS, dtype=np.float32)
    letters = re.sub(r"\s", "", text.lower())
    for one, two in pairwise(letters):
        counts[zlib.crc32((one + two).encode()) % PAIRS] += 1
    return counts


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
