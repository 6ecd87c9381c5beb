"""Whom or what a clause is about: the user, a relative, a pet, a named thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias

from aimemory.writing.judging.lexicon import table
from aimemory.writing.judging.tokens import Token

Sameness: TypeAlias = Literal["same", "different", "unclear"]

_SKIPPED = ("function", "degree", "time", "tense", "article", "pronoun")
_ENDS_A_NAME = (
    *("function", "copula", "degree", "time", "tense", "negation", "change", "stance", "question"),
    *("after", "before", "break", "use", "joint", "owner", "article", "pronoun", "light"),
)
_COLLECTIVE = ("project", "team", "service", "employer", "frontend")
"""What "we" may stand for."""
_LONGEST_NAME = 4
_PREPOSITIONS = ("在", "是在", "in", "at", "on", "for", "with", "by", "as", "about", "from", "to")
"""Before a name that is not the subject: 在腾讯上班."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Whom or what a clause is about."""

    owner: Literal["user", "we", "unknown"] = "unknown"
    relations: tuple[str, ...] = ()
    """From the owner on: the cousin's cat is (cousin, cat)."""
    names: frozenset[str] = frozenset()
    which: Literal["the", "one", "another"] = "the"
    """One of several, as in "one of my colleagues", need not be the one known already."""

    @property
    def plain(self) -> bool:
        """True for the user or the group itself."""
        return self.owner != "unknown" and not self.relations and not self.names


USER = Subject(owner="user")
NOBODY = Subject()


def compare_subjects(one: Subject, two: Subject) -> Sameness:
    """Return whether two clauses are about the same; names count for more than relations."""
    if one == two:
        return "unclear" if _one_of_several(one) or one == NOBODY else "same"
    if "another" in (one.which, two.which):
        return "different"
    if one.names and two.names:
        return "same" if _names_meet(one.names, two.names) else "different"
    if one.plain or two.plain:
        return _compare_with_owner(*((one, two) if one.plain else (two, one)))
    if NOBODY in (one, two) or bool(one.relations) != bool(two.relations):
        return "unclear"
    if one.relations != two.relations:
        return "different"
    return "unclear" if _one_of_several(one) or _one_of_several(two) else "same"


def _compare_with_owner(plain: Subject, other: Subject) -> Sameness:
    if other.plain:
        return "same" if plain.owner == other.owner else "unclear"
    if plain.owner == "we" and other.relations[:1] and other.relations[0] in _COLLECTIVE:
        return "same"
    return "unclear" if other == NOBODY else "different"


def _one_of_several(subject: Subject) -> bool:
    return (
        subject.which == "one"
        and not subject.names
        and bool(subject.relations)
        and subject.relations[-1] in _several()
    )


def _names_meet(ones: frozenset[str], twos: frozenset[str]) -> bool:
    return any(one == two or one in two or two in one for one in ones for two in twos)


@cache
def _several() -> frozenset[str]:
    return frozenset(table("subjects")["several"]["any"])


def read_subject(tokens: Sequence[Token]) -> tuple[Subject | None, int]:
    """Return the subject at the beginning of a clause and how many tokens it takes.

    None where the clause has no subject of its own, or only a pronoun.
    """
    start = _skip(tokens, 0, _SKIPPED)
    owner, place = _owner(tokens, start)
    which, place = _which(tokens, place)
    relations, place = _relations(tokens, place)
    if owner == "unknown" and not relations:
        return _named_thing(tokens, start)
    if owner != "unknown" and not relations and which != "the":
        # "The user has a …" is about the user; only "one of the user's …" is not.
        which, place = "the", _owner(tokens, start)[1]
    names, place = _name(tokens, place) if relations else (frozenset[str](), place)
    if relations:
        place = _skip(tokens, place, ("pronoun",))
        owner = "user" if owner == "unknown" and relations[0] not in _COLLECTIVE else owner
    return Subject(owner=owner, relations=relations, names=names, which=which), place


def _skip(tokens: Sequence[Token], place: int, roles: Sequence[str]) -> int:
    while (
        place < len(tokens)
        and tokens[place].does(*roles)
        and not tokens[place].does("owner", "relation", "after", "before", "copula")
        and "one" not in _articles(tokens[place])
    ):
        place += 1
    return place


def _articles(token: Token) -> tuple[str, ...]:
    names = {"definite": "the", "indefinite": "one", "other": "another"}
    return tuple(names[meaning] for meaning in token.means("article"))


def _owner(tokens: Sequence[Token], place: int) -> tuple[Literal["user", "we", "unknown"], int]:
    # "One of my colleagues": the article comes before the owner.
    ahead = (
        place + 1 if place < len(tokens) and tokens[place].surface.casefold() == "one of" else place
    )
    if ahead < len(tokens) and tokens[ahead].does("owner"):
        we = "we" in tokens[ahead].means("owner")
        return ("we" if we else "user"), ahead + 1
    return "unknown", place


def _which(tokens: Sequence[Token], place: int) -> tuple[Literal["the", "one", "another"], int]:
    which: Literal["the", "one", "another"] = "the"
    if place > 1 and tokens[place - 2].surface.casefold() == "one of":
        which = "one"
    while place < len(tokens) and tokens[place].does("article", "trait", "function"):
        kinds = _articles(tokens[place])
        if "another" in kinds:
            which = "another"
        elif "one" in kinds and which == "the":
            which = "one"
        place += 1
    return which, place


def _relations(tokens: Sequence[Token], place: int) -> tuple[tuple[str, ...], int]:
    found: list[str] = []
    while place < len(tokens) and tokens[place].does("relation"):
        if found and tokens[place].does("after", "before"):
            break
        found.append(tokens[place].means("relation")[0])
        place += 1
        link = _skip(tokens, place, ("function", "trait", "article"))
        if link < len(tokens) and tokens[link].does("relation") and link > place:
            place = link
        else:
            break
    return tuple(found), place


def _name(tokens: Sequence[Token], place: int) -> tuple[frozenset[str], int]:
    """Return the name behind a relation: 表姐王静怡是 …, and my sister Anna works."""
    capitals = _capitals(tokens, place)
    if capitals > place:
        return _joined(tokens[place:capitals]), capitals
    if place + 1 < len(tokens):
        token, behind = tokens[place], tokens[place + 1]
        fits = token.unknown and 2 <= len(token.text) <= _LONGEST_NAME
        if fits and not behind.unknown and not behind.does("break", "joint"):
            return frozenset({token.text}), place + 1
    return frozenset(), place


def _capitals(tokens: Sequence[Token], place: int) -> int:
    while place < len(tokens) and tokens[place].unknown and tokens[place].surface[:1].isupper():
        place += 1
    return place


def _joined(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset({" ".join(token.surface.casefold() for token in tokens)} if tokens else ())


def _named_thing(tokens: Sequence[Token], start: int) -> tuple[Subject | None, int]:
    """Read 年糕现在六斤, 峰会的规模是八百人, Anna is my sister."""
    if any(token.surface.casefold() in _PREPOSITIONS for token in tokens[:start]):
        return None, start
    end = start
    while end < len(tokens) and not tokens[end].does(*_ENDS_A_NAME) and not tokens[end].measure:
        end += 1
    latin = _capitals(tokens, start)
    if latin > start:
        end = latin
    ended = end < len(tokens) and not tokens[end].does("break", "joint", "light")
    name = "".join(token.surface for token in tokens[start:end]).casefold()
    nameless = len(name) < 2 or all(token.does("place") for token in tokens[start:end])
    if nameless or not (ended or latin > start):
        return None, start
    subject = Subject(names=_joined(tokens[start:end]) if latin > start else frozenset({name}))
    return _introduced(subject, tokens, end)


def _introduced(subject: Subject, tokens: Sequence[Token], place: int) -> tuple[Subject, int]:
    """Add the relation of "Anna is my sister" and 李明宇是我的下属."""
    link = place + 1
    if place < len(tokens) and (tokens[place].does("copula") or tokens[place].surface == "is"):
        owner, after = _owner(tokens, link)
        _, after = _which(tokens, after)
        relations, after = _relations(tokens, after)
        if owner != "unknown" and relations:
            return replace(subject, owner=owner, relations=relations), after
    return subject, place
