"""Tell whether a new clause says that an old one is no longer so.

Everything here errs on the side of "no": a memory that is superseded by mistake is
lost to its user, one that is left standing beside a newer one is only dated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aimemory.writing.judging.attributes import Comparison
from aimemory.writing.judging.comparing import compare_measures, compare_values
from aimemory.writing.judging.lexicon import is_han, lexicon
from aimemory.writing.judging.statements import Clause, Statement

_COUNTABLE = ("age", "weight", "length", "money", "duration", "percent", "clock", "number", "count")
_DONE = frozenset({"=buy"})
"""What is done once leaves no state that a second time would change."""
_FEW = 4
"""Words of a clause that says no more than what somebody prefers."""
_ADMITTED = frozenset({"switch", "stop"})
"""Marks that by themselves say that something else was so before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What two clauses are compared under."""

    new: Statement
    """All that was said with the new clause."""
    hints: frozenset[str] = frozenset()
    """Names of what the new memory is about, beside its words."""
    same_slot: bool = False
    """The extractor gave both the same slot."""


def conflict(old: Clause, new: Clause, setting: Setting) -> str | None:
    """Return why the new clause ends the old one, or None; both have the same subject."""
    if old.tense != "present" or new.tense == "future":
        return None
    if new.tense == "past":
        again = new.essence == old.essence and new.negative == old.negative
        return "no longer so" if again and new.content else None
    for rule in _RULES:
        reason = rule(old, new, setting)
        if reason:
            return reason
    return None


def _opposite(old: Clause, new: Clause, setting: Setting) -> str | None:
    """不喜欢 after 喜欢, of the very same thing at the same times."""
    if old.negative == new.negative or not _same_thing(old, new):
        return None
    if bool(old.stance) != bool(new.stance) and not setting.new.changes:
        return None
    if old.when and new.when and old.when != new.when:
        return None
    # "I love it in the morning" leaves room for not liking it otherwise.
    if (old.when or new.when) and not (new.when <= old.when):
        return None
    return "the opposite"


def _same_thing(old: Clause, new: Clause) -> bool:
    if old.stance or new.stance:
        same = old.essence == new.essence
    else:
        same = old.content == new.content or (is_han(new.line) and old.line == new.line)
    return same and bool(new.content) and set(old.measures) == set(new.measures)


def _turned(old: Clause, new: Clause, setting: Setting) -> str | None:
    """开始学喝手冲咖啡 after 不喜欢喝咖啡."""
    begun = setting.new.changes & {"start", "again", "switch"}
    if not (begun and old.negative and old.stance and not new.negative):
        return None
    named = old.essence <= (new.content | setting.hints) or (setting.same_slot and not new.stance)
    return "taken up after all" if named else None


def _another_value(old: Clause, new: Clause, setting: Setting) -> str | None:
    """Another birthday, another city."""
    if old.negative or new.negative:
        return None
    for name in sorted(old.attributes.keys() & new.attributes.keys()):
        attribute = lexicon().attributes[name]
        told = name in lexicon().needs
        if not attribute.one or ((old.stance or new.stance) and not told):
            continue
        if name == "name" and not (old.subject.plain or setting.new.changes):
            continue
        if compare_attribute(name, old, new) == "different" and _same_aspect(name, old, new):
            return f"another value: {name.replace('_', ' ')}"
    return None


def compare_attribute(name: str, old: Clause, new: Clause) -> Comparison:
    """Return how the values of an attribute that both clauses have relate."""
    kind = lexicon().attributes[name].kind
    return compare_values(kind, old.attributes[name], new.attributes[name])


def _same_aspect(name: str, old: Clause, new: Clause) -> bool:
    """Return True where nothing else in the clauses tells the two values apart."""
    before, after = (
        clause.content - clause.attributes[name].told_by - _dates(clause) for clause in (old, new)
    )
    if lexicon().attributes[name].exact:
        return before == after
    before, after = before - old.light, after - new.light
    timed = lexicon().attributes[name].kind != "date" and not new.changes & _ADMITTED
    if timed and _dates(old) and _dates(new):
        return False
    return before <= after or after <= before


def _dates(clause: Clause) -> set[str]:
    return {measure.text for measure in clause.measures if measure.kind == "date"}


def _given_up(old: Clause, new: Clause, setting: Setting) -> str | None:
    """Read that X is no more, or that Y came for it, after a clause that says only X."""
    if old.negative or not 0 < len(old.content) <= _FEW + 1:
        return None
    admitted = new.negative and bool(setting.new.changes) and (not new.stance or bool(old.stance))
    for gone in (new.left, new.essence if admitted else frozenset()):
        rest = old.essence - gone - setting.new.content
        again = gone & (old.left | old.against)
        if gone and gone <= old.content and not (rest or again or old.measures):
            return "given up"
    return "given up" if "stop" in new.changes and _object_of(old) & new.content else None


def _object_of(clause: Clause) -> frozenset[str]:
    """Return 烟 of 抽烟: a verb and its object that were not cut apart."""
    words = [word for word in clause.essence if is_han(word) and len(word) == 2]
    lone = len(clause.essence) == 1 and not clause.stance
    return frozenset(word[1] for word in words) if lone else frozenset()


def partly(old: Clause, new: Clause) -> bool:
    """Return True where the new clause denies one of several things that the old one lists."""
    liked = old.stance and new.stance and old.listed and old.negative != new.negative
    return bool(liked) and bool(new.essence) and new.essence < old.essence and not new.when


def _replaced(old: Clause, new: Clause, setting: Setting) -> str | None:
    """Switched to one tool after using another of its kind."""
    if old.negative or new.negative or not (setting.new.changes & _ADMITTED):
        return None
    for group, word in old.alternatives:
        others = {name for kind, name in new.alternatives if kind == group}
        rest = old.essence - {word} - new.content
        if others and word not in others - new.left and not rest:
            return f"another {group}"
    return "another one" if _another_holder(old, new) else None


def _another_holder(old: Clause, new: Clause) -> bool:
    """老板换成了李总, after 老板是王总."""
    exchanged = "switch" in new.changes and old.content and new.content
    named = old.subject.relations and not (old.attributes or new.attributes)
    return bool(exchanged and named) and max(len(old.content), len(new.content)) == 1


def _another_favourite(old: Clause, new: Clause, setting: Setting) -> str | None:
    """There is one favourite of a kind, and one preference where it is said to have changed."""
    if old.negative or new.negative or not (old.stance and new.stance):
        return None
    if old.against and new.against and old.against <= new.content and new.against <= old.content:
        return "the other way round"
    kinds = {group for group, _ in old.alternatives} & {group for group, _ in new.alternatives}
    apart = old.essence - new.essence, new.essence - old.essence
    shared = bool(old.content & new.content or kinds)
    if not shared or not all(0 < len(words) <= _FEW for words in apart):
        return None
    stances = {old.stance, new.stance}
    said = old.links and new.links
    changed = bool(new.changes) or new.now
    if (stances == {"favourite"} and said) or (stances == {"prefer"} and changed):
        return "another preference"
    return None


def _another_number(old: Clause, new: Clause, setting: Setting) -> str | None:
    """Read the same sentence with another quantity."""
    if old.negative != new.negative or len(old.measures) != 1 or len(new.measures) != 1:
        return None
    before, after = old.measures[0], new.measures[0]
    if before.kind.partition(" ")[0] not in _COUNTABLE or old.when != new.when:
        return None
    if compare_measures(before, after) != "different":
        return None
    rest, other = old.content - {before.text}, new.content - {after.text}
    return "a newer number" if rest == other and rest and not rest & _DONE else None


_RULES: tuple[Callable[[Clause, Clause, Setting], str | None], ...] = (
    _opposite,
    _turned,
    _another_value,
    _given_up,
    _replaced,
    _another_favourite,
    _another_number,
)
