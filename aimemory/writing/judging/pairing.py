"""A proposal and a stored memory side by side, both read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from aimemory.writing.judging.conflicts import Setting, conflict
from aimemory.writing.judging.lexicon import is_han, lexicon
from aimemory.writing.judging.repeats import Repetition, repeats
from aimemory.writing.judging.statements import Clause, Statement, read_statement
from aimemory.writing.judging.subjects import Sameness, compare_subjects
from aimemory.writing.judging.tokens import normalised, tokens
from aimemory.writing.proposals import Known, Proposal

PROFILE = "profile"
_FAVOURITES = ("favourite_", "favorite_", "preferred_", "最喜欢的")
_PERSONAL = ("person", "pet")
"""Kinds of entity that a sentence may be about by name."""


@dataclass(frozen=True)
class Pair:
    """What the rules of the judge look at; every part is worked out when it is asked for."""

    proposal: Proposal
    known: Known

    @cached_property
    def old(self) -> Statement:
        """Return what the stored memory says."""
        return _with_names(read_statement(self.known.content), self.known.entities)

    @cached_property
    def new(self) -> Statement:
        """Return what the proposal says."""
        return _with_names(read_statement(self.proposal.content), self.proposal.entities)

    @cached_property
    def same_slot(self) -> bool:
        """Return True where the extractor gave both the same slot."""
        one, two = self.proposal.slot, self.known.slot
        return one is not None and two is not None and one.casefold() == two.casefold()

    @cached_property
    def slot_attribute(self) -> str:
        """Return "profile" or a key of attributes.toml; "" without a common slot that is known."""
        if not self.same_slot or self.proposal.slot is None:
            return ""
        parts = self.proposal.slot.casefold().split(".")[1:]
        if PROFILE in parts[-1:]:
            return PROFILE
        if parts and parts[0].startswith(_FAVOURITES):
            return "tool"
        names = lexicon().attribute_of_slot
        return next((names[part] for part in parts if part in names), "")

    @cached_property
    def profile(self) -> bool:
        """Return True where the common slot collects several details."""
        return self.slot_attribute == PROFILE

    @cached_property
    def event(self) -> bool:
        """Return True where one of the two is an event."""
        return "event" in (self.proposal.memory_type, self.known.memory_type)

    @cached_property
    def subjects(self) -> Sameness:
        """Return "same" where any two clauses are about the same, "different" where none may be."""
        found = {self.about_same(old, new) for old in self.old.clauses for new in self.new.clauses}
        return "same" if "same" in found else "unclear" if "unclear" in found else "different"

    def about_same(self, old: Clause, new: Clause) -> Sameness:
        """Return whether two clauses are about the same; a common slot settles doubts."""
        sameness = compare_subjects(old.subject, new.subject)
        doubtful = sameness == "unclear" or old.subject.plain != new.subject.plain
        if self.same_slot and doubtful and "another" not in (old.subject.which, new.subject.which):
            return "same"
        return sameness

    @cached_property
    def conflicts(self) -> dict[int, str]:
        """Return why clauses of the stored memory no longer hold, by their place."""
        names = (_name_of(entity) for entity in self.proposal.entities)
        hints = frozenset(word.text for name in names for word in tokens(normalised(name)))
        setting = Setting(new=self.new, hints=hints, same_slot=self.same_slot)
        return {
            place: reason
            for place, old in enumerate(self.old.clauses)
            for new in self.new.clauses
            if self._may_end(old, new) and (reason := conflict(old, new, setting))
        }

    def _may_end(self, old: Clause, new: Clause) -> bool:
        # "Jenkins is gone" is about Jenkins, and ends what the project did with it.
        gone = bool(new.left) and not new.content and self.subjects == "same"
        return gone or self.about_same(old, new) == "same"

    def _may_repeat(self, one: Clause, two: Clause) -> bool:
        """Return True for the same subject; also for "one of my colleagues" said twice."""
        alike = one.subject.relations == two.subject.relations and two.subject.relations
        unclear = bool(alike) and "another" not in (one.subject.which, two.subject.which)
        sameness = self.about_same(one, two)
        return sameness == "same" or (sameness == "unclear" and unclear)

    def covers(self, clauses: Sequence[Clause], clause: Clause) -> Repetition | None:
        """Return whether one of the clauses says what another clause says, or less closely."""
        found = {repeats(one, clause) for one in clauses if self._may_repeat(one, clause)}
        if not clause.said:
            found.add("same")
        return "same" if "same" in found else "more" if "more" in found else None


def _name_of(entity: str) -> str:
    """Return the name of name/kind; an entity may come without its kind."""
    return entity.rpartition("/")[0] or entity


def _with_names(statement: Statement, entities: Sequence[str]) -> Statement:
    """Add the name of the one person or pet that a memory is about, where it has none."""
    named = (entity.rpartition("/") for entity in entities)
    names = [name.casefold() for name, _, kind in named if kind in _PERSONAL]
    names = [name for name in names if not _is_relation(name)]
    if len(names) != 1:
        return statement
    clauses = tuple(
        replace(clause, subject=replace(clause.subject, names=frozenset(names)))
        if clause.subject.relations and not clause.subject.names
        else clause
        for clause in statement.clauses
    )
    return replace(statement, clauses=clauses)


def _is_relation(name: str) -> bool:
    entry = (lexicon().han if is_han(name) else lexicon().latin).get(name)
    return entry is not None and any(role == "relation" for role, _ in entry.roles)
