"""Split a long text, so that its end can be found too.

A model ignores what lies beyond its limit, or averages it away. Here every part of
a long text lies in some chunk, each chunk gets a vector, and the best one counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from aimemory.embedding.checks import checked, readable
from aimemory.embedding.protocol import Embedder, Vector

CHUNK_TOKENS = 256
"""Longest chunk, also for a model that reads more or does not say how much it reads.

A vector of much text is an average and near to nothing. Finding one turn in a long
conversation with multilingual-e5-small, the cosine of question and chunk fell by an
eighth of the model's scale from 256 tokens to 512, and was no better below 256.
"""
OVERLAP = 8
"""One part in this many of a chunk is repeated by the next, for what spans the cut."""
SENTENCE_END = re.compile(r"(?:[。！？!?；;…]|\.(?=[\s\"'”’)]))[\"'”’)）」』]*\s*|\n\s*")
WORD_END = re.compile(r"\s+|[，、：,:]")
KINDS = (SENTENCE_END, WORD_END)


def embed_document_chunks(embedder: Embedder, texts: Sequence[str]) -> list[list[Vector]]:
    """Return the vectors of each text: one, or one per chunk if it is long.

    All chunks of all texts go to the model in one call. The vectors are checked here
    again, because an embedder need not be one of ours.
    """
    parts = [chunks(embedder, text) for text in readable(texts)]
    flat = [chunk for part in parts for chunk in part]
    vectors = checked(
        embedder.embed_documents(flat) if flat else [],
        model=embedder.model,
        dimensions=embedder.dimensions,
        count=len(flat),
    )
    ends = accumulate((len(part) for part in parts), initial=0)
    return [vectors[start:end] for start, end in pairwise(ends)]


def chunks(embedder: Embedder, text: str) -> list[str]:
    """Return the text in parts that one vector can stand for; a short text is one part."""
    limit = min(CHUNK_TOKENS, int(getattr(embedder, "max_tokens", CHUNK_TOKENS)))
    count = getattr(embedder, "token_count", estimated_tokens)
    # A token is hardly ever shorter than a byte; the rest is room for a prefix.
    if len(text.encode("utf-8", "replace")) <= limit - min(32, limit // 2):
        return [text]
    return split(text, limit, count)


def estimated_tokens(text: str) -> int:
    """Return more tokens than most tokenizers make of the text, for want of the real one."""
    ascii_characters = sum(char.isascii() for char in text)
    return 16 + ascii_characters // 3 + (len(text) - ascii_characters) * 3 // 2


def split(text: str, limit: int, count: Callable[[str], int]) -> list[str]:
    """Return overlapping parts of at most ``limit`` tokens, none of them blank.

    Together they cover the text. Parts end with a sentence if one ends in their
    second half, else with a word, else wherever the limit falls.
    """
    total = count(text)
    if total <= limit:
        return [text]
    cuts = _Cuts.of(text)
    usual = max(1, len(text) * limit // total)
    parts = []
    start = 0
    while start < len(text):
        size = min(usual, len(text) - start)
        end = cuts.end(start, start + size)
        # The text may be denser here than on average.
        while (tokens := count(text[start:end])) > limit and end - start > 1:
            size = min((end - start) * limit // tokens, end - start - 1)
            end = cuts.end(start, start + max(1, size))
        parts.append(text[start:end])
        if end == len(text):
            break
        start = cuts.overlap(start, end)
    return [part for part in parts if part.strip()]


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where a text may be cut: after these positions, best kind first."""

    sentences: list[int]
    words: list[int]

    @classmethod
    def of(cls, text: str) -> _Cuts:
        ends = [[match.end() for match in kind.finditer(text)] + [len(text)] for kind in KINDS]
        return cls(*ends)

    def end(self, start: int, latest: int) -> int:
        """Return the last good cut in the second half of this stretch, or its end."""
        middle = start + (latest - start) // 2
        for kind in (self.sentences, self.words):
            position = bisect_right(kind, latest)
            if position and kind[position - 1] > middle:
                return kind[position - 1]
        return latest

    def overlap(self, start: int, end: int) -> int:
        """Return where the part after this one begins: after ``start``, at most at ``end``."""
        earliest = end - (end - start) // OVERLAP
        for kind in (self.sentences, self.words):
            position = bisect_left(kind, earliest)
            if position < len(kind) and kind[position] < end:
                return kind[position]
        return earliest
