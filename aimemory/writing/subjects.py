"""Whom or what a clause is about, and what the words of a template mean there.

Chinese leaves a subject out where the one before still holds, and both languages say "she"
or "it" for somebody named earlier; `People` remembers them for the length of a window.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from aimemory.writing.templates import Filter, Subject, filled
from aimemory.writing.vocabulary import Language

USER_KINDS = frozenset({"me", "my", "none"})


@dataclass(slots=True)
class People:
    """Who has been spoken of so far."""

    names: dict[str, Subject] = field(default_factory=dict)
    other: Subject | None = None
    """Who "she" or "it" is: the last one who is not the user."""
    carried: Subject | None = None
    """Whose clause it was: the subject of the next one if that has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A clause, read."""

    words: str
    """Without the words before it (by the way, 对了) and the particles after it."""
    subject: Subject | None
    predicate: str


def told(words: str, language: Language, people: People) -> Told:
    """Find the subject of a clause; None where it has none that matters here."""
    time = ""
    leading = language.group("leading_time").pattern.match(words)
    rest = words
    if leading and leading.end() < len(words):
        time, rest = leading[0].rstrip("，, "), words[leading.end() :]
    subject, predicate = _subject(rest, language, people)
    if subject is None and time:
        subject, predicate = _subject(words, language, people)
        time = ""
    if time:
        predicate = time + predicate if language.name == "zh" else f"{predicate} {time.lower()}"
    if subject is not None and language.group("opinion").search(predicate):
        people.carried = None
    elif subject is not None:
        people.carried = subject
    if subject is not None:
        predicate = _written_out(predicate) if subject.kind in ("me", "we") else predicate
        if subject.kind not in USER_KINDS | {"we", "ours", "home", "doctor"}:
            people.other = subject
    return Told(words=words, subject=subject, predicate=predicate)


_CONTRACTIONS = {"'m": "am", "'ve": "have", "'d": "would", "'ll": "will", "'re": "are"}


def _written_out(predicate: str) -> str:
    """Return the predicate after I or we without its contraction: "'m tired" is "am tired"."""
    first, space, rest = predicate.partition(" ")
    return _CONTRACTIONS.get(first.lower(), first) + space + rest


def _subject(words: str, language: Language, people: People) -> tuple[Subject | None, str]:
    for name, known in people.names.items():
        if words.startswith(name):
            return known, words[len(name) :]
    filters = filters_of(language, people)
    for rule in language.subjects:
        match = rule.pattern.match(words)
        if match is None or (match.end() == len(words) and rule.kind != "kin"):
            continue
        groups = {key: value or "" for key, value in match.groupdict().items()}
        groups |= {f"space_{key}": f" {value}" if value else "" for key, value in groups.items()}
        known_by_name = people.names.get(groups.get("called", ""))
        if known_by_name:
            return known_by_name, words[match.end() :]
        slot = filled(rule.slot, groups, filters) if rule.slot else None
        entities = [filled(entity, groups, filters) for entity in rule.entities]
        return (
            Subject(
                kind=rule.kind,
                text=filled(rule.text, groups, filters) or "",
                slot=slot or None,
                entities=[entity for entity in entities if entity and not entity.startswith("/")],
                groups=groups,
            ),
            words[match.end() :],
        )
    pronoun = language.group("pronoun").pattern.match(words)
    if pronoun and people.other:
        return _spoken_of(people.other, pronoun[0], language), words[pronoun.end() :]
    if people.carried and language.group("predicate_start").search(words):
        return people.carried, words
    if language.group("implied_me").search(words):
        text = "用户" if language.name == "zh" else "The user"
        words = words[0].lower() + words[1:]
        return Subject(kind="none", text=text, slot="user"), words
    return None, words


def _spoken_of(other: Subject, pronoun: str, language: Language) -> Subject:
    possessive = {"其": "的", "its": "'s", "his": "'s", "her": "'s", "their": "'s"}
    ending = possessive.get(pronoun.strip().lower(), "")
    return Subject(
        kind="pronoun" if other.kind == "kin" else other.kind,
        text=other.text + ending,
        slot=other.slot,
        entities=other.entities,
        groups=other.groups,
    )


def named(name: str, groups: Mapping[str, str], people: People, language: Language) -> Subject:
    """Remember by which name somebody may be called from now on; ``groups`` say who it is."""
    groups = {**groups, "called": name}
    animal, kin = groups.get("animal", ""), groups.get("kin", "")
    kind_of = animal or (language.words["kin"].get(kin.lower(), kin) if kin else "")
    chinese = language.name == "zh"
    owner = "用户的" if chinese else "The user's "
    known = Subject(
        kind="pet" if animal else "kin" if kin else "person",
        text=(owner + kind_of + ("" if chinese else " ") + name) if kind_of else name,
        slot=name
        if animal
        else (kind_of if kin and kind_of not in language.lists["many"] else name),
        entities=[f"{name}/pet" if animal else f"{name}/person"],
        groups=groups,
    )
    people.names[name] = known
    people.carried = people.other = known
    return known


# --- the filters of templates ----------------------------------------------------------------


def filters_of(language: Language, people: People) -> Mapping[str, Filter]:
    """Return what ``{group:filter}`` can ask for."""

    def kin(said: str) -> str:
        return language.words["kin"].get(said.lower(), said)

    def one(said: str) -> str | None:
        return None if kin(said) in language.lists["many"] else kin(said)

    def topic(said: str) -> str | None:
        return next((entry.slot for entry in language.topics if entry.pattern.search(said)), None)

    def kind(said: str) -> str:
        bare_key = key_of(said, language)
        for kind in ("food", "drink"):
            if language.group(kind).pattern.match(said):
                bare_key += f"/{kind}"
        return known(said) or bare_key

    def known(said: str) -> str | None:
        for entry in language.topics:
            match = entry.pattern.search(said)
            if match:
                own = f"{match[0]}/{entry.kind}"
                general = f"{entry.name}/{entry.kind}"
                return own if own.lower() == general.lower() else f"{own}\n{general}"
        return None

    def person(said: str) -> Subject | None:
        if language.group("first_person").pattern.fullmatch(said):
            return Subject(
                kind="me", text="用户" if language.name == "zh" else "the user", slot="user"
            )
        return people.other

    return {
        "kin": kin,
        "one": one,
        "attribute": lambda said: language.words["attribute"].get(said.lower(), said),
        "topic": topic,
        "key": lambda said: key_of(said, language),
        "kind": kind,
        "occupation": lambda said: (
            f"{re.split(r' (?:in|at|for|with|on|by|from) ', said)[0]}/occupation"
        ),
        "place": lambda said: (
            f"{found[1]}/place"
            if (found := re.search(r" in ((?:[A-Z][\w.-]*)(?: [A-Z][\w.-]*)*)", said))
            else None
        ),
        "known": known,
        "whom": lambda said: found.text if (found := person(said)) else None,
        "whose": lambda said: found.slot if (found := person(said)) else None,
        "whom_entity": lambda said: (
            next(iter(found.entities), None) if (found := person(said)) else None
        ),
    }


def key_of(said: str, language: Language) -> str:
    """Return the thing itself, for a slot: 晚上在家拼乐高 is 乐高, "playing tennis" is tennis."""
    key = language.group("key_suffix").pattern.sub("", said.strip())
    for _ in range(3):
        key = language.group("key_prefix").pattern.sub("", key, count=1) or key
    return "_".join(key.strip("，,。. ").lower().split())[:40]
