"""The rules of the write funnel, read from TOML: small talk, questions, secrets, templates.

The packaged files lie in ``rules/``; `Vocabulary.load` adds those of an operator. A file
may be wrong, so everything that it says is checked when it is read: an error names the
table and the expression, and nothing fails later in the middle of a conversation.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aimemory.errors import InvalidInput
from aimemory.writing.templates import SubjectRule, Template, Topic

_RULES = Path(__file__).parent / "rules"
_LANGUAGES = {"zh": ("zh", "zh_facts"), "en": ("en", "en_facts")}
_WORDS = ("kin", "attribute")
_NOTHING = re.compile(r"(?!)")
_CJK = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_HALF_WIDTH = {
    code + 0xFEE0: code for code in range(0x30, 0x7B) if chr(code).isalnum()
} | dict.fromkeys(map(ord, "’‘ʼ"), "'")


def folded(text: str) -> str:
    """Return the text as rules compare it: half-width letters, straight apostrophes.

    Every character keeps its place, so that what is found can be cut from the original.
    """
    return text.translate(_HALF_WIDTH)


@dataclass(frozen=True, slots=True)
class Group:
    """Expressions of one kind, and what only looks like them."""

    pattern: re.Pattern[str] = _NOTHING
    exceptions: re.Pattern[str] | None = None

    @property
    def expression(self) -> str:
        """Its regular expression."""
        return self.pattern.pattern

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first occurrence that is not an exception; places are those of ``text``."""
        if self.exceptions is not None:
            text = self.exceptions.sub(lambda match: "\x1f" * len(match[0]), text)
        return self.pattern.search(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What a secret looks like."""

    pattern: re.Pattern[str]
    """Only the group ``value`` is secret, where there is one."""
    check: str | None
    reason: str
    """secret, or private for numbers that name a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The rules of one language."""

    name: str
    groups: Mapping[str, Group]
    smalltalk: re.Pattern[str]
    """Matches all of what `bare` leaves of small talk."""
    words: Mapping[str, Mapping[str, str]]
    """By table: what people say, and the name for it."""
    lists: Mapping[str, frozenset[str]]
    topics: Sequence[Topic]
    subjects: Sequence[SubjectRule]
    templates: Sequence[Template]

    def group(self, name: str) -> Group:
        """Return a group; one that no file has finds nothing."""
        return self.groups.get(name, Group())


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """All rules. Immutable; made once and shared."""

    languages: Mapping[str, Language]
    secrets: Sequence[Secret]
    private_tags: Sequence[str]
    injected_tags: Sequence[str]
    headings: Group
    garbled: Group

    @classmethod
    def load(cls, extra: Path | None = None) -> Vocabulary:
        """Read the packaged rules, and an operator's file that adds to them.

        The file holds the same tables: those of a language below its name, such as
        ``[zh.veto]``, the others as in common.toml. Raises InvalidInput where it is wrong.
        """
        return _packaged() if extra is None else _parsed(_merged(_tables(), _read(extra)), extra)

    def language_of(self, text: str) -> Language:
        """Return Chinese for text with a Chinese character, else English."""
        return self.languages["zh" if _CJK.search(text) else "en"]


@cache
def _packaged() -> Vocabulary:
    return _parsed(_tables(), _RULES)


def _tables() -> dict[str, Any]:
    tables = _read(_RULES / "common.toml")
    for name, files in _LANGUAGES.items():
        tables[name] = {}
        for file in files:
            tables[name] |= _read(_RULES / f"{file}.toml")
    return tables


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"the rules in {path} cannot be read: {error}") from error


def _merged(base: Any, extra: Any) -> Any:
    if isinstance(base, dict) and isinstance(extra, dict):
        shared = {key: _merged(base[key], extra[key]) for key in base.keys() & extra.keys()}
        return base | extra | shared
    if isinstance(base, list) and isinstance(extra, list):
        return [*extra, *base]
    return extra


def _parsed(tables: Mapping[str, Any], source: Path) -> Vocabulary:
    try:
        return Vocabulary(
            languages={name: _language(name, tables[name]) for name in _LANGUAGES},
            secrets=[_secret(table) for table in tables["secret"]],
            private_tags=tables["private"]["tags"],
            injected_tags=tables["injected"]["tags"],
            headings=Group(_any(tables["injected"]["headings"], {})),
            garbled=Group(_any(tables["garbled"]["patterns"], {}, ignore_case=False)),
        )
    except (KeyError, TypeError, AttributeError, re.error) as error:
        raise InvalidInput(f"the rules in {source} are wrong: {error!r}") from error


def _secret(table: Mapping[str, Any]) -> Secret:
    return Secret(
        pattern=re.compile(_expanded(table["match"], {})),
        check=table.get("check"),
        reason=table.get("reason", "secret"),
    )


def _language(name: str, tables: Mapping[str, Any]) -> Language:
    words = {
        table: {said: key for key, all_said in tables[table].items() for said in all_said}
        for table in _WORDS
    }
    lists = {table: frozenset(entry["words"]) for table, entry in _entries_with("words", tables)}
    macros = {macro: _joined(expression) for macro, expression in tables["macros"].items()}
    macros |= {table: _alternatives(said) for table, said in (words | lists).items()}
    macros["topic_words"] = (
        f"(?:{'|'.join(word for entry in tables['topic'] for word in entry['words'])})"
    )
    return Language(
        name=name,
        groups={
            table: Group(
                _any(entry["patterns"], macros),
                _any(entry["except"], macros) if "except" in entry else None,
            )
            for table, entry in _entries_with("patterns", tables)
        },
        smalltalk=_smalltalk(lists["smalltalk"], spaced=name == "en"),
        words=words,
        lists=lists,
        topics=[Topic.parse(table, spaced=name == "en") for table in tables["topic"]],
        subjects=[SubjectRule.parse(_expanded_table(table, macros)) for table in tables["subject"]],
        templates=[Template.parse(_expanded_table(table, macros)) for table in tables["template"]],
    )


def _entries_with(key: str, tables: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    return (
        (table, entry)
        for table, entry in tables.items()
        if isinstance(entry, dict) and key in entry
    )


def _alternatives(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(re.escape(word) for word in longest_first)})"


def _smalltalk(words: Iterable[str], *, spaced: bool) -> re.Pattern[str]:
    phrases = _alternatives({bare(word) for word in words})
    return re.compile(f"(?:{phrases}(?: |$))+" if spaced else f"{phrases}+")


def bare(text: str) -> str:
    """Return the words alone, in lower case, repetitions taken out: 哈哈哈! is 哈, hahaha ha."""
    words = re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold())
    return re.sub(r"(\w{1,3}?)\1+", r"\1", words).strip()


def _any(
    expressions: Iterable[str], macros: Mapping[str, str], *, ignore_case: bool = True
) -> re.Pattern[str]:
    expanded = [_expanded(expression, macros) for expression in expressions]
    alternatives = "|".join(f"(?:{expression})" for expression in expanded) or "(?!)"
    try:
        return re.compile(alternatives, re.IGNORECASE if ignore_case else 0)
    except re.error:
        for expression in expanded:
            _checked(expression)  # names the one that is wrong
        raise


def _joined(expression: str) -> str:
    """Put an expression that fills several lines on one, its indentation dropped."""
    if "\n" not in expression:
        return expression
    return "".join(line.lstrip() for line in expression.split("\n"))


def _expanded(expression: str, macros: Mapping[str, str]) -> str:
    """Put macros in the place of their names; a macro may hold others."""
    expression = _joined(expression)
    for _ in range(5):
        expression, count = re.subn(
            r"@([a-z_]+)", lambda match: macros.get(match[1], match[0]), expression
        )
        if not count:
            break
    return expression


def _expanded_table(table: Mapping[str, Any], macros: Mapping[str, str]) -> dict[str, Any]:
    spelled = {key: _expanded(table[key], macros) for key in ("match", "needs") if key in table}
    for expression in spelled.values():
        _checked(expression)
    return {**table, **spelled}


def _checked(expression: str) -> None:
    try:
        re.compile(expression, re.IGNORECASE)
    except re.error as error:
        raise InvalidInput(f"not a regular expression: {expression!r}: {error}") from error
