"""Compare two memories of one slot where no rule for a single clause has read the value."""

from __future__ import annotations

import os

from aimemory.writing.judging.attributes import value_of
from aimemory.writing.judging.comparing import compare_values
from aimemory.writing.judging.lexicon import Attribute, lexicon
from aimemory.writing.judging.pairing import Pair
from aimemory.writing.judging.statements import Clause
from aimemory.writing.judging.tokens import tokens


def slot_conflict(pair: Pair) -> str | None:
    """Return why the proposal takes the slot from the stored memory, or None.

    The slot says that both are about one thing; whether that has one value at a time is
    known of the attributes in attributes.toml. Of any other the sentences have to say
    themselves that something changed, or differ in one word alone.
    """
    if not pair.same_slot or pair.profile or len(pair.old.clauses) > 1:
        return None
    old = pair.old.clauses[0]
    new = next((clause for clause in pair.new.clauses if clause.said), pair.new.clauses[0])
    if old.negative or new.negative or (old.tense, new.tense) != ("present", "present"):
        return None
    attribute = lexicon().attributes.get(pair.slot_attribute)
    if attribute is None:
        return "replaced in the same slot" if _exchanged(pair, old, new) else None
    if not attribute.one:
        return None
    differs = _other_text if attribute.kind == "text" else _other_value
    return "another value in the same slot" if differs(pair, attribute, old, new) else None


def _exchanged(pair: Pair, old: Clause, new: Clause) -> bool:
    """Return True for a change that is spelt out, or one word in place of another."""
    if not _differ(old, new) or bool(old.stance) != bool(new.stance):
        return False
    if {"switch", "stop"} & pair.new.changes:
        return True
    lone = len(old.content - new.content) == len(new.content - old.content) == 1
    return lone and bool(old.content & new.content) and not old.stance


def _other_text(pair: Pair, attribute: Attribute, old: Clause, new: Clause) -> bool:
    name = pair.slot_attribute
    read = (name in old.attributes) + (name in new.attributes)
    if read == 2 or not _differ(old, new):
        return False
    return read == 0 or bool({"switch", "stop"} & pair.new.changes)


def _other_value(pair: Pair, attribute: Attribute, old: Clause, new: Clause) -> bool:
    values = []
    for clause, statement in ((old, pair.old), (new, pair.new)):
        value = clause.attributes.get(pair.slot_attribute)
        value = value or value_of(attribute, tokens(statement.text))
        if value is None or (attribute.kind == "place" and not value.places):
            return False
        values.append(value)
    return compare_values(attribute.kind, values[0], values[1]) == "different"


def _differ(old: Clause, new: Clause) -> bool:
    """Return True where each says something that the other has nothing of."""
    one, two = old.essence - new.content, new.essence - old.content
    return bool(one and two) and not any(_share(first, second) for first in one for second in two)


def _share(one: str, two: str) -> bool:
    start = os.path.commonprefix([one, two])
    end = os.path.commonprefix([one[::-1], two[::-1]])
    return max(len(start), len(end)) > 1
