"""Cut a sentence into clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aimemory.writing.judging.lexicon import lexicon
from aimemory.writing.judging.tokens import Token

SILENT = (
    *("function", "degree", "copula", "negation", "change", "tense", "stance", "question"),
    *("pronoun", "owner", "article", "joint", "break", "origin", "time"),
)
"""Roles of words that are no part of what a clause says."""


def clause_tokens(words: Sequence[Token]) -> Iterator[tuple[frozenset[int], Sequence[Token]]]:
    """Yield the words of each clause, with the pieces between punctuation that it stands in."""
    for pieces, part in _joined(_parts(words)):
        yield pieces, _with_age_last(part)


def _parts(words: Sequence[Token]) -> Iterator[tuple[int, Sequence[Token]]]:
    """Yield the clauses, each with the number of the piece between punctuation that it is in."""
    start = piece = 0
    for place, word in enumerate(words):
        apart = "and" in word.means("joint") and _has_own_verb(words[place + 1 :])
        if word.does("break") or "but" in word.means("joint") or apart:
            if place > start:
                yield piece, words[start:place]
            start = place + 1
            piece += word.does("break")
    if start < len(words):
        yield piece, words[start:]


def _has_own_verb(words: Sequence[Token]) -> bool:
    """Return True for "… and phone is 555", not for "tea and coffee"."""
    for word in words:
        if word.does("break", "joint"):
            return False
        if word.does("after", "copula", "stance", "owner"):
            return True
    return False


def _joined(
    parts: Iterable[tuple[int, Sequence[Token]]],
) -> Iterator[tuple[frozenset[int], Sequence[Token]]]:
    """Join what only punctuation separates: 生日是年底，12月31号; 在深圳，就是广东的那个深圳."""
    pieces: frozenset[int] = frozenset()
    before: Sequence[Token] = ()
    for piece, part in parts:
        if before and (_only_places(before, part) or _awaits(before, part)):
            pieces, before = pieces | {piece}, [*before, *part]
            continue
        if before:
            yield pieces, before
        pieces, before = frozenset({piece}), part
    if before:
        yield pieces, before


def _only_places(before: Sequence[Token], part: Sequence[Token]) -> bool:
    said = [word for word in part if not word.does(*SILENT)]
    return (
        any(word.does("place") for word in before)
        and bool(said)
        and all(word.does("place") or word.surface in ("人", "那块") for word in said)
        and not any(word.does("negation", "change", "owner", "relation") for word in part)
    )


def _awaits(before: Sequence[Token], part: Sequence[Token]) -> bool:
    """Return True where an attribute is named and its measure comes in the next part."""
    kinds = {lexicon().attributes[name].kind for w in before for name in w.means("after")}
    told = {word.measure.kind.partition(" ")[0] for word in part if word.measure}
    held = {word.measure.kind.partition(" ")[0] for word in before if word.measure}
    return bool(kinds & told - held) and not any(word.does("after", "owner") for word in part)


def _with_age_last(part: Sequence[Token]) -> Sequence[Token]:
    """Put the age behind whose it is: a six-year-old son, 五岁的女儿."""
    for place, word in enumerate(part[:-1]):
        if word.measure and word.measure.kind == "age":
            behind = next((w for w in part[place + 1 :] if not w.does("function")), word)
            if behind.does("relation"):
                return [*part[:place], *part[place + 1 :], word]
    return part
