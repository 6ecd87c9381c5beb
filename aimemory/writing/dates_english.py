"""How English speaks of time: yesterday evening, next Friday, in three weeks, May 5th."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from aimemory.writing.calendar_words import (
    ENGLISH_NUMBER,
    NOON,
    Replaced,
    Span,
    days_later,
    monday,
    month_day,
    months_later,
    nearest,
    number,
    reader,
)

_DAYS = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
_HOURS = {"morning": 8, "afternoon": 15, "evening": 20, "night": 20}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "january|february|(?-i:March|May)|april|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
)
_PREPOSITION = r"(?P<preposition>\b(?:since|until|till|by|from|before|after|of|for|on)\s+)?"
_CLOCK = (
    r"(?P<clock>\s+at\s+(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s?(?P<half>[ap]\.?m\b\.?)?)?"
)


def _placed(match: re.Match[str], day: date, part: str = "", clock: str = "") -> str:
    """Write the day with the preposition that the sentence had, or the one it needs."""
    preposition = (match["preposition"] or "").strip().lower()
    written = f"{day:%Y-%m-%d}"
    if preposition in ("", "on", "in"):
        subject = re.match(r"\s+(?:is|was|will|has|marks)\b|'s\b", match.string[match.end() :])
        if part:
            written = f"on the {part} of {written}"
        elif not subject:
            written = f"on {written}"
    else:
        written = f"{preposition} {written}" + (f" ({part})" if part else "")
    return written + clock


def _time(match: re.Match[str], part: str) -> tuple[int, int]:
    if match["hour"] is None:
        return _HOURS.get(part, NOON), 0
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    late = half.startswith("p") or (not half and part in ("afternoon", "evening"))
    hour = hour % 12 + 12 if late and hour <= 12 else hour % 12 if half.startswith("a") else hour
    minute = int(match["minute"] or 0)
    return (hour, minute) if hour < 24 and minute < 60 else (NOON, 0)


@reader(
    rf"{_PREPOSITION}\b(?:earlier )?(?P<day>the day before yesterday|the day after tomorrow"
    r"|yesterday|today|tonight|tomorrow|last night|this(?= (?:morning|afternoon|evening)\b))"
    rf"(?: (?P<part>morning|afternoon|evening|night))?\b{_CLOCK}"
)
def _day(match: re.Match[str], now: datetime) -> Replaced:
    name = match["day"].lower()
    first = days_later(now.date(), _DAYS[name])
    if first is None:
        return None
    part = (match["part"] or ("evening" if name in ("tonight", "last night") else "")).lower()
    hour, minute = _time(match, part)
    return _placed(match, first, part, match["clock"] or ""), Span(first, hour=hour, minute=minute)


@reader(rf"{_PREPOSITION}\b(?P<which>last|this|next) (?P<weekday>{'|'.join(_WEEKDAYS)})\b{_CLOCK}")
def _weekday(match: re.Match[str], now: datetime) -> Replaced:
    """Read "last Friday" as the latest one, "next Friday" as that of the next week."""
    today, which = now.date(), match["which"].lower()
    place = _WEEKDAYS.index(match["weekday"].lower())
    if which == "last":
        first = days_later(today, -((today.weekday() - place - 1) % 7 + 1))
    else:
        first = days_later(monday(today), place + (7 if which == "next" else 0))
    if first is None:
        return None
    hour, minute = _time(match, "")
    return _placed(match, first, "", match["clock"] or ""), Span(first, hour=hour, minute=minute)


@reader(rf"{_PREPOSITION}\b(?P<which>last|this|next) (?P<unit>weekend|week|month|year)\b")
def _period(match: re.Match[str], now: datetime) -> Replaced:
    today = now.date()
    step = {"last": -1, "this": 0, "next": 1}[match["which"].lower()]
    unit = match["unit"].lower()
    kept = (match["preposition"] or "").strip().lower()
    within = kept if kept not in ("", "on", "in") else "in"
    if unit == "year":
        return f"{within} {today.year + step}", Span(date(today.year + step, 1, 1), "year")
    if unit == "month":
        first = months_later(today, step)
        return (f"{within} {first:%Y-%m}", Span(first, "month")) if first else None
    start = days_later(monday(today), 7 * step)
    if start is None:
        return None
    if unit == "weekend":
        start += timedelta(days=5)
        return f"{kept or 'on'} the weekend of {start:%Y-%m-%d}", Span(start)
    return f"{within} the week of {start:%Y-%m-%d}", Span(start, "week")


@reader(rf"\b(?P<count>{ENGLISH_NUMBER}) (?P<unit>day|week|month|year)s? ago\b")
def _ago(match: re.Match[str], now: datetime) -> Replaced:
    return _away(match, now.date(), -(number(match["count"]) or 0))


@reader(
    rf"\bin (?P<count>{ENGLISH_NUMBER}) (?P<unit>day|week|month|year)s?\b(?! (?:of|from|or)\b|')"
)
def _ahead(match: re.Match[str], now: datetime) -> Replaced:
    return _away(match, now.date(), number(match["count"]) or 0)


@reader(
    rf"{_PREPOSITION}\b(?:(?P<month>{_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<day_first>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month_last>{_MONTH}))\b"
    r"(?!,? \d{4})(?![-:./]\d)"
)
def _day_of_year(match: re.Match[str], now: datetime) -> Replaced:
    if re.search("birthday|anniversary|every year|born|each year", match.string, re.IGNORECASE):
        return None  # a day that comes back every year
    month = _MONTHS.index((match["month"] or match["month_last"])[:3].lower()) + 1
    day = int(match["day"] or match["day_first"])
    first = nearest(now.date(), month, day)
    if first is None or month_day(first.year, month, day) is None:
        return None
    return _placed(match, first), Span(first)


READERS = (_day, _weekday, _period, _ago, _ahead, _day_of_year)

_LASTING = re.compile(
    r"\b(?:have|has|'ve|'s)(?: been)?\b[^.]{0,200} for (?:\w+ )?\w+ (?:years?|months?|weeks?)$"
    r"|\b(?:am|is|are|'m|'s|'re|turned)(?: now| just| already| only)? (?:\d{1,3}|\w+)"
    r"(?: years?[ -]old| months?[ -]old)$"
    r"|\b(?:is|'s|turned) \d{1,3}$",
    re.IGNORECASE,
)


def as_of(text: str, now: datetime) -> str:
    """Date a length of time or an age that ends the sentence: is 34 (as of 2026-01)."""
    if _LASTING.search(text) and not re.search(r"\b\d{4}\b", text):
        return f"{text} (as of {now:%Y-%m})"
    return text


def _away(match: re.Match[str], today: date, amount: int) -> Replaced:
    unit = match["unit"].lower()
    if unit == "year":
        year = today.year + amount
        return (f"in {year}", Span(date(year, 1, 1), "year")) if 1 <= year <= 9998 else None
    if unit == "month":
        first = months_later(today, amount)
        return (f"in {first:%Y-%m}", Span(first, "month")) if first else None
    first = days_later(today, amount if unit == "day" else 7 * amount)
    word = "on" if unit == "day" else "around"
    return (f"{word} {first:%Y-%m-%d}", Span(first)) if first else None
