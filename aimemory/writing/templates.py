"""Templates: how a sentence is recognised, and the memories that it gives.

They are data (``rules/*_facts.toml``, whose head explains every key); this module parses
them, finds the subject of a clause and fills in what a template says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aimemory.writing.proposals import IMPORTANCE_OF_CLASS

_PLACEHOLDER = re.compile(r"\{(?P<names>[a-z_|]+)(?::(?P<filters>[a-z_|]+))?\}")

Filter = Callable[[str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Words of one kind, which share a slot and an entity."""

    slot: str
    name: str
    kind: str
    pattern: re.Pattern[str]

    @classmethod
    def parse(cls, table: Mapping[str, Any], *, spaced: bool) -> Topic:
        """Read a [[topic]]; ``spaced``: words are separated by spaces."""
        words = "|".join(sorted(table["words"], key=len, reverse=True))
        edges = (r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])")
        expression = rf"\b(?:{words})s?\b" if spaced else rf"{edges[0]}(?:{words}){edges[1]}"
        return cls(
            slot=table["slot"],
            name=table["name"],
            kind=table["kind"],
            pattern=re.compile(expression, re.IGNORECASE),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Whom or what a clause is about."""

    kind: str
    text: str
    """In the third person: 用户的父亲, "The user's sister"."""
    slot: str | None
    entities: Sequence[str] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    """What its rule found: kin, called, animal …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRule:
    """How a subject begins a clause."""

    kind: str
    pattern: re.Pattern[str]
    text: str
    slot: str | None
    entities: Sequence[str]

    @classmethod
    def parse(cls, table: Mapping[str, Any]) -> SubjectRule:
        """Read a [[subject]]."""
        return cls(
            kind=table["kind"],
            pattern=re.compile(table["match"], re.IGNORECASE),
            text=table["text"],
            slot=table.get("slot"),
            entities=tuple(table.get("entities", ())),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One memory that a template gives."""

    content: str | None
    memory_type: str
    importance_class: str
    slot: str | None
    entities: Sequence[str]
    standing: bool
    named: str | None
    follows: bool

    @classmethod
    def parse(cls, table: Mapping[str, Any]) -> Given:
        """Read a [[template]] or one of its gives."""
        if table["class"] not in IMPORTANCE_OF_CLASS:
            raise KeyError(table["class"])
        return cls(
            content=table.get("content"),
            memory_type=table["type"],
            importance_class=table["class"],
            slot=table.get("slot"),
            entities=tuple(table.get("entities", ())),
            standing=table.get("standing", False),
            named=table.get("named"),
            follows=table.get("follows", False),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A form of sentence and what it says."""

    of: frozenset[str]
    """Kinds of subject that it fits; any: it matches the whole clause."""
    pattern: re.Pattern[str]
    needs: re.Pattern[str] | None
    """What has to stand somewhere in the clause as well."""
    guard: str | None
    """Name of a group that has to occur in the clause."""
    spans: bool
    """It may match two clauses together."""
    gives: Sequence[Given]
    examples: Mapping[str, str]

    @classmethod
    def parse(cls, table: Mapping[str, Any]) -> Template:
        """Read a [[template]]."""
        needs = table.get("needs")
        return cls(
            of=frozenset(table["of"]),
            pattern=re.compile(table["match"], re.IGNORECASE),
            needs=re.compile(needs, re.IGNORECASE) if needs else None,
            guard=table.get("guard"),
            spans=table.get("spans", False),
            gives=[Given.parse(given) for given in table.get("gives", [table])],
            examples=table.get("examples", {}),
        )


def filled(
    form: str, values: Mapping[str, str | None], filters: Mapping[str, Filter]
) -> str | None:
    """Fill the placeholders of a form; None when one of them has no value.

    ``{a|b:x|y}`` takes the first of the values a and b that is there, and the first of the
    filters x and y that returns something. An empty value is a value.
    """
    missing = False

    def replace(match: re.Match[str]) -> str:
        nonlocal missing
        names = match["names"].split("|")
        value = next((values[name] for name in names if values.get(name)), None)
        if value is None:
            missing = missing or all(values.get(name) is None for name in names)
            return ""
        if match["filters"]:
            results = (filters[name](value) for name in match["filters"].split("|"))
            value = next((result for result in results if result), None)
            missing = missing or value is None
        return value or ""

    text = _PLACEHOLDER.sub(replace, form)
    return None if missing else text
