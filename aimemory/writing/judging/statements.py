"""Read what a memory says: clause by clause, about whom, and whether it is so or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from aimemory.writing.judging.attributes import Value, read_attributes
from aimemory.writing.judging.cutting import SILENT, clause_tokens
from aimemory.writing.judging.measures import Measure
from aimemory.writing.judging.subjects import NOBODY, USER, Subject, read_subject
from aimemory.writing.judging.tokens import Token, normalised, tokens

_LIGHT = ("light", "use", "after", "before")
_PLACES_TOO = ("from", "从", "由", "把", "将")
"""Before what was given up only where a change is named: she is from Berlin."""
LONGEST_READ = 1200
"""Characters. A longer text is no memory of one fact, and comparing its clauses takes seconds."""
_STANCES: dict[str, Literal["like", "prefer", "favourite"]] = {
    "like": "like",
    "dislike": "like",
    "prefer": "prefer",
    "favourite": "favourite",
    "favourite_of": "favourite",
}
_ASKING = re.compile(r"(?:what|how|why|when|where|which|who|whose|can you|could you)\b", re.I)
# Where the stem hides the tense: "worked at" is over, "moved to" holds on.
_OVER = re.compile(r"\b(?:worked|lived|studied|owned|taught|had been)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One thing that is said of one subject."""

    pieces: frozenset[int]
    """Which of the pieces between punctuation it stands in."""
    subject: Subject
    content: frozenset[str]
    """What it says, without function words, degree, polarity and subject."""
    light: frozenset[str]
    """The part of the content that another telling may leave out."""
    line: str
    """The content in its order, in one."""
    named: frozenset[str]
    """The part of the content that only names what a value is of: 生日, "live in"."""
    when: frozenset[str]
    """At the weekend, in the morning: it may be otherwise at other times."""
    measures: tuple[Measure, ...]
    alternatives: frozenset[tuple[str, str]]
    """Words of alternatives.toml with their group."""
    negative: bool
    stance: Literal["like", "prefer", "favourite", ""]
    changes: frozenset[str]
    """Keys of the table "change": stop, start, again, switch."""
    now: bool
    tense: Literal["present", "past", "future"]
    attributes: dict[str, Value]
    left: frozenset[str]
    """What was given up: X in "from X to Y", and "X is gone"."""
    against: frozenset[str]
    """What is liked less: coffee in "prefers tea over coffee"."""
    listed: bool
    """True where it says the same of several things: tea and coffee."""
    links: bool
    """True for "X is Y" and 最爱 X, which say that and nothing else."""

    @property
    def essence(self) -> frozenset[str]:
        """The content without light words, unless there is nothing else."""
        return (self.content - self.light) or self.content

    @property
    def said(self) -> bool:
        """True where the clause says anything; 学历挺高的 names no value and says nothing."""
        return bool(self.content - self.named or self.attributes or self.left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What one memory says."""

    text: str
    """Normalised."""
    clauses: tuple[Clause, ...]
    question: bool

    @property
    def subject(self) -> Subject:
        """Return the subject of the first clause that has one."""
        return next((c.subject for c in self.clauses if c.subject != NOBODY), NOBODY)

    @property
    def content(self) -> frozenset[str]:
        """Return what all clauses say."""
        return frozenset().union(*(clause.content for clause in self.clauses))

    @property
    def changes(self) -> frozenset[str]:
        """Return the marks of change in all clauses."""
        return frozenset().union(*(clause.changes for clause in self.clauses))


@lru_cache(maxsize=4096)
def read_statement(text: str) -> Statement:
    """Read a memory; a text that is too long for one comes back without clauses."""
    normal = normalised(text)
    if len(normal) > LONGEST_READ:
        return Statement(text=normal, clauses=(), question=False)
    words = tokens(normal)
    clauses = tuple(_clauses(words))
    if len(clauses) == 1:
        clauses = (_of_having(clauses[0], words),)
    return Statement(text=normal, clauses=clauses, question=_asks(normal, words))


def _of_having(clause: Clause, words: Sequence[Token]) -> Clause:
    """Read "the user has a dog" as said of the user, where nothing is said of the dog."""
    subject = clause.subject
    if clause.said or not subject.relations or subject.names or subject.owner == "unknown":
        return clause
    had = [word.text for word in words if word.does("relation")]
    owner = Subject(owner=subject.owner)
    return replace(clause, subject=owner, content=frozenset(had), line="".join(had))


def _asks(text: str, words: Sequence[Token]) -> bool:
    if text.endswith("?") or text.endswith("吗") or _ASKING.match(text):
        return True
    # 没什么 and 什么都 ask nothing.
    return any(
        word.does("question")
        and not (place and words[place - 1].does("negation"))
        and not (place + 1 < len(words) and words[place + 1].surface in ("都", "也"))
        for place, word in enumerate(words)
    )


def _clauses(words: Sequence[Token]) -> Iterator[Clause]:
    subject = NOBODY
    previous: Sequence[Token] = ()
    for pieces, part in clause_tokens(words):
        found, taken = read_subject(part)
        if taken == len(part) and previous and found and not found.relations:
            found, taken = None, 0  # a word by itself, behind a clause
        subject = _followed(subject, found, part, previous)
        clause = _clause(pieces, part, taken, subject)
        name = clause.attributes.get("name")
        if name and subject.relations and not subject.names:
            subject = replace(subject, names=frozenset({"".join(name.words)}))
            clause = replace(clause, subject=subject)
        yield clause
        previous = part[taken:]


def _followed(
    before: Subject, found: Subject | None, part: Sequence[Token], previous: Sequence[Token]
) -> Subject:
    """Return the subject of a clause: its own, else that of the clause before it."""
    if found is not None:
        # "The user's sister, Anna, works …" and "Anna, the user's sister, works …"
        if before.relations and not before.names and found.names and not found.relations:
            return replace(before, names=found.names)
        if before.names and not before.relations and found.relations and not previous:
            return replace(found, names=before.names)
        return found
    pronoun = next((word.surface for word in part[:2] if word.does("pronoun")), None)
    if pronoun and before.plain:
        named = next((word for word in reversed(previous) if word.unknown), None)
        return Subject(names=frozenset({named.surface.casefold()})) if named else NOBODY
    return USER if before == NOBODY and not pronoun else before


def _clause(pieces: frozenset[int], part: Sequence[Token], taken: int, subject: Subject) -> Clause:
    rest = part[taken:]
    changes = frozenset(mark for word in rest for mark in word.means("change"))
    stances = [meaning for word in rest for meaning in word.means("stance")]
    negations = sum(word.does("negation") for word in rest) + ("stop" in changes)
    negations += "dislike" in stances[:1]
    than = next((at for at, word in enumerate(rest) if "over" in word.means("joint")), len(rest))
    than = than if stances else len(rest)
    dated = _dates_of_measures(rest)
    said = [word for word in rest[:than] if not word.does(*SILENT) and word not in dated]
    gone = part[:taken] if "stop" in changes and not said else ()
    return Clause(
        pieces=pieces,
        subject=subject,
        content=frozenset(word.text for word in said),
        light=frozenset(word.text for word in said if word.does(*_LIGHT)),
        line="".join(word.text for word in said),
        named=frozenset(word.text for word in said if word.does("after", "before")),
        when=frozenset(word.text for word in rest if "any" in word.means("time")),
        measures=tuple(word.measure for word in rest if word.measure and word not in dated),
        alternatives=frozenset(
            (group, word.text) for word in rest for group in word.means("alternative")
        ),
        negative=negations % 2 == 1,
        stance=_STANCES[stances[0]] if stances else "",
        changes=changes,
        now=any("now" in word.means("time") for word in rest),
        tense=_tense(part),
        attributes=read_attributes(rest),
        left=_left(rest) | frozenset(word.text for word in gone),
        against=frozenset(word.text for word in rest[than:] if not word.does(*SILENT)),
        listed=any("and" in word.means("joint") for word in rest),
        links="favourite" in stances
        or any(word.does("copula") or word.surface in ("is", "are") for word in rest),
    )


def _dates_of_measures(words: Sequence[Token]) -> list[Token]:
    """Return when a quantity was so, which says nothing about it: 2026年三岁."""
    kinds = {word.measure.kind for word in words if word.measure}
    years = [w for w in words if w.measure and w.measure.kind == "date" and _has_year(w.measure)]
    return years if kinds - {"date", "clock"} else []


def _has_year(measure: Measure) -> bool:
    return isinstance(measure.value, tuple) and measure.value[0] is not None


def _tense(words: Sequence[Token]) -> Literal["present", "past", "future"]:
    meanings = {meaning for word in words for meaning in word.means("tense")}
    if "past" in meanings or any(_OVER.match(word.surface) for word in words):
        return "past"
    return "future" if meanings else "present"


def _left(words: Sequence[Token]) -> frozenset[str]:
    """Return what stands behind from, instead of, 从 or 把, where that goes with a change."""
    found: set[str] = set()
    inside = changed = False
    for word in words:
        if word.does("origin"):
            inside, changed = True, changed or word.surface.casefold() not in _PLACES_TOO
        elif word.does("change"):
            inside, changed = False, True
        elif inside and word.surface in ("to", "with"):
            inside = False
        elif inside and not word.does(*SILENT):
            found.add(word.text)
    return frozenset(found if changed else ())
