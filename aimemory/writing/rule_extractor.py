"""Memories from templates and rules, without a language model.

Every statement of the user is tried against the templates of its language. What no
template reads is kept in the user's own words if it is about the user and lasts longer
than the moment. Turns of the assistant are never read: what it says is not said by the
user, and recalled memories come back in its answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from aimemory.writing.clauses import conversation
from aimemory.writing.dates import absolute
from aimemory.writing.filters import filters_of
from aimemory.writing.people import People, name_somebody
from aimemory.writing.proposals import (
    IMPORTANCE_OF_CLASS,
    Clause,
    Extraction,
    Proposal,
    Turn,
    Window,
)
from aimemory.writing.statements import (
    Statement,
    in_third_person,
    ordinary,
    predicate_of,
    statements_of,
)
from aimemory.writing.subjects import Told, told
from aimemory.writing.templates import Given, Template, filled
from aimemory.writing.vocabulary import Vocabulary, folded

_MOST_IMPORTANT = 0.9


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A memory while its sentence is still being read."""

    content: str
    given: Given
    slot: str | None
    entities: list[str]
    begin: int
    end: int
    """Where in the turn its evidence stands."""
    important: bool = False


class RuleExtractor:
    """An `Extractor` that costs nothing and never fails."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def extract(self, window: Window) -> Extraction:
        """Return what the rules find, in the order in which it was said."""
        people = People()
        proposals: list[Proposal] = []
        sentences = conversation(window.turns, self._vocabulary)
        for turn, found in zip(window.turns, sentences, strict=True):
            if turn.role == "user":
                reading = _TurnReading(turn=turn, people=people, vocabulary=self._vocabulary)
                proposals += self._proposals(reading.drafts(found), turn, window)
        return Extraction(proposals=proposals)

    def _proposals(
        self, drafts: Sequence[_Draft], turn: Turn, window: Window
    ) -> Iterator[Proposal]:
        seen: set[str] = set()
        for draft in drafts:
            written = re.sub(r" {2,}", " ", re.sub(r"[*`]+", "", draft.content))
            dated = absolute(written, turn.said_at, window.time_zone, self._vocabulary)
            if dated.text in seen:
                continue
            seen.add(dated.text)
            given = draft.given
            importance = max(IMPORTANCE_OF_CLASS[given.importance_class], _MOST_IMPORTANT)
            yield Proposal(
                content=dated.text,
                memory_type=given.memory_type,
                importance_class=given.importance_class,
                evidence=turn.content[draft.begin : draft.end],
                entities=tuple(dict.fromkeys(draft.entities)),
                slot=draft.slot,
                event_at=dated.event_at if given.memory_type == "event" else None,
                standing=given.standing,
                importance=importance if draft.important else None,
                turn_no=turn.turn_no,
            )


@dataclass(slots=True, kw_only=True)
class _TurnReading:
    """Reads one turn from its first clause to its last."""

    turn: Turn
    people: People
    vocabulary: Vocabulary
    _drafts: list[_Draft] = field(default_factory=list)

    def drafts(self, sentences: Sequence[Sequence[Clause]]) -> list[_Draft]:
        """Return the memories of the turn."""
        before: list[_Draft] = []
        end = 0
        for sentence in sentences:
            count = len(self._drafts)
            self.people.carried = None
            found, end = statements_of(self.turn.content, end, sentence, self.vocabulary)
            place = 0
            while place < len(found):
                place += self._read(found, place)
            new = self._drafts[count:]
            if self._is_important(sentence):
                for draft in new or before:
                    draft.important = True
            before = new
        return self._drafts

    def _read(self, found: Sequence[Statement | None], place: int) -> int:
        """Read the clause at a place, or it and the next as one; return how many were read."""
        statement = found[place]
        if statement is None:
            return 1
        following = found[place + 1] if place + 1 < len(found) else None
        if following and self._read_both(statement, following):
            return 2
        carried = self.people.carried
        clause = told(statement.text, statement.language, self.people)
        if not statement.marked and statement.language.group("temporary").search(statement.text):
            return 1
        if not self._by_template(statement, clause, spanning=False):
            continues = clause.subject is not None and clause.subject is carried
            self._in_own_words(statement, clause, continues=continues)
        return 1

    def _read_both(self, statement: Statement, following: Statement) -> bool:
        text = folded(self.turn.content[statement.begin : following.end])
        both = replace(statement, end=following.end, text=text)
        carried, other = self.people.carried, self.people.other
        if self._by_template(both, told(text, both.language, self.people), spanning=True):
            return True
        self.people.carried, self.people.other = carried, other
        return False

    def _by_template(self, statement: Statement, clause: Told, *, spanning: bool) -> bool:
        for template in statement.language.templates:
            if spanning and not template.spans:
                continue
            match = _match(template, statement, clause)
            if match:
                self._fill(template, match, statement, clause)
                return True
        return False

    def _fill(
        self, template: Template, match: re.Match[str], statement: Statement, clause: Told
    ) -> None:
        subject, language = clause.subject, statement.language
        values: dict[str, str | None] = dict(subject.groups) if subject else {}
        values |= {name: value and value.strip() for name, value in match.groupdict().items()}
        if subject:
            values |= {"subject": subject.slot, "subject_text": subject.text}
        # In a sentence a group that took no part is nothing; in a slot it is a slot missing.
        written = {name: value or "" for name, value in values.items()}
        filters = filters_of(language, self.people)
        over = bool(language.group("formerly").search(clause.predicate))
        for given in template.gives:
            content = filled(given.content, written, filters) if given.content else None
            slot = filled(given.slot, values, filters) if given.slot and not over else None
            entities = [filled(entity, values, filters) or "" for entity in given.entities]
            if subject and "any" not in template.of:
                entities += subject.entities
            self._add(
                statement,
                given,
                content=content or in_third_person(clause, language),
                predicate=predicate_of(clause, language),
                slot=slot or None,
                entities=[name for entity in entities for name in entity.split("\n") if name],
            )
            name = values.get(given.named or "")
            if name:
                name_somebody(name, written, self.people, language)

    def _add(
        self,
        statement: Statement,
        given: Given,
        *,
        content: str,
        predicate: str,
        slot: str | None,
        entities: list[str],
    ) -> None:
        last = self._drafts[-1] if self._drafts else None
        if last and slot and slot == last.slot and slot.endswith(".profile"):
            self._complete(last, statement, predicate)
            last.entities += entities
            return
        self._drafts.append(
            _Draft(
                content=content,
                given=given,
                slot=slot,
                entities=[name for name in entities if not name.startswith("/")],
                begin=statement.begin,
                end=statement.end,
            )
        )

    def _complete(self, draft: _Draft, statement: Statement, predicate: str) -> None:
        draft.content += ("，" if statement.language.name == "zh" else ", ") + predicate.strip()
        draft.end = statement.end

    def _in_own_words(self, statement: Statement, clause: Told, *, continues: bool) -> None:
        language = statement.language
        last = self._drafts[-1] if self._drafts else None
        if continues and last and last.given.follows:
            self._complete(last, statement, predicate_of(clause, language))
            return
        given = ordinary(clause, language, asked=statement.asked)
        if given is None:
            self.people.carried = None
            return
        self._add(
            statement,
            given,
            content=in_third_person(clause, language),
            predicate=predicate_of(clause, language),
            slot=None,
            entities=list(clause.subject.entities) if clause.subject else [],
        )

    def _is_important(self, sentence: Sequence[Clause]) -> bool:
        return any(
            self.vocabulary.language_of(clause.text).group("importance").search(folded(clause.text))
            for clause in sentence
        )


def _match(template: Template, statement: Statement, clause: Told) -> re.Match[str] | None:
    if "any" in template.of:
        match = template.pattern.fullmatch(clause.words)
    elif clause.subject and clause.subject.kind in template.of:
        match = template.pattern.fullmatch(clause.predicate.strip())
    else:
        return None
    if match is None or (template.needs and not template.needs.search(statement.text)):
        return None
    if template.guard and not statement.language.group(template.guard).search(statement.text):
        return None
    return match
