"""Memories from templates and rules, without a language model.

Every statement of the user is tried against the templates of its language. What no
template reads is kept in the user's own words if it is about the user and lasts longer
than the moment. Assistant turns are never read: what the assistant says is not said by
the user, and recalled memories come back in its answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aimemory.writing import third_person
from aimemory.writing.clauses import conversation
from aimemory.writing.dates import absolute
from aimemory.writing.proposals import (
    IMPORTANCE_OF_CLASS,
    Clause,
    Extraction,
    Proposal,
    Turn,
    Window,
)
from aimemory.writing.subjects import USER_KINDS, People, Told, filters_of, named, told
from aimemory.writing.templates import Given, Template, filled
from aimemory.writing.vocabulary import Language, Vocabulary, folded

_LONGEST = 240
"""Characters of a clause; what is longer is pasted text rather than a statement."""
_MOST_IMPORTANT = 0.9


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A memory while its sentence is still being read."""

    content: str
    predicate: str
    memory_type: str
    importance_class: str
    slot: str | None
    entities: list[str]
    standing: bool
    follows: bool
    begin: int
    end: int
    """Where in the turn its evidence stands."""
    important: bool = False


@dataclass(frozen=True, slots=True)
class _Span:
    """One or two clauses, stripped of what only leads to them or follows them."""

    begin: int
    end: int
    text: str
    marked: bool
    language: Language


class RuleExtractor:
    """An `Extractor` that costs nothing and never fails."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def extract(self, window: Window) -> Extraction:
        """Return what the templates find, in the order in which it was said."""
        people = People()
        proposals: list[Proposal] = []
        for turn, found in zip(
            window.turns, conversation(window.turns, self._vocabulary), strict=True
        ):
            if turn.role != "user":
                continue
            reading = _TurnReading(turn=turn, people=people, vocabulary=self._vocabulary)
            proposals += self._proposals(reading.drafts(found), turn, window)
        return Extraction(proposals=proposals)

    def _proposals(
        self, drafts: Sequence[_Draft], turn: Turn, window: Window
    ) -> Iterator[Proposal]:
        seen: set[str] = set()
        for draft in drafts:
            dated = absolute(draft.content, turn.said_at, window.time_zone, self._vocabulary)
            if dated.text in seen:
                continue
            seen.add(dated.text)
            importance = IMPORTANCE_OF_CLASS[draft.importance_class]
            yield Proposal(
                content=dated.text,
                memory_type=draft.memory_type,
                importance_class=draft.importance_class,
                evidence=turn.content[draft.begin : draft.end],
                entities=tuple(dict.fromkeys(draft.entities)),
                slot=draft.slot,
                event_at=dated.event_at if draft.memory_type == "event" else None,
                standing=draft.standing,
                importance=max(importance, _MOST_IMPORTANT) if draft.important else None,
                turn_no=turn.turn_no,
            )


@dataclass(slots=True, kw_only=True)
class _TurnReading:
    """Reads one turn from its first clause to its last."""

    turn: Turn
    people: People
    vocabulary: Vocabulary
    _place: int = 0
    _drafts: list[_Draft] = field(default_factory=list)

    def drafts(self, sentences: Sequence[Sequence[Clause]]) -> list[_Draft]:
        """Return the memories of the turn."""
        before: list[_Draft] = []
        for sentence in sentences:
            count = len(self._drafts)
            self.people.carried = None
            spans = self._spans(sentence)
            place = 0
            while place < len(spans):
                place += self._read(spans, place)
            new = self._drafts[count:]
            if self._is_important(sentence):
                for draft in new or before:
                    draft.important = True
            before = new
        return self._drafts

    def _spans(self, sentence: Sequence[Clause]) -> list[_Span | None]:
        """Return the statements of a sentence, None in the place of anything else."""
        spans: list[_Span | None] = []
        for clause in sentence:
            begin = self.turn.content.find(clause.text, self._place)
            begin = self._place if begin < 0 else begin
            self._place = begin + len(clause.text)
            usable = clause.kind == "statement" and len(clause.text) <= _LONGEST
            if not usable or "[secret]" in clause.text:
                spans.append(None)
                continue
            language = self.vocabulary.language_of(clause.text)
            spans.append(self._stripped(begin, self._place, clause.marked, language))
        return spans

    def _stripped(self, begin: int, end: int, marked: bool, language: Language) -> _Span | None:
        text = folded(self.turn.content[begin:end])
        for _ in range(4):
            lead = language.group("lead").search(text)
            if lead is None or lead.start() > 0 or lead.end() == 0:
                break
            begin, text = begin + lead.end(), text[lead.end() :]
        for _ in range(4):
            shorter = re.sub(r"[\s，,。.！!?？；;：:、~～…–—-]+$", "", text)
            tail = language.group("tail").search(shorter)
            shorter = shorter[: tail.start()] if tail else shorter
            if shorter == text:
                break
            text = shorter
        return _Span(begin, begin + len(text), text, marked, language) if text else None

    def _read(self, spans: Sequence[_Span | None], place: int) -> int:
        """Read the clause at a place, or it and the next as one; return how many were read."""
        span = spans[place]
        if span is None:
            return 1
        following = spans[place + 1] if place + 1 < len(spans) else None
        if following:
            text = folded(self.turn.content[span.begin : following.end])
            both = _Span(span.begin, following.end, text, span.marked, span.language)
            carried, other = self.people.carried, self.people.other
            if self._by_template(both, told(text, span.language, self.people), spanning=True):
                return 2
            self.people.carried, self.people.other = carried, other
        before = self.people.carried
        clause = told(span.text, span.language, self.people)
        if not span.marked and span.language.group("temporary").search(span.text):
            return 1
        if not self._by_template(span, clause, spanning=False):
            self._in_own_words(span, clause, continues=clause.subject is before is not None)
        return 1

    def _by_template(self, span: _Span, clause: Told, *, spanning: bool) -> bool:
        kind = clause.subject.kind if clause.subject else None
        for template in span.language.templates:
            if spanning and not template.spans:
                continue
            if "any" in template.of:
                match = template.pattern.fullmatch(clause.words)
            elif kind in template.of:
                match = template.pattern.fullmatch(clause.predicate.strip())
            else:
                continue
            if match is None or not _holds(template, span):
                continue
            self._fill(template, match, span, clause)
            return True
        return False

    def _fill(self, template: Template, match: re.Match[str], span: _Span, clause: Told) -> None:
        values: dict[str, str | None] = {
            **{
                name: value.strip() if value else value for name, value in match.groupdict().items()
            },
        }
        subject = clause.subject
        if subject:
            values = {**subject.groups, **values}
            values |= {"subject": subject.slot, "subject_text": subject.text}
        filters = filters_of(span.language, self.people)
        for given in template.gives:
            content = filled(given.content, values, filters) if given.content else None
            slot = filled(given.slot, values, filters) if given.slot else None
            entities = [filled(entity, values, filters) for entity in given.entities]
            found = [name for entity in entities if entity for name in entity.split("\n")]
            about = list(subject.entities) if subject and "any" not in template.of else []
            self._add(
                span,
                given,
                content=content or self._told_of_user(clause, span.language),
                predicate=_predicate(clause, span.language),
                slot=slot or None,
                entities=[name for name in [*found, *about] if name and name[0] != "/"],
            )
            name = values.get(given.named or "")
            if name and subject:
                groups = {key: value or "" for key, value in values.items()}
                named(name, groups, self.people, span.language)

    def _add(
        self,
        span: _Span,
        given: Given,
        *,
        content: str,
        predicate: str,
        slot: str | None,
        entities: list[str],
    ) -> None:
        last = self._drafts[-1] if self._drafts else None
        if last and slot and slot == last.slot and last.follows and slot.endswith(".profile"):
            self._complete(last, span, predicate)
            last.entities += entities
            return
        self._drafts.append(
            _Draft(
                content=content,
                predicate=predicate,
                memory_type=given.memory_type,
                importance_class=given.importance_class,
                slot=slot,
                entities=entities,
                standing=given.standing,
                follows=given.follows,
                begin=span.begin,
                end=span.end,
            )
        )

    def _complete(self, draft: _Draft, span: _Span, predicate: str) -> None:
        draft.content += ("，" if span.language.name == "zh" else ", ") + predicate.strip()
        draft.end = span.end

    def _told_of_user(self, clause: Told, language: Language) -> str:
        subject = clause.subject
        if subject is None:
            rewrite = third_person.chinese if language.name == "zh" else third_person.english
            text = rewrite(clause.words, of_user=False)
            return text[:1].upper() + text[1:]
        glue = "" if language.name == "zh" or subject.text.endswith(("的", "'s ")) else " "
        predicate = _predicate(clause, language)
        return subject.text + ("" if predicate.startswith("'") else glue) + predicate.strip()

    def _in_own_words(self, span: _Span, clause: Told, *, continues: bool) -> None:
        """Keep a statement about the user that no template reads, unless it is of the moment."""
        last = self._drafts[-1] if self._drafts else None
        language = span.language
        if continues and last and last.follows:
            self._complete(last, span, _predicate(clause, language))
            return
        given = _ordinary(clause, language, marked=span.marked)
        if given:
            subject = clause.subject
            self._add(
                span,
                given,
                content=self._told_of_user(clause, language),
                predicate=_predicate(clause, language),
                slot=None,
                entities=list(subject.entities) if subject else [],
            )

    def _is_important(self, sentence: Sequence[Clause]) -> bool:
        return any(
            self.vocabulary.language_of(clause.text).group("importance").search(folded(clause.text))
            for clause in sentence
        )


def _holds(template: Template, span: _Span) -> bool:
    if template.needs and not template.needs.search(span.text):
        return False
    return template.guard is None or bool(span.language.group(template.guard).search(span.text))


def _predicate(clause: Told, language: Language) -> str:
    of_user = clause.subject is not None and clause.subject.kind in USER_KINDS
    if language.name == "zh":
        return third_person.chinese(clause.predicate, of_user=of_user)
    predicate = third_person.english(clause.predicate, of_user=of_user)
    if clause.subject is not None and clause.subject.kind in ("me", "none"):
        return third_person.agreeing(predicate.strip(), language.lists["verbs"])
    return predicate


def _ordinary(clause: Told, language: Language, *, marked: bool) -> Given | None:
    """Return type and class of a statement in the user's own words; None: not worth keeping."""
    words, predicate = clause.words, clause.predicate.strip()
    subject = clause.subject
    if not marked:
        if subject is None or subject.kind not in language.lists["personal"]:
            return None
        if any(language.group(group).search(predicate) for group in ("momentary", "desire")):
            return None
    major = bool(language.group("major").search(words))
    if language.group("event").search(predicate or words) or language.group("temporary").search(
        words
    ):
        memory_type, importance_class = "event", "routine"
    elif language.group("state").search(words):
        memory_type, importance_class = "state", "ordinary"
    else:
        memory_type, importance_class = "fact", "ordinary"
    if marked and importance_class == "routine":
        importance_class = "ordinary"
    return Given(
        content=None,
        memory_type=memory_type,
        importance_class="critical" if major else importance_class,
        slot=None,
        entities=(),
        standing=False,
        named=None,
        follows=False,
    )
