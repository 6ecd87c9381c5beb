"""How Chinese speaks of time: 昨天晚上八点, 下周三, 上个月15号, 三天前."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from aimemory.writing.calendar_words import (
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
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨儿": -1, "今天": 0, "今日": 0, "今儿": 0,
    "明天": 1, "明日": 1, "明儿": 1, "后天": 2, "大后天": 3,
    "昨": -1, "今": 0, "明": 1, "当": 0,
}  # fmt: skip
_HOURS = {
    "凌晨": 2, "早上": 8, "早晨": 8, "早": 8, "上午": 10, "中午": 12, "下午": 15, "傍晚": 18,
    "晚上": 20, "晚": 20, "夜里": 22, "夜": 22,
}  # fmt: skip
_LATE = ("下午", "傍晚", "晚上", "晚", "夜里", "夜")
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_N = r"[\d一二两三四五六七八九十百]"
_PART = "凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里"
_CLOCK = rf"(?P<clock>{_N}{{1,3}}点(?:半|{_N}{{1,3}}分?)?|\d{{1,2}}[:：]\d{{2}})?"


@reader(
    rf"(?:(?P<day>大前天|大后天|[前昨今明后]天|[昨今明][日儿])的?(?P<part>{_PART})?"
    rf"|(?P<short>[昨今明])(?P<short_part>早上?|晚上?|夜)){_CLOCK}"
)
def _day(match: re.Match[str], now: datetime) -> Replaced:
    first = days_later(now.date(), _DAYS[match["day"] or match["short"]])
    return _on(first, match["part"] or match["short_part"] or "", match["clock"] or "")


@reader(
    r"(?P<which>上+|下+|这|本)一?个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末])?"
    rf"的?(?P<part>{_PART}|晚)?{_CLOCK}"
)
def _week(match: re.Match[str], now: datetime) -> Replaced:
    which = match["which"]
    weeks = {"上": -len(which), "下": len(which)}.get(which[0], 0)
    start = days_later(monday(now.date()), 7 * weeks)
    if start is None:
        return None
    weekday = match["weekday"]
    if weekday is None:
        return f"{start:%Y-%m-%d}那周", Span(start, "week")
    if weekday == "末":
        saturday = start + timedelta(days=5)
        return f"{saturday:%Y-%m-%d}那个周末{match['part'] or ''}", Span(saturday)
    day = start + timedelta(days="一二三四五六日".find(weekday.replace("天", "日")))
    return _on(day, match["part"] or "", match["clock"] or "")


@reader(
    rf"(?P<which>上+|下+|这|本)一?个?月(?![亮饼球光份季经])(?:的?(?P<day>{_N}{{1,3}})[号日])?(?!子)"
)
def _month(match: re.Match[str], now: datetime) -> Replaced:
    which = match["which"]
    months = {"上": -len(which), "下": len(which)}.get(which[0], 0)
    day = number(match["day"]) if match["day"] else None
    first = months_later(now.date(), months, day or 1)
    if first is None:
        return None
    if day:
        return f"{first:%Y-%m-%d}", Span(first)
    return f"{first.year}年{first.month}月", Span(first, "month")


@reader(
    r"(?P<year>前年|去年|今年|明年|后年)的?"
    rf"(?:(?P<month>{_N}{{1,2}})月份?(?:(?P<day>{_N}{{1,3}})[号日])?)?"
)
def _year(match: re.Match[str], now: datetime) -> Replaced:
    year = now.year + _YEARS[match["year"]]
    month = number(match["month"]) if match["month"] else None
    day = number(match["day"]) if match["day"] else None
    if month is None:
        kept = "的" if match[0].endswith("的") else ""
        return f"{year}年{kept}", Span(date(year, 1, 1), "year")
    first = month_day(year, month, day or 1)
    if first is None:
        return None
    if day is None:
        return f"{year}年{month}月", Span(first, "month")
    return f"{first:%Y-%m-%d}", Span(first)


@reader(
    rf"(?<![第每{_N[1:-1]}])(?P<count>{_N}{{1,4}}|半)个?(?P<unit>天|周|星期|礼拜|月|年)(?P<half>半)?"
    r"(?P<way>之?前|以前|之?后|以后)"
)
def _away(match: re.Match[str], now: datetime) -> Replaced:
    count, unit = match["count"], match["unit"]
    if match["half"] or (count == "半" and unit not in ("年", "月")):
        return None
    sign = -1 if "前" in match["way"] else 1
    today = now.date()
    if count == "半":
        count, unit = ("6", "月") if unit == "年" else ("2", "周")
    amount = sign * (number(count) or 0)
    if unit == "年":
        year = today.year + amount
        return (f"{year}年", Span(date(year, 1, 1), "year")) if 1 <= year <= 9998 else None
    if unit == "月":
        first = months_later(today, amount)
        return (f"{first.year}年{first.month}月", Span(first, "month")) if first else None
    first = days_later(today, amount if unit == "天" else 7 * amount)
    about = "" if unit == "天" else "前后"
    return (f"{first:%Y-%m-%d}{about}", Span(first)) if first else None


@reader(r"刚才|刚刚(?=经过|路过|去|看|买|吃|到|见|在)|(?P<tonight>当晚)")
def _just_now(match: re.Match[str], now: datetime) -> Replaced:
    if match["tonight"]:
        return None
    return f"{now:%Y-%m-%d}", Span(now.date(), hour=now.hour, minute=now.minute)


@reader(rf"(?<![\d年{_N[1:-1]}月-])(?P<month>{_N}{{1,2}})月(?P<day>{_N}{{1,3}})[号日]")
def _day_of_year(match: re.Match[str], now: datetime) -> Replaced:
    month, day = number(match["month"]), number(match["day"])
    if re.search("生日|纪念日|忌日|每年", match.string) or month is None or day is None:
        return None  # a day that comes back every year
    first = nearest(now.date(), month, day)
    return (f"{first:%Y-%m-%d}", Span(first)) if first else None


READERS = (_day, _week, _month, _year, _away, _just_now, _day_of_year)

_LASTING = re.compile(
    rf"(?:了|有)(?:差不多|快|大概)?(?:{_N}{{1,4}}|半)多?(?:年|个月|个?星期|周)多?(?P<particle>了?)$"
    rf"|(?<![年月\d.-]){_N}{{1,4}}多?岁[半多]?(?P<age_particle>了?)$"
)


def as_of(text: str, now: datetime) -> str:
    """Date a length of time or an age that ends the sentence: 养了两年（截至2026-01）."""
    match = _LASTING.search(text)
    if match is None or re.search(r"\d{4}(?:年|-)", text):
        return text
    particle = match["particle"] or match["age_particle"] or ""
    return f"{text[: len(text) - len(particle)]}（截至{now:%Y-%m}）"


def _on(day: date | None, part: str, clock: str) -> Replaced:
    if day is None:
        return None
    hour, minute = _hour(part, clock)
    spoken = {"早": "早上", "晚": "晚上", "夜": "夜里"}.get(part, part)
    return f"{day:%Y-%m-%d}{spoken}{clock}", Span(day, hour=hour, minute=minute)


def _hour(part: str, clock: str) -> tuple[int, int]:
    numbers = [number(written) or 0 for written in re.findall(rf"{_N}+", clock)]
    if not numbers:
        return _HOURS.get(part, NOON), 0
    hour = numbers[0] + (12 if part in _LATE and numbers[0] < 12 else 0)
    minute = 30 if clock.endswith("半") else numbers[1] if numbers[1:] else 0
    return (hour, minute) if hour < 24 and minute < 60 else (NOON, 0)
