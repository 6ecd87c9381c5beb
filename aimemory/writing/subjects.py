"""Whom or what a clause is about.

Chinese leaves a subject out where the one before still holds, and both languages say "she"
or "it" for somebody named earlier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aimemory.writing.filters import filters_of
from aimemory.writing.people import People, the_user
from aimemory.writing.templates import Subject, filled
from aimemory.writing.vocabulary import Language

USER_KINDS = frozenset({"me", "my", "none"})
_NEVER_SHE = USER_KINDS | {"we", "ours", "home", "doctor"}
_CONTRACTIONS = {"'m": "am", "'ve": "have", "'d": "would", "'ll": "will", "'re": "are"}
_POSSESSIVE = {"其": "的", "his": "'s", "her": "'s"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A clause, read."""

    words: str
    """Without the words before it (by the way, 对了) and the particles after it."""
    subject: Subject | None
    """None where it has none that matters here."""
    predicate: str
    """What is told of the subject; all words where there is none."""


def told(words: str, language: Language, people: People) -> Told:
    """Find the subject of a clause, and remember it for the clauses that follow."""
    leading = language.group("leading_time").pattern.match(words)
    time, rest = "", words
    if leading and leading.end() < len(words):
        time, rest = leading[0].rstrip("，, "), words[leading.end() :]
    subject, predicate = _subject(rest, language, people)
    if subject is None:
        if time:
            subject, predicate = _subject(words, language, people)
        if subject is None:
            return Told(words=words, subject=None, predicate=predicate)
    elif time:
        predicate = time + predicate if language.name == "zh" else f"{predicate} {time.lower()}"
    thought_of = language.group("opinion").search(predicate)
    people.carried = None if thought_of else _carried(subject, language)
    if subject.kind not in _NEVER_SHE:
        people.other = subject
    if subject.kind in ("me", "we"):
        predicate = _written_out(predicate)
    return Told(words=words, subject=subject, predicate=predicate)


def _written_out(predicate: str) -> str:
    """Return the predicate after I or we without its contraction: "'m tired" is "am tired"."""
    first, space, rest = predicate.partition(" ")
    return _CONTRACTIONS.get(first.lower(), first) + space + rest


def _carried(subject: Subject, language: Language) -> Subject:
    """Return the subject of a next clause that has none: after "my name" it is I."""
    return the_user(language, "me") if subject.kind == "my" else subject


def _subject(words: str, language: Language, people: People) -> tuple[Subject | None, str]:
    for name, known in people.names.items():
        if words.startswith(name):
            return known, words[len(name) :]
    by_rule = _by_rule(words, language, people)
    if by_rule:
        return by_rule
    pronoun = language.group("pronoun").pattern.match(words)
    if pronoun and people.other:
        return _spoken_of(people.other, pronoun[0]), words[pronoun.end() :]
    if people.carried and language.group("predicate_start").search(words):
        return people.carried, words
    if language.group("implied_me").search(words):
        return the_user(language, "none"), words[0].lower() + words[1:]
    return None, words


def _by_rule(words: str, language: Language, people: People) -> tuple[Subject, str] | None:
    filters = filters_of(language, people)
    for rule in language.subjects:
        match = rule.pattern.match(words)
        if match is None or (match.end() == len(words) and rule.kind != "kin"):
            continue
        rest = words[match.end() :]
        groups = {key: value or "" for key, value in match.groupdict().items()}
        groups |= {f"space_{key}": f" {value}" if value else "" for key, value in groups.items()}
        known = people.names.get(groups.get("called", ""))
        if known:
            return known, rest
        entities = [filled(entity, groups, filters) or "" for entity in rule.entities]
        subject = Subject(
            kind=rule.kind,
            text=filled(rule.text, groups, filters) or "",
            slot=(filled(rule.slot, groups, filters) or None) if rule.slot else None,
            entities=[entity for entity in entities if entity and not entity.startswith("/")],
            groups=groups,
        )
        return subject, rest
    return None


def _spoken_of(other: Subject, pronoun: str) -> Subject:
    ending = _POSSESSIVE.get(pronoun.strip().lower(), "")
    groups: Mapping[str, str] = other.groups
    return Subject(
        kind="pronoun" if other.kind == "kin" else other.kind,
        text=other.text + ending,
        slot=other.slot,
        entities=other.entities,
        groups=groups,
    )
