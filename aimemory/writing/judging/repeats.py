"""Tell whether a clause says again what another one said."""

from __future__ import annotations

from typing import Literal, TypeAlias

from aimemory.writing.judging.comparing import around
from aimemory.writing.judging.conflicts import compare_attribute
from aimemory.writing.judging.statements import Clause

Repetition: TypeAlias = Literal["same", "more"]


def repeats(old: Clause, new: Clause) -> Repetition | None:
    """Return "same" where the new clause adds nothing to the old one, "more" where it is closer.

    广东深圳 is closer than 深圳. Both clauses have the same subject. None where the new
    clause says something else.
    """
    if not new.said:
        return "same"
    if old.negative != new.negative or old.tense != new.tense or old.left != new.left:
        return None
    begun = new.changes == {"start"} and not old.changes and new.essence == old.essence
    if not (new.changes <= old.changes or begun):
        return None
    if not set(new.measures) <= set(old.measures) and not _in_attributes(new):
        return None
    if old.stance or new.stance:
        return _same_liking(old, new)
    shared = _same_attributes(old, new)
    if shared:
        return shared
    if not new.content or not new.when <= old.when:
        return None
    # One word is no fact: "has a family" is not told by "plans a trip for the family".
    part = new.content <= old.content and len(new.content) > 1
    return "same" if part or new.content == old.content else None


def _same_liking(old: Clause, new: Clause) -> Repetition | None:
    """喜欢打高尔夫球 is 喜欢高尔夫球, but 喜欢猫 is not 喜欢猫头鹰."""
    if not old.stance or not new.stance or new.against != old.against or new.listed != old.listed:
        return None
    if (old.stance == "favourite") != (new.stance == "favourite"):
        return None
    return "same" if old.essence == new.essence and new.when <= old.when else None


def _same_attributes(old: Clause, new: Clause) -> Repetition | None:
    """All that the new clause says is the value of something that the old one has a value for."""
    names = new.attributes.keys() & old.attributes.keys()
    if not names:
        return None
    compared = {name: compare_attribute(name, old, new) for name in names}
    if not set(compared.values()) <= {"same", "narrower", "broader"}:
        return None
    told = frozenset().union(*(new.attributes[name].told_by for name in names))
    places = frozenset().union(*(new.attributes[name].places for name in names))
    told |= {f"@{outer}" for place in places for outer in around(place)}
    if new.content - new.light - told - old.content:
        return None
    return "more" if "narrower" in compared.values() else "same"


def _in_attributes(clause: Clause) -> bool:
    held = {value.measure for value in clause.attributes.values()}
    return set(clause.measures) <= held
