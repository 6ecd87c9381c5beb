"""SQL text as tokens with a depth: just enough structure to hold it to rules.

Not a parser of SQL. It knows comments, strings, dollar quotes, brackets, CASE
and where a statement of SQL or PL/pgSQL begins and ends; that is what the rules
of tests/cluster_rules.py and tests/catalog.py ask about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?\*/)
      | (?P<string>'(?:[^']|'')*')
      | (?P<dollar>\$\w*\$)
      | (?P<word>[a-z_]\w*|"[^"]*")
      | (?P<number>\d+(?:\.\d+)?)
      | (?P<symbol>::|=>|:=|<=>|<>|<=|>=|\|\||[^\s\w])
      | (?P<space>\s+)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
# Where a statement of PL/pgSQL ends other than at a semicolon.
BREAKS = {"begin", "then", "else", "loop", "declare"}
SET_OPERATORS = {"union", "intersect", "except"}
NOT_AN_ALIAS = {
    *("set", "where", "on", "using", "join", "left", "right", "full", "inner", "cross", "natural"),
    *("group", "order", "limit", "offset", "for", "returning", "values", "select", "default"),
    *("union", "intersect", "except", "having", "window", "loop", "then", "as"),
}


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    depth: int
    line: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A place where a relation of our schema is read or written."""

    relation: str
    alias: str
    at: int
    inserted: bool


def tokenize(text: str) -> list[Token]:
    """Cut SQL into tokens; what stands in brackets or in a CASE is one deeper."""
    found: list[Token] = []
    opened: list[str] = []
    for match in TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind in ("space", "comment"):
            continue
        word = match.group() if kind == "string" else match.group().lower()
        if opened and (word in (")", "]") or (word == "end" and opened[-1] == "case")):
            opened.pop()
        after_end = bool(found) and found[-1].text == "end"
        line = text.count("\n", 0, match.start()) + 1
        found.append(Token(kind, word, len(opened), line))
        if word in ("(", "[") or (word == "case" and not after_end):
            opened.append(word)
    return found


class Source:
    """One SQL text: a file under sql/, or what a test plants."""

    def __init__(self, text: str, name: str = "planted", folder: str = "functions") -> None:
        self.text = text
        self.name = name
        self.folder = folder

    @classmethod
    def read(cls, path: Path) -> Source:
        return cls(path.read_text("utf-8"), path.stem, path.parent.name)

    @cached_property
    def tokens(self) -> list[Token]:
        return tokenize(self.text)

    def word(self, at: int) -> str:
        """The text of a token; empty before the first and behind the last."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def has(self, at: int, *words: str) -> bool:
        """Whether these words stand here, one after the other."""
        return all(self.word(at + offset) == word for offset, word in enumerate(words))

    def find(self, *words: str, start: int = 0, end: int | None = None) -> Iterator[int]:
        """Every place where these words stand, one after the other."""
        for at in range(start, len(self.tokens) if end is None else end):
            if self.has(at, *words):
                yield at

    def place(self, at: int) -> str:
        """Where a token is, for a message."""
        return f"{self.name}:{self.tokens[at].line}"

    def select_around(self, at: int) -> tuple[int, int]:
        """From where to where the innermost SELECT (or UPDATE, DELETE) around a token goes."""
        return self._around(at, self.tokens[at].depth, SET_OPERATORS)

    def statement_around(self, at: int) -> tuple[int, int]:
        """From where to where the whole statement around a token goes."""
        return self._around(at, 0, set())

    def _around(self, at: int, depth: int, stops: set[str]) -> tuple[int, int]:
        start = at
        while start > 0 and not self._ends(start - 1, depth, stops):
            start -= 1
        end = at
        while end < len(self.tokens) and not self._ends(end, depth, stops):
            end += 1
        return start, end

    def _ends(self, at: int, depth: int, stops: set[str]) -> bool:
        token = self.tokens[at]
        if token.depth < depth:
            return True
        if token.depth > depth:
            return False
        return (
            token.text in stops
            or token.text == ";"
            or (depth == 0 and (token.text in BREAKS or token.kind == "dollar"))
        )

    def references(self, relations: set[str]) -> Iterator[Reference]:
        """Every use of one of these relations, with the alias it goes by there."""
        for at in self.find("aimemory", "."):
            relation, before = self.word(at + 2), self.word(at - 1)
            if relation not in relations or before in ("view", "table", "function", "column"):
                continue
            inserted = before == "into" and self.word(at - 2) == "insert"
            if self.word(at + 3) == "(" and not inserted:
                continue
            behind = at + 4 if self.word(at + 3) == "as" else at + 3
            alias = self.word(behind)
            named = (
                behind < len(self.tokens)
                and self.tokens[behind].kind == "word"
                and alias not in NOT_AN_ALIAS
            )
            yield Reference(relation, alias if named and not inserted else relation, at, inserted)

    def calls(self, start: int, end: int) -> Iterator[tuple[int, str, int]]:
        """Every function call between two tokens: where, the name, and where it closes."""
        for at in range(start, end - 1):
            token = self.tokens[at]
            if token.kind != "word" or self.word(at + 1) != "(":
                continue
            if self.word(at - 1) == "." and self.word(at - 2) != "aimemory":
                continue
            if self.word(at - 1) in ("as", "into"):
                continue
            yield at, token.text, self.closing(at + 1)

    def closing(self, opening: int) -> int:
        """Where the bracket that opens here is closed."""
        depth = self.tokens[opening].depth
        at = opening + 1
        while at < len(self.tokens) and self.tokens[at].depth > depth:
            at += 1
        return at
