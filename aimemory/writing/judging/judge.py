"""Decide by rules, without a model, how a proposal relates to a stored memory.

A cosine cannot decide this: 喜欢 and 不喜欢 the same thing are nearer to each other than
two tellings of one fact. So both sentences are read, and what they say is compared:
whom they are about, what of him, whether it is so. Where the rules cannot read a
sentence they leave both memories standing.
"""

from __future__ import annotations

from aimemory.writing.judging.conflicts import partly
from aimemory.writing.judging.lexicon import lexicon
from aimemory.writing.judging.likeness import said_again
from aimemory.writing.judging.merging import LONGEST_MERGED, merge
from aimemory.writing.judging.pairing import Pair
from aimemory.writing.judging.slots import slot_conflict
from aimemory.writing.judging.statements import LONGEST_READ, Clause
from aimemory.writing.proposals import Known, Proposal, Verdict

_SHORT = 5
"""Words of a clause that a model is worth asking about."""


class RuleJudge:
    """Compares what two memories say. Needs no model and keeps no state."""

    def judge(self, proposal: Proposal, known: Known) -> Verdict:
        """Return how the two relate, with the reason in a few words."""
        pair = Pair(proposal, known)
        for rule in (_same_words, _apart, _changed, _repeated, _completed):
            verdict = rule(pair)
            if verdict:
                return verdict
        return _undecided(pair)


def _undecided(pair: Pair) -> Verdict:
    """Leave both standing; where they are about one thing, a model may know better."""
    if pair.same_slot:
        return Verdict(relation="unrelated", reason="unsure: one slot, but no clear change")
    if pair.subjects == "same" and any(
        _may_matter(old, new) for old in pair.old.clauses for new in pair.new.clauses
    ):
        return Verdict(relation="unrelated", reason="unsure: about one thing, but no clear change")
    return Verdict(relation="unrelated", reason="says something else")


def _may_matter(old: Clause, new: Clause) -> bool:
    """Return True where two clauses speak of one thing, and may or may not agree on it."""
    both = old.attributes.keys() & new.attributes.keys()
    if any(lexicon().attributes[name].one for name in both):
        return True
    turned = old.negative != new.negative or bool(new.changes)
    smaller, larger = sorted((len(old.essence), len(new.essence)))
    return turned and 2 * len(old.essence & new.essence) >= smaller > 0 and larger <= _SHORT


def _same_words(pair: Pair) -> Verdict | None:
    if pair.new.question or pair.old.question:
        return Verdict(relation="unrelated", reason="a question states nothing")
    if _bare(pair.new.text) == _bare(pair.old.text):
        return Verdict(relation="duplicate", reason="the same words")
    if max(len(pair.new.text), len(pair.old.text)) > LONGEST_READ:
        return Verdict(relation="unrelated", reason="too long to compare")
    if not pair.new.clauses or not pair.old.clauses:
        return Verdict(relation="unrelated", reason="no words")
    return None


def _bare(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _apart(pair: Pair) -> Verdict | None:
    """Sort out what cannot meet: events, and other subjects."""
    if pair.event:
        one, two = (
            [(clause.content, clause.negative, clause.when, clause.left) for clause in said.clauses]
            for said in (pair.old, pair.new)
        )
        if one == two and pair.subjects == "same":
            return Verdict(relation="duplicate", reason="the same event")
        return Verdict(relation="unrelated", reason="an event stands by itself")
    if pair.subjects == "different" and not pair.conflicts:
        return Verdict(relation="unrelated", reason="about someone or something else")
    return None


def _changed(pair: Pair) -> Verdict | None:
    """Find what the new memory ends: all that the old one says, or a part of it."""
    reasons = dict(pair.conflicts)
    in_slot = None if reasons else slot_conflict(pair)
    if in_slot:
        reasons[0] = in_slot
    if not reasons:
        part = any(partly(old, new) for old in pair.old.clauses for new in pair.new.clauses)
        same = part and pair.subjects == "same"
        return _into_one_row(pair, "the opposite of a part") if same else None
    left = [
        clause
        for place, clause in enumerate(pair.old.clauses)
        if place not in reasons and clause.said and not pair.covers(pair.new.clauses, clause)
    ]
    reason = next(iter(reasons.values()))
    if not left and not pair.profile:
        return Verdict(relation="contradicts", reason=reason)
    return _into_one_row(pair, reason, any_type=True)


def _into_one_row(pair: Pair, reason: str, *, any_type: bool = False) -> Verdict:
    """Return "refines", unless the row would become too long or mix what lasts with what passes.

    What no longer holds has to go, whatever the type of what takes its place.
    """
    if pair.proposal.memory_type != pair.known.memory_type and not any_type:
        return Verdict(relation="unrelated", reason="another type of memory")
    if len(merge(pair)) > LONGEST_MERGED:
        return Verdict(relation="unrelated", reason="the row is full")
    return Verdict(relation="refines", reason=reason)


def _repeated(pair: Pair) -> Verdict | None:
    """Find what was said already, more or less closely."""
    found = [pair.covers(pair.old.clauses, clause) for clause in pair.new.clauses]
    if None not in found and any(clause.said for clause in pair.new.clauses):
        named = _names_somebody(pair)
        if "more" in found or named:
            reason = "names whom it is about" if named else "the same, more closely"
            return Verdict(relation="refines", reason=reason)
        return Verdict(relation="duplicate", reason="says the same")
    first = pair.about_same(pair.old.clauses[0], pair.new.clauses[0])
    if first == "same" and said_again(pair.old, pair.new, pair.known.similarity):
        return Verdict(relation="duplicate", reason="the same in other words")
    return None


def _names_somebody(pair: Pair) -> bool:
    """Return True where the new memory tells the name of whom the old one is about."""
    names = pair.new.subject.names
    told = any(name in pair.known.content.casefold() for name in names)
    return bool(names and pair.old.subject.relations) and not told


def _completed(pair: Pair) -> Verdict | None:
    """Find what belongs in one row with the old memory."""
    if pair.profile:
        return _into_one_row(pair, "a new detail")
    if pair.subjects != "same":
        return None
    old = [clause for clause in pair.old.clauses if clause.said]
    if old and all(pair.covers(pair.new.clauses, clause) for clause in old):
        return _into_one_row(pair, "says more of the same")
    return None
