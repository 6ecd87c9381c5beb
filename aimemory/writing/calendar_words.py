"""Times as people say them: the arithmetic that Chinese and English share."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["day", "week", "month", "year"]

NOON = 12
_DIGITS = {word: value for value, word in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_ENGLISH_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
ENGLISH_NUMBER = "|".join(
    [r"\d{1,3}", *sorted(_ENGLISH_NUMBERS, key=lambda word: len(word), reverse=True)]
)


@dataclass(frozen=True, slots=True)
class Span:
    """A day, or a longer time that begins with it."""

    first: date
    unit: Unit = "day"
    hour: int = NOON
    minute: int = 0


Replaced: TypeAlias = tuple[str, Span] | None


@dataclass(frozen=True, slots=True)
class Reader:
    """One way to speak of time, and what to write instead."""

    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str], datetime], Replaced]
    """Gets the match and the local time; None leaves the words as they are."""


def reader(
    pattern: str,
) -> Callable[[Callable[[re.Match[str], datetime], Replaced]], Reader]:
    """Make a `Reader` of the function below it."""
    return lambda replace: Reader(re.compile(pattern, re.IGNORECASE), replace)


def number(written: str) -> int | None:
    """Return the value of digits, of an English number up to twelve, or of 二十三."""
    if written.isdigit():
        return int(written)
    if written.isascii():
        return _ENGLISH_NUMBERS.get(written.lower())
    total, digit = 0, 0
    for character in written:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        elif character in _DIGITS:
            digit = _DIGITS[character]
        else:
            return None
    return total + digit


def monday(day: date) -> date:
    """Return the Monday of its week."""
    return day - timedelta(days=day.weekday())


def month_day(year: int, month: int, day: int) -> date | None:
    """Return the date, or None where the calendar has none."""
    if not (1 <= year <= 9998 and 1 <= month <= 12):
        return None
    return date(year, month, day) if 1 <= day <= monthrange(year, month)[1] else None


def months_later(day: date, months: int, day_of_month: int = 1) -> date | None:
    """Return that day of the month so many months later (earlier when negative)."""
    count = day.year * 12 + day.month - 1 + months
    return month_day(count // 12, count % 12 + 1, day_of_month)


def nearest(day: date, month: int, day_of_month: int) -> date | None:
    """Return the day of that name which is nearest to ``day``."""
    found = [
        month_day(year, month, day_of_month) for year in (day.year - 1, day.year, day.year + 1)
    ]
    return min(
        (other for other in found if other), key=lambda other: abs(other - day), default=None
    )


def days_later(day: date, days: int) -> date | None:
    """Return the day so many days later, or None beyond the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None
