"""What a clause says of its subject: the birthday, the job, the city it lives in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias

from aimemory.writing.judging.lexicon import Attribute, is_han, lexicon, stems, table
from aimemory.writing.judging.measures import Measure
from aimemory.writing.judging.tokens import Token

Comparison: TypeAlias = Literal["same", "narrower", "broader", "different", "unclear"]

_SILENT = (
    *("function", "degree", "copula", "pronoun", "article", "owner", "change", "tense", "joint"),
    *("negation", "question", "origin", "use"),
)
_PREPOSITIONS = ("as", "in", "at", "since", "from", "for", "with", "on", "near")
"""End an English value: works at Google as an engineer."""
_JOINING = frozenset(("is", "are", "was", ":", "为", "在", "有", "by"))
_LINKS = ("name", "owner_of")
"""Attributes whose words only join another one to its value: 单位叫 …"""


@dataclass(frozen=True, slots=True)
class Value:
    """What an attribute is said to be."""

    words: tuple[str, ...]
    places: frozenset[str] = frozenset()
    measure: Measure | None = None
    rank: Literal["occupation", "position", ""] = ""
    """Of a job: a head nurse is a nurse as well."""
    loose: bool = False
    """True for what follows only by the way: a company in Shenzhen is named after the city."""
    told_by: frozenset[str] = frozenset()
    """All words of the clause that it was read from, those that name the attribute included."""


def read_attributes(tokens: Sequence[Token]) -> dict[str, Value]:
    """Return what a clause says, without its subject, by attribute."""
    found: dict[str, Value] = {}
    for name, value in (*_values(tokens), *_worded(tokens), *_measured(tokens), *_is(tokens)):
        known = found.setdefault(name, value)
        found[name] = replace(known, told_by=known.told_by | value.told_by | _naming(name, tokens))
    return found


def _naming(name: str, tokens: Sequence[Token]) -> frozenset[str]:
    """Return the words that name the attribute, or that its value needs beside it."""
    needs = lexicon().needs.get(name, frozenset())
    return frozenset(
        token.text
        for token in tokens
        if name in (*token.means("after"), *token.means("before"))
        or any(_is_part(token.surface.casefold(), need) for need in needs)
    )


def _is_part(word: str, need: str) -> bool:
    """Return True for the need itself, 毕业的 for 毕业, and 上 for 上的是."""
    return need in word or (is_han(word) and word in need)


def _worded(tokens: Sequence[Token]) -> Iterator[tuple[str, Value]]:
    """Yield attributes that a word names, before the value or behind it."""
    for place, token in enumerate(tokens):
        for name in token.means("after"):
            if name in _LINKS and any(earlier.does("after") for earlier in tokens[:place]):
                continue
            if name in token.means("noun") and not _is_linked(tokens, place):
                continue
            yield from _read(name, _behind(tokens, place), tokens)
        for name in token.means("before"):
            segment = tokens[_last_named(tokens, place) : place]
            if name != "database" or any(word.does("use", "change") for word in segment):
                yield from _read(name, segment, tokens)


def _is_linked(tokens: Sequence[Token], place: int) -> bool:
    """Return True for 职业是 … and "profession: …", not for "profession involves …"."""
    behind = tokens[place + 1 : place + 3]
    return any(
        token.does("copula", "change") or token.surface.casefold() in _JOINING for token in behind
    ) or any(set(token.means("after")) & set(_LINKS) for token in behind)


def _behind(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    end = place + 1
    while end < len(tokens):
        names = tokens[end].means("after")
        if names and not set(names) <= set(_LINKS):
            break
        if tokens[end].surface.casefold() in _PREPOSITIONS and end > place + 1:
            break
        end += 1
    return [token for token in tokens[place + 1 : end] if not token.means("after")]


def _last_named(tokens: Sequence[Token], place: int) -> int:
    return max((at + 1 for at in range(place) if tokens[at].does("after", "break")), default=0)


def _read(
    name: str, segment: Sequence[Token], clause: Sequence[Token]
) -> Iterator[tuple[str, Value]]:
    attribute = lexicon().attributes[name]
    if name in lexicon().needs:
        return
    value = value_of(attribute, segment)
    if value is None and attribute.kind not in ("text", "place"):
        value = value_of(attribute, clause)
    if value is None:
        return
    organisation = _is_organisation(segment)
    if name == "workplace" and not value.places:
        return
    if name == "workplace" and organisation:
        yield name, replace(value, words=(), loose=True)
    elif name == "employer" and not organisation and (value.places or len(value.words) > 1):
        return
    else:
        yield name, replace(value, rank=_worded_rank(segment, clause) if name == "job" else "")


def _worded_rank(
    segment: Sequence[Token], clause: Sequence[Token]
) -> Literal["occupation", "position", ""]:
    """Return what kind of job is meant, by its own words or by 职位是 and 职业是."""
    jobs = _jobs()
    for token in clause:
        if token.surface.casefold() in jobs["position_words"]:
            return "position"
        if token.surface.casefold() in jobs["occupation_words"]:
            return job_rank(segment) or "occupation"
    return job_rank(segment)


def value_of(attribute: Attribute, tokens: Sequence[Token]) -> Value | None:
    """Return the value in a part of a clause, or None where there is none of the kind."""
    if attribute.kind not in ("text", "place"):
        kind = attribute.kind
        for token in tokens:
            if token.measure and token.measure.kind.partition(" ")[0] == kind:
                text = token.text
                return Value((text,), measure=token.measure, told_by=frozenset({text}))
        return None
    said = [token for token in tokens if not token.does(*_SILENT, "time", "break")]
    words = tuple(token.text for token in said)
    places = frozenset(place for token in tokens for place in token.means("place"))
    if attribute.kind == "place" and not places and not _may_be_a_place(said):
        return None
    return Value(words, places, told_by=frozenset(words)) if words else None


def _may_be_a_place(tokens: Sequence[Token]) -> bool:
    """Return True for a name that no table has, rather than "a small flat"."""
    named = all(
        token.unknown and (is_han(token.text) or token.surface[0].isupper()) for token in tokens
    )
    return named and (len(tokens) == 1 or not any(is_han(token.text) for token in tokens))


def _values(tokens: Sequence[Token]) -> Iterator[tuple[str, Value]]:
    """Yield attributes that the value itself tells: 本科, single, 简洁的回答."""
    text = " ".join(token.surface.casefold() for token in tokens)
    for token in tokens:
        for role, meaning in token.roles:
            group, _, name = role.partition(" ")
            if group == "value" and _needed(name, text, token.surface):
                yield name, Value((meaning,), told_by=frozenset({token.text}))


def _needed(name: str, text: str, itself: str) -> bool:
    needs = lexicon().needs[name]
    closed = text.replace(" ", "")
    found = (need in closed if is_han(need) else f" {need}" in f" {text}" for need in needs)
    return not needs or itself in needs or any(found)


def _measured(tokens: Sequence[Token]) -> Iterator[tuple[str, Value]]:
    """Yield measures that need no word: 42岁, an email address."""
    others = [token for token in tokens if not token.does(*_SILENT, "time") and not token.measure]
    for name, attribute in lexicon().attributes.items():
        value = value_of(attribute, tokens) if attribute.alone else None
        # 六斤 alone is a weight, 六斤苹果 is a purchase.
        if value and (attribute.kind != "weight" or not others):
            yield name, value


def _is(tokens: Sequence[Token]) -> Iterator[tuple[str, Value]]:
    """Yield what "is a …" says: 是护士, 是湖北武汉人."""
    for place, token in enumerate(tokens):
        if token.does("after"):
            return
        if not token.does("copula"):
            continue
        rest = [word for word in tokens[place + 1 :] if not word.does(*_SILENT, "break", "light")]
        if rest and rest[-1].text == "=work":
            rest.pop()
        places = frozenset(name for word in rest for name in word.means("place"))
        others = [word.text for word in rest if not word.does("place")]
        told = frozenset(word.text for word in rest)
        if places and others in ([], ["人"], ["那边人"]):
            yield "hometown", Value(tuple(sorted(places)), places, told_by=told)
        elif rest and job_rank(rest) and not places:
            words = tuple(word.text for word in rest)
            yield "job", Value(words, rank=job_rank(rest), told_by=told)
        return


def job_rank(tokens: Sequence[Token]) -> Literal["occupation", "position", ""]:
    """Return what kind of job words are, or "" where they are none."""
    surface = "".join(token.surface for token in tokens).casefold()
    words = " ".join(token.surface for token in tokens).casefold()
    jobs = _jobs()
    if surface.endswith(jobs["beside"]) or words.endswith(jobs["beside"]):
        return ""
    if surface.endswith(jobs["position"]) or surface.startswith(jobs["rank"]):
        return "position"
    return (
        "occupation"
        if words.endswith(jobs["occupation"]) or surface.endswith(jobs["occupation"])
        else ""
    )


def _is_organisation(tokens: Sequence[Token]) -> bool:
    surface = "".join(token.surface for token in tokens if not token.does(*_SILENT))
    return surface.endswith(_jobs()["organisation"])


def alike_jobs(one: Value, two: Value) -> bool:
    """Return True for two words of one occupation, such as programmer and engineer."""
    first, second = "".join(one.words), "".join(two.words)
    return any(first.endswith(group) and second.endswith(group) for group in _alike())


@cache
def _jobs() -> dict[str, tuple[str, ...]]:
    jobs = table("jobs")
    return {name: tuple(words) for name, words in jobs.items() if name != "alike"}


@cache
def _alike() -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(form for word in group for form in (word, stems(word)))
        for group in table("jobs")["alike"]
    )
