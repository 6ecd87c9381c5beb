"""Compare sentences that the rules cannot read, by their words and the model's similarity."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from aimemory.writing.judging.lexicon import is_han
from aimemory.writing.judging.statements import Statement
from aimemory.writing.judging.tokens import Token, tokens

SAID_AGAIN = 0.92
"""Similarity on the scale for memories from which two sentences may be one said twice."""
SHARED_WORDS = 0.7
"""Share of their words that such sentences have in common at least."""
LONG = 12
"""Words from which on a sentence is a text: one word in place of another is no other fact."""
SHARED_IN_LONG = 0.8
_STEM = 5


def said_again(old: Statement, new: Statement, similarity: float | None) -> bool:
    """Return True where the new sentence is the old one in other words.

    Both have to agree in every number, name and negation. In a short sentence no word may
    stand in the place of another: 喜欢猫 and 喜欢狗 are as similar as two tellings of one fact.
    """
    if similarity is None or similarity < SAID_AGAIN:
        return False
    before, after = (
        [word for word in tokens(statement.text) if not word.does("break", "function", "degree")]
        for statement in (old, new)
    )
    if _strict(before) != _strict(after) or _claims(old) != _claims(new):
        return False
    if min(len(before), len(after)) >= LONG:
        return _shared(before, after) >= SHARED_IN_LONG
    return _shared(before, after) >= SHARED_WORDS and not _exchange(before, after)


def _strict(words: list[Token]) -> set[str]:
    """Return what has to be the same: quantities, places, names and Latin words in Chinese."""
    return {
        word.text
        for position, word in enumerate(words)
        if word.measure
        or word.does("place", "alternative")
        or (position and word.unknown and word.surface[:1].isupper())
        or (not is_han(word.surface) and any(is_han(other.surface) for other in words))
    }


def _claims(statement: Statement) -> set[tuple[str, bool]]:
    """Return what the sentence speaks of, and whether it holds that to be so."""
    found = {(name, c.negative) for c in statement.clauses for name in c.attributes}
    stances = {(c.stance.replace("prefer", "like"), c.negative) for c in statement.clauses}
    return found | {(stance, negative) for stance, negative in stances if stance or negative}


def _shared(one: list[Token], two: list[Token]) -> float:
    """Return the share of characters (Chinese) or words in common, from 0 to 1."""
    counts = [Counter(unit for word in words for unit in _units(word)) for words in (one, two)]
    total = sum(counts[0].values()) + sum(counts[1].values())
    return 2 * sum((counts[0] & counts[1]).values()) / total if total else 0.0


def _units(word: Token) -> list[str]:
    return list(word.surface) if is_han(word.surface) else [word.text]


def _exchange(one: list[Token], two: list[Token]) -> bool:
    """Return True where a content word stands in the place of another one."""
    before, after = [word.text for word in one], [word.text for word in two]
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, come = one[i:j], two[k:m]
        weighty = kind == "replace" and _weighty(gone) and _weighty(come)
        if weighty and not _of_one_stem(gone, come):
            return True
    return False


def _of_one_stem(one: list[Token], two: list[Token]) -> bool:
    """Return True for retired and retirement."""
    starts = [{word.text[:_STEM] for word in words} for words in (one, two)]
    return all(len(start) == _STEM for start in starts[0]) and starts[0] == starts[1]


def _weighty(words: list[Token]) -> bool:
    idle = ("copula", "light", "pronoun", "owner")
    return any(not word.does(*idle) and "now" not in word.means("time") for word in words)
