"""Relative dates made absolute, in the time zone of the user.

A memory outlives the day it was said on, so "yesterday" has to become a date. What is
vague (最近, "these days", a bare weekday) stays as it was said, and so do names and
quotations: 今天头条 is a newspaper, 《明天会更好》 a song.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time
from functools import lru_cache
from zoneinfo import ZoneInfo

from aimemory.writing import dates_chinese, dates_english
from aimemory.writing.calendar_words import Reader, Span
from aimemory.writing.vocabulary import Vocabulary

_QUOTED = (
    r"《[^》\n]{0,80}》|“[^”\n]{0,80}”|「[^」\n]{0,80}」|『[^』\n]{0,80}』|\"[^\"\n]{0,80}\""
    r"|(?<!\w)'[^'\n]{1,80}'(?!\w)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A sentence whose dates can be read in any year."""

    text: str
    event_at: datetime | None = None
    """The first time that it names, in the zone of the user. A week or a month counts as
    its first day, a year as nothing. A day without an hour is its noon, so that no zone
    shows another date."""


def absolute(text: str, now: datetime, time_zone: str, vocabulary: Vocabulary) -> Dated:
    """Return the sentence with its relative dates replaced, and when it happened.

    ``now`` is when it was said, aware; today is the day it then was in ``time_zone``.
    """
    local = now.astimezone(ZoneInfo(time_zone))
    language = vocabulary.language_of(text)
    spoken = dates_chinese if language.name == "zh" else dates_english
    finder = _finder(spoken.READERS, language.group("not_a_date").expression)
    found: list[Span] = []

    def replace(match: re.Match[str]) -> str:
        said: str = match[0]
        if match.lastgroup is None or match.lastgroup == "keep":
            return said
        reader: Reader = spoken.READERS[int(match.lastgroup[1:])]
        exact = reader.pattern.match(text, match.start())
        replaced = reader.replace(exact, local) if exact else None
        if replaced is None:
            return said
        found.append(replaced[1])
        return replaced[0]

    written = finder.sub(replace, text)
    event_at = next((_moment(span, local) for span in found if span.unit != "year"), None)
    return Dated(text=spoken.as_of(written, local), event_at=event_at)


@lru_cache(maxsize=8)
def _finder(readers: tuple[Reader, ...], exceptions: str) -> re.Pattern[str]:
    """Return one expression for all readers, so that no replacement is read again."""
    unnamed = [re.sub(r"\(\?P<\w+>", "(?:", reader.pattern.pattern) for reader in readers]
    named = [f"(?P<r{place}>{expression})" for place, expression in enumerate(unnamed)]
    return re.compile("|".join([f"(?P<keep>{_QUOTED}|{exceptions})", *named]), re.IGNORECASE)


def _moment(span: Span, local: datetime) -> datetime:
    return datetime.combine(span.first, time(span.hour, span.minute), tzinfo=local.tzinfo)
