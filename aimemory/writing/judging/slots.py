"""Compare two memories of one slot where no rule for a single clause has read the value."""

from __future__ import annotations

from aimemory.writing.judging.attributes import value_of
from aimemory.writing.judging.comparing import compare_values
from aimemory.writing.judging.lexicon import Attribute, lexicon
from aimemory.writing.judging.pairing import Pair
from aimemory.writing.judging.statements import Clause
from aimemory.writing.judging.tokens import tokens


def slot_conflict(pair: Pair) -> str | None:
    """Return why the proposal takes the slot from the stored memory, or None.

    The slot says that both are about one thing; whether that has one value at a time is
    known of the attributes in attributes.toml. The sentences still have to say that it
    changed, or to differ in one word alone: both "uses MySQL" and "backs up its database
    every night" may be put into project.database.
    """
    if not pair.same_slot or pair.profile or len(pair.old.clauses) > 1:
        return None
    old = pair.old.clauses[0]
    new = next((clause for clause in pair.new.clauses if clause.said), pair.new.clauses[0])
    if old.negative or new.negative or (old.tense, new.tense) != ("present", "present"):
        return None
    attribute = lexicon().attributes.get(pair.slot_attribute)
    if attribute is not None and not attribute.one:
        return None
    if attribute is not None and attribute.kind != "text":
        differs = _other_value(pair, attribute, old, new)
    else:
        differs = _other_words(pair, old, new, single=attribute is not None)
    return "another value in the same slot" if differs else None


def _other_words(pair: Pair, old: Clause, new: Clause, *, single: bool) -> bool:
    """Return True for a change that is spelt out, or one word in place of another."""
    name = pair.slot_attribute
    if (name in old.attributes and name in new.attributes) or not _differ(old, new):
        return False
    if bool(old.stance) != bool(new.stance) and not single:
        return False
    if {"switch", "stop"} & pair.new.changes:
        return True
    if old.alternatives or new.alternatives:
        return single and _alternatives(old, new)
    lone = len(old.essence - new.content) == len(new.essence - old.content) == 1
    return lone and (single or (bool(old.content & new.content) and not old.stance))


def _alternatives(old: Clause, new: Clause) -> bool:
    groups = {group for group, _ in old.alternatives} & {group for group, _ in new.alternatives}
    return bool(groups) and not old.alternatives & new.alternatives


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
    """Return True for words that begin or end alike: 坐地铁 and 坐地铁二号线."""
    return one[:2] == two[:2] or one[-2:] == two[-2:]
