"""The words that the judge knows, out of the tables beside this file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

Role = tuple[str, str]
"""What a word does in a sentence, and its meaning there: ("change", "stop")."""
HAN = "\u3400-\u9fff\uf900-\ufaff"
NO_ROLES: frozenset[Role] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """What can be said of a subject."""

    one: bool
    """True where a new value replaces the old one."""
    exact: bool
    """True where another word beside the value makes it another thing: the work address."""
    kind: str
    """text, place, or the kind of a `Measure`."""
    alone: bool
    """True where the measure needs no other word: 42岁 is an age."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One word or phrase."""

    text: str
    """The same for all words that mean the same."""
    roles: frozenset[Role]


@dataclass(slots=True)
class Lexicon:
    """All entries, and the facts that are not words."""

    han: dict[str, Entry] = field(default_factory=dict)
    latin: dict[str, Entry] = field(default_factory=dict)
    """By stem: "keen on" for keener on, "mov to" for moved to."""
    attributes: dict[str, Attribute] = field(default_factory=dict)
    attribute_of_slot: dict[str, str] = field(default_factory=dict)
    lies_in: dict[str, str] = field(default_factory=dict)
    needs: dict[str, frozenset[str]] = field(default_factory=dict)
    """By attribute of values.toml, the words of which one has to be in the clause."""
    longest: int = 1

    def add(self, word: str, role: Role, text: str | None = None) -> None:
        """Give a word a role; ``text`` is what it shares with words of the same meaning."""
        entries, key = (self.han, word) if is_han(word) else (self.latin, stems(word))
        known = entries.get(key)
        shared = text or (known.text if known else key)
        entries[key] = Entry(shared, frozenset({role}) | (known.roles if known else NO_ROLES))
        self.longest = max(self.longest, len(word) if is_han(word) else 1)


def is_han(text: str) -> bool:
    """Return True where the text has a Chinese character."""
    return re.search(f"[{HAN}]", text) is not None


def stems(phrase: str) -> str:
    """Return a phrase without case and endings."""
    return " ".join(stem(word) for word in phrase.casefold().split())


def stem(word: str) -> str:
    """Return an English word without its ending: moved, moves, moving and move are one."""
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and re.search("[aeiouy]", base) and len(base) > 1:
            base = base[:-1] + "y" if base.endswith("i") else base
            undoubled = base[:-1] if base[-1] == base[-2] and base[-1] not in "lsz" else base
            return undoubled if len(undoubled) > 2 else undoubled + "e"
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif re.search("(?:ss|sh|ch|x|z)es$", word):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def table(name: str) -> dict[str, Any]:
    """Return the contents of a table beside this file."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


@cache
def lexicon() -> Lexicon:
    """Return the lexicon; it is built once."""
    words = Lexicon()
    _add_words(words)
    _add_attributes(words)
    _add_values(words)
    _add_places(words)
    return words


def _add_words(words: Lexicon) -> None:
    for role, meanings in (table("words") | table("subjects")).items():
        for meaning, spellings in meanings.items():
            shared = f"={meaning}" if role == "synonym" else None
            for word in spellings if role != "several" else ():
                words.add(word, (role, meaning), shared)
    for group, members in table("alternatives").items():
        for spellings in members:
            first, *others = spellings.split("|")
            for word in (first, *others):
                words.add(word, ("alternative", group), f"={first}")


def _add_attributes(words: Lexicon) -> None:
    for name, facts in table("attributes").items():
        words.attributes[name] = Attribute(
            one=facts["one"],
            exact=facts.get("exact", False),
            kind=facts["kind"],
            alone=facts.get("alone", False),
        )
        words.attribute_of_slot |= {slot.casefold(): name for slot in facts["slots"]}
        for side in ("after", "before"):
            for word in facts.get(side, ()):
                words.add(word, (side, name))
        for word in facts.get("nouns", ()):
            words.add(word, ("after", name))
            words.add(word, ("noun", name))


def _add_values(words: Lexicon) -> None:
    for attribute, values in table("values").items():
        words.needs[attribute] = frozenset(values.pop("needs"))
        words.attributes.setdefault(
            attribute, Attribute(one=True, exact=False, kind="text", alone=False)
        )
        for value, spellings in values.items():
            for word in spellings:
                words.add(word, (f"value {attribute}", value))


def _add_places(words: Lexicon) -> None:
    for place, above, spellings in _places():
        if above:
            words.lies_in[place] = above
        for word in spellings:
            words.add(word, ("place", place), f"@{place}")


def _places() -> Iterator[tuple[str, str | None, Sequence[str]]]:
    """Yield each place, what it lies in, and its names."""
    regions = table("places")
    yield "中国", None, ("中国", "china")
    for country, parts in regions.items():
        for region, cities in parts.items():
            names = region.split("|")
            yield names[0], "中国" if country == "china" else None, names
            for city in cities:
                spellings = city.split("|")
                yield spellings[0], names[0], spellings
