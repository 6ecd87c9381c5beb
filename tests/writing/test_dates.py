from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aimemory.writing.dates import absolute
from aimemory.writing.vocabulary import Vocabulary

ZONE = "Asia/Shanghai"
MONDAY = datetime(2026, 1, 5, 9, tzinfo=ZoneInfo(ZONE))

CHINESE = [
    ("用户今天吃了面包", "用户2026-01-05吃了面包", "2026-01-05 12:00"),
    ("用户昨天吃了苹果", "用户2026-01-04吃了苹果", "2026-01-04 12:00"),
    ("用户前天跑步了", "用户2026-01-03跑步了", "2026-01-03 12:00"),
    ("明天去上海", "2026-01-06去上海", "2026-01-06 12:00"),
    ("后天考试", "2026-01-07考试", "2026-01-07 12:00"),
    ("大后天考试", "2026-01-08考试", "2026-01-08 12:00"),
    ("上周去了成都", "2025-12-29那周去了成都", "2025-12-29 12:00"),
    ("下周三下午3点半面试", "2026-01-14下午3点半面试", "2026-01-14 15:30"),
    ("下下周六晚上七点", "2026-01-24晚上七点", "2026-01-24 19:00"),
    ("这周五交稿", "2026-01-09交稿", "2026-01-09 12:00"),
    ("上个月搬家了", "2025年12月搬家了", "2025-12-01 12:00"),
    ("下个月15号搬家", "2026-02-15搬家", "2026-02-15 12:00"),
    ("去年毕业的", "2025年毕业的", None),
    ("用户的猫年糕今年三岁", "用户的猫年糕2026年三岁", None),
    ("去年5月3号结婚", "2025-05-03结婚", "2025-05-03 12:00"),
    ("三天前感冒了", "2026-01-02感冒了", "2026-01-02 12:00"),
    ("两周后出差", "2026-01-19前后出差", "2026-01-19 12:00"),
    ("三个月前买的", "2025年10月买的", "2025-10-01 12:00"),
    ("刚才路过东湖公园", "2026-01-05路过东湖公园", "2026-01-05 09:00"),
    ("今早吃了粥", "2026-01-05早上吃了粥", "2026-01-05 08:00"),
    ("今晚八点有约", "2026-01-05晚上八点有约", "2026-01-05 20:00"),
    ("昨晚没睡好", "2026-01-04晚上没睡好", "2026-01-04 20:00"),
    ("5月3号去旅行", "2026-05-03去旅行", "2026-05-03 12:00"),
    ("用户养了两年了", "用户养了两年（截至2026-01）", None),
    ("用户28岁了", "用户28岁（截至2026-01）", None),
]
ENGLISH = [
    ("Toast this morning", "Toast on the morning of 2026-01-05", "2026-01-05 08:00"),
    ("They flew yesterday", "They flew on 2026-01-04", "2026-01-04 12:00"),
    ("Yesterday was hard", "2026-01-04 was hard", "2026-01-04 12:00"),
    ("They leave tomorrow", "They leave on 2026-01-06", "2026-01-06 12:00"),
    ("They left the day before yesterday", "They left on 2026-01-03", "2026-01-03 12:00"),
    ("They moved last week", "They moved in the week of 2025-12-29", "2025-12-29 12:00"),
    ("They moved last month", "They moved in 2025-12", "2025-12-01 12:00"),
    ("They moved last year", "They moved in 2025", None),
    ("A flight next Friday at 3pm", "A flight on 2026-01-16 at 3pm", "2026-01-16 15:00"),
    ("A flight this Friday", "A flight on 2026-01-09", "2026-01-09 12:00"),
    ("A concert last Friday", "A concert on 2026-01-02", "2026-01-02 12:00"),
    ("They met two days ago", "They met on 2026-01-03", "2026-01-03 12:00"),
    ("They start in three weeks", "They start around 2026-01-26", "2026-01-26 12:00"),
    ("They start on May 5th", "They start on 2026-05-05", "2026-05-05 12:00"),
    ("They are ill since yesterday", "They are ill since 2026-01-04", "2026-01-04 12:00"),
    ("They've run for two years", "They've run for two years (as of 2026-01)", None),
    ("The user is 34 years old", "The user is 34 years old (as of 2026-01)", None),
]


@pytest.mark.parametrize(("said", "written", "event_at"), CHINESE + ENGLISH)
def test_a_relative_date_becomes_one_that_can_be_read_in_any_year(
    said: str, written: str, event_at: str | None, vocabulary: Vocabulary
) -> None:
    dated = absolute(said, MONDAY, ZONE, vocabulary)

    assert dated.text == written
    assert (dated.event_at and f"{dated.event_at:%Y-%m-%d %H:%M}") == event_at


@pytest.mark.parametrize(
    "said",
    [
        *[
            "用户爱看今天头条",
            "《明天会更好》是用户最喜欢的歌",
            "他说“今天不来”",
            "后天培养的习惯",
            "美好的明天",
        ],
        *[
            "用户的生日是5月3日",
            "用户周末喜欢爬山",
            "用户最近经常失眠",
            "用户前几天感冒了",
            "第三天后",
            "用户每天跑步",
        ],
        *["用户2025年5月3日结婚", "会议在2026-01-14 9:00"],
        *[
            "The user reads USA Today",
            'Their motto is "today counts"',
            "The birthday is on May 5th",
        ],
        *["The user may eat 5 apples", "The user was born on May 5, 1990", "The user often runs"],
        *["The user hikes on Fridays", "The user likes Yesterday Once More"],
    ],
)
def test_names_quotations_and_what_is_vague_stay_as_they_were_said(
    said: str, vocabulary: Vocabulary
) -> None:
    dated = absolute(said, MONDAY, ZONE, vocabulary)

    assert (dated.text, dated.event_at) == (said, None)


@pytest.mark.parametrize(
    ("zone", "day"),
    [("UTC", "2026-01-04"), ("Asia/Shanghai", "2026-01-05"), ("America/Los_Angeles", "2026-01-04")],
)
def test_today_is_the_day_it_was_where_the_user_lives(
    zone: str, day: str, vocabulary: Vocabulary
) -> None:
    half_past_midnight_in_shanghai = datetime(2026, 1, 4, 16, 30, tzinfo=UTC)

    dated = absolute("用户今天吃了面包", half_past_midnight_in_shanghai, zone, vocabulary)

    assert dated.text == f"用户{day}吃了面包"
    assert dated.event_at == datetime.fromisoformat(f"{day} 12:00").replace(tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "Pacific/Honolulu", "America/New_York"])
def test_a_day_without_an_hour_has_the_same_date_in_utc(zone: str, vocabulary: Vocabulary) -> None:
    event_at = absolute("昨天吃了苹果", MONDAY, zone, vocabulary).event_at

    assert event_at is not None
    assert event_at.astimezone(UTC).date() == event_at.date()


def test_the_31st_of_a_month_that_has_none_stays_as_it_was_said(vocabulary: Vocabulary) -> None:
    assert absolute("下个月31号搬家", MONDAY, ZONE, vocabulary).text == "下个月31号搬家"


def test_a_nearest_day_may_lie_in_another_year(vocabulary: Vocabulary) -> None:
    assert absolute("12月28号去滑雪了", MONDAY, ZONE, vocabulary).text == "2025-12-28去滑雪了"


pieces = st.sampled_from(
    [
        *[
            "昨天",
            "下周三",
            "三",
            "天",
            "前",
            "上个月",
            "15号",
            "晚上",
            "八点",
            "今年",
            "半年后",
            "99",
            "周",
            "年",
        ],
        *["yesterday ", "next ", "friday ", "in ", "99 ", "years ", "ago ", "on ", "May ", "31st "],
        "at 25:99",
    ]
)


@given(st.lists(pieces | st.characters(), max_size=12), st.datetimes(timezones=st.just(UTC)))
def test_no_sentence_and_no_date_breaks_it(said: list[str], now: datetime) -> None:
    if 2 <= now.year <= 9990:
        absolute("".join(said), now, ZONE, Vocabulary.load())
