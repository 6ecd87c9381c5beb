"""Cut a sentence into words, by the longest word that is known.

A Chinese character that belongs to no known word stays with its neighbours: 猫头鹰 is
one token where 猫 is another, so the one never counts as a part of the other. What an
unknown word really is does not matter, as long as it is cut alike in two sentences.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from aimemory.writing.judging.lexicon import HAN, NO_ROLES, Entry, Role, is_han, lexicon, stem
from aimemory.writing.judging.measures import Measure, measure_at

_CONTRACTIONS = (
    (re.compile("不过敏"), "没有过敏"),
    (re.compile(r"\bcan'?t\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"(?<=[a-z])n't\b", re.I), " not"),
    (re.compile(r"\b(i|you|he|she|it|we|they)'(?:m|re)\b", re.I), r"\1 are"),
    (re.compile(r"\b(i|you|we|they)'ve\b", re.I), r"\1 have"),
    (re.compile(r"\b(i|you|he|she|it|we|they)'(?:d|ll)\b", re.I), r"\1 would"),
)
AS_OF = re.compile(r"\s?[(（](?:截至|as of )[^)）]*[)）]", re.I)
"""When something was so: 三岁（截至2026-01）. The row knows when it was written."""
_WORD = re.compile(r"[^\W\d_](?:[\w+#]|[.-](?=\w))*")
PAUSE = re.compile(rf"(?:[;!?。…()【】\n]|(?<!\d),|,(?!\d)|\.(?=\s|$|[.{HAN}]))[\s,;!?。….()【】]*")
"""What ends a clause; not the sign inside 1,000 or before the value in 规模:八百人."""
_ARTICLE = re.compile("一[个只条位名家本台辆张件款种份间套匹头]")
_LONGEST_PHRASE = 4


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or sign."""

    text: str
    """The same for words that mean the same, without case and ending."""
    start: int
    end: int
    """Where it stands in the normalised sentence."""
    surface: str
    roles: frozenset[Role] = NO_ROLES
    measure: Measure | None = None

    def does(self, *roles: str) -> bool:
        """Return True where the word has one of the roles."""
        return any(role in roles for role, _ in self.roles)

    def means(self, role: str) -> tuple[str, ...]:
        """Return its meanings in a role, in alphabetical order."""
        return tuple(sorted(meaning for given, meaning in self.roles if given == role))

    @property
    def unknown(self) -> bool:
        """True for a word that no table has."""
        return not self.roles and self.measure is None


def normalised(text: str) -> str:
    """Return a text without what does not change its meaning: width, spacing, contractions."""
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("\u200b", "")
    text = re.sub(r"\s*\n\s*", "。", AS_OF.sub("", text).strip())
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(rf"(?<=[{HAN}。]) | (?=[{HAN}])", "", text)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """Cut a normalised sentence; punctuation comes as a token with the role "break"."""
    found: list[Token] = []
    position = unknown = 0
    while position < len(text):
        token = _token_at(text, position)
        if token is None and re.match(f"[{HAN}]", text[position]):
            position += 1
            continue
        _close(found, text, unknown, position)
        if token:
            found.append(token)
        position = unknown = token.end if token else position + 1
    _close(found, text, unknown, position)
    return tuple(_without_modals(_with_compounds(found)))


def _with_compounds(words: list[Token]) -> list[Token]:
    """Join 猫 with what it is a part of: 猫头鹰, 熊猫; not behind a subject, where names come."""
    found: list[Token] = []
    for word in words:
        before = found[-1] if found else None
        touching = before is not None and before.end == word.start
        if before and touching and _are_compound(before, word, found[-2] if found[1:] else None):
            text = before.surface + word.surface
            found[-1] = Token(text, before.start, word.end, text)
        else:
            found.append(word)
    return found


def _are_compound(one: Token, two: Token, before: Token | None) -> bool:
    if one.unknown and is_han(one.text):
        return len(two.text) == 1 and two.does("relation")
    named = before is None or before.does("owner", "article", "relation", "pronoun")
    lone = len(one.text) == 1 and one.does("relation") and is_han(one.text)
    return lone and two.unknown and is_han(two.text) and not named


def _without_modals(words: list[Token]) -> Iterator[Token]:
    """Cut 会 and 能 off the verb behind a subject: 我会开车, as in 我不会开车."""
    for place, word in enumerate(words):
        behind_subject = place > 0 and words[place - 1].does("owner", "relation", "pronoun")
        modal = behind_subject and word.unknown and word.text[0] in "会能"
        if modal and len(word.text) == 1:
            continue
        if modal and len(word.text) > 2:
            yield replace(word, text=word.text[1:], surface=word.surface[1:], start=word.start + 1)
        else:
            yield word


def _close(found: list[Token], text: str, start: int, end: int) -> None:
    if start < end:
        found.append(Token(text[start:end], start, end, text[start:end]))


def _token_at(text: str, start: int) -> Token | None:
    pause = PAUSE.match(text, start)
    if pause:
        return Token(pause[0], start, pause.end(), pause[0], frozenset({("break", "any")}))
    measured = measure_at(text, start)
    if measured and measured[0].kind == "number" and _latin(text, start).roles:
        return _latin(text, start)
    if measured and not _ARTICLE.fullmatch(text, start, measured[1]):
        measure, end = measured
        return Token(measure.text, start, end, text[start:end], measure=measure)
    article = _ARTICLE.match(text, start)
    if article:
        return _known(text, start, article.end(), lexicon().han["一个"])
    word = _WORD.match(text, start)
    if word and not re.match(f"[{HAN}]", word[0]):
        return _latin(text, start)
    if text[start] == ":":
        return Token(":", start, start + 1, ":", frozenset({("function", "any")}))
    if text[start] == "、":
        return _known(text, start, start + 1, lexicon().han["和"])
    for end in range(min(len(text), start + lexicon().longest), start, -1):
        entry = lexicon().han.get(text[start:end])
        if entry:
            return _known(text, start, end, entry)
    return None


def _latin(text: str, start: int) -> Token:
    """Return the longest known phrase, or the word."""
    ends = [match.end() for match in _words(text, start)]
    for end in reversed(ends):
        surface = text[start:end]
        entry = lexicon().latin.get(" ".join(stem(word) for word in surface.casefold().split()))
        if entry and (surface[0].isupper() or not all(role == "place" for role, _ in entry.roles)):
            return _known(text, start, end, entry)
    surface = text[start : ends[0]]
    return Token(stem(surface.casefold()), start, ends[0], surface)


def _words(text: str, start: int) -> list[re.Match[str]]:
    """Return the words of one phrase, with nothing but spaces between them."""
    found: list[re.Match[str]] = []
    while len(found) < _LONGEST_PHRASE:
        match = _WORD.match(text, start)
        if match is None:
            break
        han = re.search(f"[{HAN}]", match[0])
        if han:
            match = re.compile(r"[^\W\d_][\w+#]*").match(text, start, start + han.start())
        if match is None:
            break
        found.append(match)
        if text[match.end() : match.end() + 1] != " ":
            break
        start = match.end() + 1
    return found


def _known(text: str, start: int, end: int, entry: Entry) -> Token:
    return Token(entry.text, start, end, text[start:end], entry.roles)
