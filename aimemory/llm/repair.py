"""Read the JSON in a model's reply, however it is wrapped or broken.

Only what can be read in one way is read. A general repair library guesses instead: it
moves words from one field to another, takes half a sentence for a whole one, and may
need minutes for a few thousand unmatched quotes. Where this reader gives up, the model
is asked again. It goes over a reply once, and its length and depth are bounded.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_CHARACTERS = 200_000
"""Longer than any list of memories; what is longer is refused unread."""
MAX_DEPTH = 32

_REASONING_END = "</think>"
# Possessive (*+) where a long run of spaces would otherwise be gone over again and again.
_FENCE = re.compile(r"\A```[\w-]*+")
_START = re.compile(r"""\[\s*+(?:[{\]]|\Z)|\{\s*+(?:["'“}]|\w{1,60}\s*+:|\Z)""")
_GAP = re.compile(r"[\s,]*+")
_SKIP = re.compile(r"(?:\s++|//[^\n]*+)*+")
_SKIP_COMMAS = re.compile(r"(?:[\s,，]++|//[^\n]*+)*+")
_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?(?![\w.])")
_WORD = re.compile(r"[-\w.]*")
_WORDS = {
    "true": True, "True": True, "false": False, "False": False,
    "null": None, "None": None, "undefined": None, "NaN": None,
}  # fmt: skip
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"} | {c: c for c in "\"'/\\"}
_QUOTES = {'"': '"', "'": "'", "“": "”"}
_PLAIN = {close: re.compile(rf"[^{close}\\]*") for close in _QUOTES.values()}

# A quote inside a text that nobody escaped (他说"好的"，就走了) is told from the closing
# one by what follows. The look ahead is short, so that reading stays linear.
_AFTER_KEY = re.compile(r"\s*+[:：]")
_QUOTED_NAME = r"""["'“][^"'“”\n]{1,60}["'”]\s*+[:：]"""
_BARE_NAME = r"\w{1,60}\s*+[:：]"
_AFTER_VALUE = re.compile(
    rf"\s*+(?:[}}\]]|\Z|//|{_QUOTED_NAME}"
    rf"|[,，]\s*+(?:[}}\]]|\Z|//|{_QUOTED_NAME}|{_BARE_NAME}))"
)
_SWALLOWED = re.compile(r"""["'”]\s*+[:：]\s*+["'“\[{]""")
_AFTER_ITEM = re.compile(r"""\s*+(?:\]|\Z|//|[,，]\s*+(?:["'“\[{\]\d-]|\Z|//))""")


class NotJson(ValueError):
    """No JSON can be read with certainty; the message says why and quotes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read from a reply."""

    value: Any
    repaired: bool = False
    """True if the reply was more or less than the JSON of the value."""
    truncated: bool = False
    """True if the reply ended early. Elements of a list are in the value only if they were
    complete; an object that is the whole value may lack members."""


def read_json(reply: str) -> Reading:
    """Return the JSON value in a reply; raise NotJson unless there is exactly one.

    Understood are code fences, prose and reasoning around the value, comments, trailing
    and doubled commas, single and curly quotes, names without quotes, line breaks and
    quotes that should be escaped, escapes that should not be, Python's words, several
    objects without a list around them, and an end that was cut off.
    """
    if len(reply) > MAX_CHARACTERS:
        raise NotJson(f"it has {len(reply):,} characters, more than {MAX_CHARACTERS:,}")
    text = reply.strip("\ufeff \t\r\n")
    if not text:
        raise NotJson("it is empty")
    answer = text.rpartition(_REASONING_END)[2].strip()
    bare = _FENCE.sub("", answer).removesuffix("```").strip()
    for candidate in (text, bare):
        try:
            return Reading(value=_DECODER.decode(candidate), repaired=candidate != reply.strip())
        except (ValueError, RecursionError):
            continue
    return _search(bare)


def _search(text: str) -> Reading:
    """Read every value that begins like a list of objects or an object."""
    values: list[Any] = []
    gaps: list[str] = []
    truncated = False
    end = 0
    while not truncated and (start := _START.search(text, end)):
        gaps.append(text[end : start.start()])
        value, end, truncated = _value_at(text, start.start())
        values.append(value)
    if not values:
        raise NotJson("it contains no JSON")
    if len(values) == 1 or all(value == values[0] for value in values):
        return Reading(value=values[0], repaired=True, truncated=truncated)
    objects = all(isinstance(value, dict) for value in values)
    if not objects or not all(_GAP.fullmatch(gap) for gap in gaps[1:]):
        raise NotJson("it contains more than one JSON value")
    return Reading(value=values[:-1] if truncated else values, repaired=True, truncated=truncated)


def _value_at(text: str, start: int) -> tuple[Any, int, bool]:
    """Return a value, where it ends and whether it was cut; plain JSON is never reinterpreted."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        reader = _Reader(text, start)
        value, end = reader.value(0, _AFTER_VALUE), reader.position
        return value, end, reader.truncated
    return value, end, False


class _Cut(Exception):
    """The text ended inside a value."""


class _Reader:
    """Reads one tolerantly written value."""

    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self.position = position
        self.truncated = False

    def value(self, depth: int, after: re.Pattern[str]) -> Any:
        if depth > MAX_DEPTH:
            raise NotJson("it is nested too deeply")
        match self._next(_SKIP):
            case "":
                raise _Cut
            case "{":
                return self._object(depth)
            case "[":
                return self._array(depth)
            case quote if quote in _QUOTES:
                return self._string(after)
        return self._word()

    def _array(self, depth: int) -> list[Any]:
        self.position += 1
        items: list[Any] = []
        while (following := self._next(_SKIP_COMMAS)) != "]":
            try:
                item = self.value(depth + 1, _AFTER_ITEM)
            except _Cut:
                self.truncated = True
            if self.truncated:
                return items
            items.append(item)
        self.position += len(following)
        return items

    def _object(self, depth: int) -> dict[str, Any]:
        self.position += 1
        members: dict[str, Any] = {}
        try:
            while self._next(_SKIP_COMMAS) != "}":
                name = self._name()
                if name in members:  # Two objects have run into one.
                    raise NotJson("an object has two members of one name")
                members[name] = self.value(depth + 1, _AFTER_VALUE)
                if self.truncated:
                    return members
        except _Cut:
            self.truncated = True
            return members
        self.position += 1
        return members

    def _name(self) -> str:
        """Read the name of a member and the colon after it."""
        following = self._next(_SKIP)
        if following in _QUOTES:
            name = self._string(_AFTER_KEY)
        elif bare := _NAME.match(self._text, self.position):
            name = bare.group()
            self.position = bare.end()
        elif following == "":
            raise _Cut
        else:
            raise NotJson("a member of an object has no name")
        colon = self._next(_SKIP)
        if colon == "":
            raise _Cut
        if colon not in ":：":
            raise NotJson("a member of an object has no value")
        self.position += 1
        return name

    def _string(self, after: re.Pattern[str]) -> str:
        text = self._text
        close = _QUOTES[text[self.position]]
        parts: list[str] = []
        position = self.position + 1
        unescaped = False
        while True:
            plain = _PLAIN[close].match(text, position)
            assert plain is not None
            parts.append(plain.group())
            position = plain.end()
            if position == len(text):
                raise _Cut
            if text[position] == "\\":
                part, position = self._escape(position)
            elif after.match(text, position + 1):
                self.position = position + 1
                break
            else:
                part, position, unescaped = close, position + 1, True
            parts.append(part)
        whole = _joined(parts)
        if unescaped and _SWALLOWED.search(whole):
            raise NotJson("a text has no closing quote")
        return whole

    def _escape(self, position: int) -> tuple[str, int]:
        r"""Return what an escape stands for; one that is none is text, as in C:\users."""
        letter = self._text[position + 1 : position + 2]
        if letter != "u":
            return _ESCAPES.get(letter, "\\" + letter), position + 1 + len(letter)
        if code := _HEX.match(self._text, position + 2):
            return chr(int(code.group(), 16)), code.end()
        return "\\u", position + 2

    def _word(self) -> Any:
        if number := _NUMBER.match(self._text, self.position):
            self.position = number.end()
            return json.loads(number.group())
        word = _WORD.match(self._text, self.position)
        assert word is not None
        if word.group() in _WORDS:
            self.position = word.end()
            return _WORDS[word.group()]
        if word.end() == len(self._text):
            raise _Cut
        raise NotJson("a text has no quotes around it")

    def _next(self, skip: re.Pattern[str]) -> str:
        skipped = skip.match(self._text, self.position)
        assert skipped is not None
        self.position = skipped.end()
        return self._text[self.position : self.position + 1]


def _joined(parts: list[str]) -> str:
    """Join the parts of a string; two escaped surrogates make one character, one makes U+FFFD."""
    text = "".join(parts)
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _no_number(_: str) -> None:
    return None


_DECODER = json.JSONDecoder(parse_constant=_no_number)
