"""BM25 in Python, written apart from the SQL, to compare ways of cutting a text into words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

K1 = 1.2
B = 0.75
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Ranked(Generic[Key]):
    """A memory that shares words with the question."""

    key: Key
    bm25: float
    coverage: float
    """Share of the weight of the question's words that it holds."""


class Bm25(Generic[Key]):
    """The memories of one user, as words."""

    def __init__(self, documents: Mapping[Key, Sequence[str]]) -> None:
        self._size = len(documents)
        self._length = {key: len(words) for key, words in documents.items()}
        self._usual = sum(self._length.values()) / max(1, self._size)
        self._postings: dict[str, dict[Key, int]] = {}
        for key, words in documents.items():
            for word, frequency in Counter(words).items():
                self._postings.setdefault(word, {})[key] = frequency

    def rank(
        self,
        question: Iterable[str],
        *,
        common: float | None = None,
        at_least: int = 0,
        rare_words: float = math.inf,
    ) -> list[Ranked[Key]]:
        """Return what shares words with the question, best first.

        ``common``: a word in a larger share of the memories is left out when rarer ones
        are there. ``at_least``: weigh words as if there were so many memories.
        ``rare_words``: the question's words together weigh at most as much as so many
        words that no memory has.
        """
        size = max(self._size, at_least)
        asked = set(question)
        held = [word for word in asked if word in self._postings]
        if common is not None:
            rarer = [w for w in held if len(self._postings[w]) <= common * self._size]
            held = rarer or held
        weight = {word: _idf(len(self._postings[word]), size) for word in held}
        unknown = [word for word in asked if word not in self._postings]
        most = rare_words * _idf(0, size)
        whole = min(sum(weight.values()) + len(unknown) * _idf(0, size), most) or 1.0
        scores: dict[Key, float] = {}
        covered: dict[Key, float] = {}
        for word in held:
            for key, frequency in self._postings[word].items():
                norm = K1 * (1 - B + B * self._length[key] / self._usual)
                gain = weight[word] * frequency * (K1 + 1) / (frequency + norm)
                scores[key] = scores.get(key, 0.0) + gain
                covered[key] = covered.get(key, 0.0) + weight[word] / whole
        best = sorted(scores, key=lambda key: -scores[key])
        return [Ranked(key, scores[key], covered[key]) for key in best]


def _idf(holders: int, size: int) -> float:
    return math.log(1 + (size - holders + 0.5) / (holders + 0.5))


def postings(documents: Collection[Sequence[str]]) -> float:
    """Return how many different words a memory has on average: rows of a postings table."""
    return sum(len(set(words)) for words in documents) / max(1, len(documents))
