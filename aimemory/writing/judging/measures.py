"""Quantities in a sentence, so that 6月23号 is 06月23日 and 三岁 is 3岁."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DIGITS = {**{digit: value for value, digit in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
WORDS = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
LATE = ("下午", "晚上", "傍晚", "晚", "pm", "p.m.")

_TENS = "|".join(TENS)
_WORD = rf"(?:{_TENS})(?:[- ](?:{'|'.join(WORDS[:9])}))?|{'|'.join(reversed(WORDS))}"
_DIGITS = r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_HAN = "[零〇一二两三四五六七八九十百千万亿半]+"
_NUMBER = rf"(?:{_DIGITS})[千万亿]?|{_HAN}|(?<![a-z])(?:{_WORD})"
_MONTH = "|".join([*MONTHS, "sept", *(month[:3] for month in MONTHS if month != "may")])
_YEAR = r"(?P<year>(?:19|20)\d{2}|[一二][〇零九][〇零一二三四五六七八九]{2})"
_PART = r"(?P<part>下午|晚上|傍晚|早上|上午|凌晨|晚)?"
_HALF = r"(?P<half>[ap]\.?m\b\.?)"


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity."""

    kind: str
    """A table of units.toml, or date, clock, email, phone, number or identifier. A number is
    written in words; digits without a unit may as well be a name, as in room 3."""
    value: float | str | tuple[float | None, ...]
    """In the smallest unit of its kind; (year, month, day) for a date."""

    @property
    def text(self) -> str:
        """Return the same text for the same quantity."""
        return f"{self.kind}:{self.value}"


Reader = Callable[[re.Match[str]], Measure | None]


def measure_at(text: str, start: int) -> tuple[Measure, int] | None:
    """Return the measure that begins at a position, and where it ends."""
    if not _STARTS.match(text, start):
        return None
    for pattern, read in _readers():
        match = pattern.match(text, start)
        measure = read(match) if match else None
        if match and measure:
            return measure, match.end()
    return None


_STARTS = re.compile(
    rf"[a-z0-9._+'-]+@|[\d¥$€£+下晚傍早上凌农]|{_HAN}|(?:{_WORD}|{_MONTH}|the )", re.I
)


@cache
def _readers() -> tuple[tuple[re.Pattern[str], Reader], ...]:
    units = tomllib.loads(Path(__file__).with_name("units.toml").read_text("utf-8"))
    number = r"\d{1,2}|[一二两三四五六七八九十]{1,3}"
    date = rf"(?:{_YEAR}年)?(?:农历)?(?P<month>{number})月(?:(?:初)?(?P<day>{number})[日号]?)?"
    day = r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    patterns: list[tuple[str, Reader]] = [
        (r"[a-z0-9._+'-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+", _literal("email")),
        (r"1[3-9]\d{9}(?!\d)|\+\d{6,15}|\d{3,4}-\d{7,8}|\d{3}-\d{3}-\d{4}", _literal("phone")),
        (rf"{_YEAR}[-/](?P<month>\d{{1,2}})(?:[-/](?P<day>\d{{1,2}}))?(?![\d-])", _date),
        (date, _date),
        (rf"{_YEAR}年", _date),
        (rf"(?P<word>{_MONTH})\b\.? {day}\b(?:,? {_YEAR})?", _date),
        (rf"{day} (?:of )?(?P<word>{_MONTH})\b(?:,? {_YEAR})?", _date),
        (rf"{_PART}(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})\s?{_HALF}?", _clock),
        (rf"(?P<hour>\d{{1,2}})\s?{_HALF}", _clock),
        (
            rf"{_PART}(?!一点(?!钟|半|[\d一二三四五]))(?P<hour>{number})[点时]钟?(?:(?P<minute>半|(?:{number})(?=分))分?)?",
            _clock,
        ),
        (r"[¥$€£](?P<number>\d[\d,]*(?:\.\d+)?)(?P<thousand>k\b)?", _money),
        (r"(?P<metres>\d)米(?P<rest>\d{1,2})(?!\d)", _height),
        *(_unit(kind, worth) for kind, worth in units.items()),
        (rf"{_YEAR}(?!\d)", _date),
        (rf"(?:{_WORD})\b", lambda match: Measure("number", _number(match[0]))),
        (r"\d[\d.,-]*\d|\d", _literal("identifier")),
    ]
    return tuple((re.compile(pattern, re.I), read) for pattern, read in patterns)


def _unit(kind: str, worth: dict[str, float]) -> tuple[str, Reader]:
    spellings = "|".join(re.escape(unit) for unit in sorted(worth, key=len, reverse=True))

    def read(match: re.Match[str]) -> Measure:
        unit = match["unit"].casefold()
        amount = _number(match["number"]) + (0.5 if match["half"] else 0)
        return Measure(f"count {unit}" if kind == "count" else kind, round(amount * worth[unit], 3))

    pattern = rf"(?P<number>{_NUMBER})\s?-?(?P<unit>{spellings})(?![a-z])(?P<half>半(?!年|天|个))?"
    return pattern, read


def _literal(kind: str) -> Reader:
    return lambda match: Measure(kind, match[0].casefold())


def _date(match: re.Match[str]) -> Measure | None:
    parts = {name: text for name, text in match.groupdict().items() if text}
    year, month, day = (
        _number(parts[name]) if name in parts else None for name in ("year", "month", "day")
    )
    if "word" in parts:
        start = parts["word"].casefold()[:3]
        month = 1.0 + next(at for at, name in enumerate(MONTHS) if name.startswith(start))
    possible = 1 <= (month or 1) <= 12 and 1 <= (day or 1) <= 31
    return Measure("date", (year, month, day)) if possible else None


def _clock(match: re.Match[str]) -> Measure | None:
    parts = {name: text for name, text in match.groupdict().items() if text}
    hour, minute = _number(parts["hour"]), parts.get("minute", "0")
    minutes = 30 if minute == "半" else _number(minute)
    if hour < 12 and LATE.count(parts.get("part", parts.get("half", "")).casefold()):
        hour += 12
    return Measure("clock", hour * 60 + minutes) if hour <= 24 and minutes < 60 else None


def _money(match: re.Match[str]) -> Measure:
    return Measure("money", _number(match["number"]) * (1000 if match["thousand"] else 1))


def _height(match: re.Match[str]) -> Measure:
    return Measure("length", int(match["metres"]) * 100.0 + int(match["rest"].ljust(2, "0")))


def _number(text: str) -> float:
    """Return the number that digits, Chinese numerals or an English word stand for."""
    text = text.replace(",", "").casefold()
    tens, _, ones = text.replace("-", " ").partition(" ")
    if tens in TENS:
        return (TENS.index(tens) + 2) * 10.0 + (WORDS.index(ones) + 1 if ones else 0)
    if text in WORDS:
        return WORDS.index(text) + 1.0
    if len(text) > 1 and all(character in DIGITS for character in text):
        return float("".join(str(DIGITS[character]) for character in text))
    return _numerals(text)


def _numerals(text: str) -> float:
    """Read 三十六, 两千五百, 3万, 半."""
    digits = re.match(r"\d+(?:\.\d+)?", text)
    total = section = 0.0
    current = float(digits[0]) if digits else 0.0
    for character in text[digits.end() if digits else 0 :]:
        if character == "半":
            current += 0.5
        elif character in DIGITS:
            current = float(DIGITS[character])
        elif POWERS[character] < 10_000:
            section += (current or 1) * POWERS[character]
            current = 0.0
        else:
            total += ((section + current) or 1) * POWERS[character]
            section = current = 0.0
    return total + section + current
