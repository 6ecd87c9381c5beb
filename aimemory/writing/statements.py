"""A statement of the user: where it stands, whom it is about, and how it reads when kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aimemory.writing import third_person
from aimemory.writing.proposals import Clause
from aimemory.writing.subjects import USER_KINDS, Told
from aimemory.writing.templates import Given
from aimemory.writing.vocabulary import Language, Vocabulary, folded

_LONGEST = 240
"""Characters of a clause; what is longer is pasted text rather than a statement."""
_ROUNDS = 4
"""How many layers of words are taken off the start and the end of a clause."""
_CLOSING = re.compile(r"[\s，,。.！!?？；;：:、~～…–—-]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A clause without the words that only lead to it or follow it."""

    begin: int
    end: int
    """Where in the turn it stands."""
    text: str
    marked: bool
    asked: bool
    """The user asks to remember it, whatever it is about."""
    language: Language


def statements_of(
    content: str, start: int, sentence: Sequence[Clause], vocabulary: Vocabulary
) -> tuple[list[Statement | None], int]:
    """Return the statements of a sentence, None in the place of anything else.

    The sentence is looked for in ``content`` from ``start`` on; where it ends is returned too.
    """
    found: list[Statement | None] = []
    for clause in sentence:
        begin = content.find(clause.text, start)
        if begin < 0:  # a marker and its clause were joined across white space
            begin = start + len(content[start:]) - len(content[start:].lstrip())
        start = min(begin + len(clause.text), len(content))
        usable = (
            clause.kind == "statement"
            and len(clause.text) <= _LONGEST
            and "[secret]" not in clause.text
        )
        language = vocabulary.language_of(clause.text)
        text = folded(content[begin:start])
        found.append(_stripped(begin, text, clause, language) if usable else None)
    return found, start


def _stripped(begin: int, text: str, clause: Clause, language: Language) -> Statement | None:
    asked = clause.marked and (
        bool(language.group("remember").search(text))
        or not any(language.group(name).search(text) for name in ("marker", "standing"))
    )
    for _ in range(_ROUNDS):
        lead = language.group("lead").search(text)
        if lead is None or lead.start() > 0 or lead.end() == 0:
            break
        begin, text = begin + lead.end(), text[lead.end() :]
    for _ in range(_ROUNDS):
        shorter = _CLOSING.sub("", text)
        tail = language.group("tail").search(shorter)
        shorter = shorter[: tail.start()] if tail else shorter
        if shorter == text:
            break
        text = shorter
    if not text:
        return None
    return Statement(
        begin=begin,
        end=begin + len(text),
        text=text,
        marked=clause.marked,
        asked=asked,
        language=language,
    )


def predicate_of(told: Told, language: Language) -> str:
    """Return what is told, in the third person."""
    of_user = told.subject is not None and told.subject.kind in USER_KINDS
    if language.name == "zh":
        return third_person.chinese(told.predicate, of_user=of_user)
    predicate = third_person.english(told.predicate, of_user=of_user)
    if told.subject is not None and told.subject.kind in ("me", "none"):
        return third_person.agreeing(predicate.strip(), language.lists)
    return predicate


def in_third_person(told: Told, language: Language) -> str:
    """Return the whole statement in the user's own words, told of the user."""
    subject = told.subject
    if subject is None:
        rewrite = third_person.chinese if language.name == "zh" else third_person.english
        text = rewrite(told.words, of_user=False)
        return text[:1].upper() + text[1:]
    predicate = predicate_of(told, language)
    spaced = language.name == "en" and not subject.text.endswith(" ") and predicate[:1] != "'"
    return subject.text + (" " if spaced else "") + predicate.strip()


def ordinary(told: Told, language: Language, *, asked: bool) -> Given | None:
    """Return type and class of a statement that no template reads; None: not worth keeping.

    What is said of this conversation or this minute goes, and so does a wish that reaches
    no further than today. The rest is an event, a state, or a fact that shows signs of
    lasting. ``asked``: the user wants it remembered, so it need not be about the user.
    """
    predicate = told.predicate.strip()

    def says(*groups: str) -> bool:
        return any(language.group(name).search(predicate) for name in groups)

    personal = told.subject is not None and told.subject.kind in language.lists["personal"]
    if asked and not personal and says("second_person"):
        return None
    if not asked and (not personal or says("second_person", "momentary", "desire")):
        return None
    if says("event", "temporary"):
        memory_type, importance_class = "event", "ordinary" if asked else "routine"
    elif says("state"):
        memory_type, importance_class = "state", "ordinary"
    elif asked or says("lasting", "major"):
        memory_type, importance_class = "fact", "ordinary"
    else:
        return None
    return Given(
        content=None,
        memory_type=memory_type,
        importance_class="critical" if says("major") else importance_class,
        slot=None,
        entities=(),
        standing=False,
        named=None,
        follows=False,
    )
