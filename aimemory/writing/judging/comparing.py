"""Compare two values of one attribute."""

from __future__ import annotations

from collections.abc import Collection

from aimemory.writing.judging.attributes import Comparison, Value, alike_jobs
from aimemory.writing.judging.lexicon import is_han, lexicon
from aimemory.writing.judging.measures import Measure


def compare_values(kind: str, old: Value, new: Value) -> Comparison:
    """Return how the new value relates to the old one; narrower says more than the old."""
    if old.measure and new.measure:
        return compare_measures(old.measure, new.measure)
    if kind == "place" and old.places and new.places:
        compared = compare_places(old.places, new.places)
    else:
        compared = compare_words(old.words, new.words)
    if compared == "different" and (_both_true(old, new) or kind == "place" != _known(old, new)):
        return "unclear"
    return compared


def _both_true(old: Value, new: Value) -> bool:
    """Return True where a difference proves nothing."""
    ranks = old.rank != new.rank and "" not in (old.rank, new.rank)
    return old.loose or new.loose or ranks or (bool(old.rank) and alike_jobs(old, new))


def _known(old: Value, new: Value) -> str:
    """Return "place" where both are known places, or neither: 浦东 and Kreuzberg may be inside."""
    return "place" if bool(old.places) == bool(new.places) else ""


def compare_measures(old: Measure, new: Measure) -> Comparison:
    """Return how two measures relate; a date without its year is broader."""
    if old.kind != new.kind:
        return "unclear"
    if not isinstance(old.value, tuple) or not isinstance(new.value, tuple):
        return "same" if old.value == new.value else "different"
    shared = [pair for pair in zip(old.value, new.value, strict=True) if None not in pair]
    if not shared:
        return "unclear"
    if any(one != two for one, two in shared):
        return "different"
    known, told = (sum(part is not None for part in value) for value in (old.value, new.value))
    return "same" if known == told else "narrower" if told > known else "broader"


def compare_places(old: Collection[str], new: Collection[str]) -> Comparison:
    """Return how places relate: 广东深圳 is 深圳 and narrower than 广东."""
    before, after = _innermost(old), _innermost(new)
    if before == after:
        return "same"
    if all(any(place in around(inner) for inner in after) for place in before):
        return "narrower"
    if all(any(place in around(inner) for inner in before) for place in after):
        return "broader"
    return "different"


def _innermost(places: Collection[str]) -> frozenset[str]:
    outer = {above for place in places for above in around(place)}
    return frozenset(places) - outer


def around(place: str) -> list[str]:
    """Return what a place lies in, from the inside out: 广东, 中国 for 深圳."""
    found: list[str] = []
    lies_in = lexicon().lies_in
    while place in lies_in:
        place = lies_in[place]
        found.append(place)
    return found


def compare_words(old: Collection[str], new: Collection[str]) -> Comparison:
    """Return how two wordings relate; what one contains of the other is broader."""
    before, after = set(old), set(new)
    if before == after:
        return "same"
    if before and before <= after:
        return "narrower"
    if after and after <= before:
        return "broader"
    one, two = "".join(old), "".join(new)
    if is_han(one) and is_han(two) and min(len(one), len(two)) > 1:
        if one in two:
            return "narrower"
        if two in one:
            return "broader"
    return "different"
