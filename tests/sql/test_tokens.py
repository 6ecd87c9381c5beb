"""tokens: the words of every script, the same way for what is stored and what is asked."""

import unicodedata

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memories import ask, value

# Characters that say something, and some that are too common to stand alone.
TELLING = "家猫叫年糕今天吐办海咖啡馆看书喜欢用户周末𠮷々"
COMMON = "的了在我是很"

db_stays_the_same = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def tokens(db, text):
    return value(db, "tokens", input=text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # 我 is common: dropped alone, kept with a neighbour that says something.
        ("我家猫叫年糕", ["我家", "家", "家猫", "猫", "猫叫", "叫", "叫年", "年", "年糕", "糕"]),
        # The pair of two common characters is dropped as well.
        ("我的猫", ["的猫", "猫"]),
        ("The cats were running", ["cat", "run"]),
        ("cron 定时", ["cron", "定", "定时", "时"]),
        ("东京タワー", ["东", "东京", "京", "京タ", "タ", "タワ", "ワ", "ワー", "ー"]),
        ("서울에서", ["서", "서울", "울", "울에", "에", "에서", "서"]),
        ("ไทย", ["ไ", "ไท", "ท", "ทย", "ย"]),
        ("ｃａｔ　３", ["cat", "3"]),
        ("ﾀﾜｰ", ["タ", "タワ", "ワ", "ワー", "ー"]),
        ("I code in C++, C# and C", ["code", "c++", "c#", "c"]),
        ("ERR-7719", ["err", "7719"]),
        ("it's Ann's, don't; we’ll", ["ann"]),
        ("O'Brien", ["o", "brien"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("猫😀😀", ["猫", "😀", "😀"]),
        ("二〇二四", ["二", "二〇", "〇", "〇二", "二", "二四", "四"]),
        ("\ufeffcats", ["cat"]),
        ("мыла раму", ["мыла", "раму"]),
        ('a& | ! ( ) : * < > \' \\ "cats" %s {0} $1', ["cat", "0", "1"]),
        ("", []),
        ("，。！？…—", []),
        (" \t\r\n\u3000\u200b", []),
    ],
)
def test_the_words_of(db, text, expected):
    assert tokens(db, text) == expected


def test_no_text_has_no_words(db):
    assert tokens(db, None) == []


def test_the_same_words_stay_as_often_as_they_were_said(db):
    assert tokens(db, "tea, tea, tea") == ["tea", "tea", "tea"]


@db_stays_the_same
@given(st.text())
def test_no_text_makes_it_fail(db, text):
    assume("\x00" not in text)
    found = tokens(db, text)
    # What was found can be stored, and says the same when asked for again.
    stored, asked = ask(
        db,
        "select aimemory.keywords(w.text)::text from (values (%s), (%s)) w(text)",
        text,
        unicodedata.normalize("NFKC", text),
    )
    assert stored == asked
    assert "" not in found


@db_stays_the_same
@given(st.text(TELLING + COMMON, min_size=2, max_size=30), st.integers(0, 28), st.integers(2, 30))
def test_any_part_of_a_chinese_sentence_shares_a_word_with_it(db, sentence, start, length):
    part = sentence[start : start + length]
    assume(len(part) >= 2 and set(part) & set(TELLING) - {"々"})

    assert set(tokens(db, part)) & set(tokens(db, sentence))


@db_stays_the_same
@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
def test_width_and_composition_change_nothing(db, text):
    assert tokens(db, unicodedata.normalize("NFKC", text)) == tokens(db, text)


@db_stays_the_same
@given(st.text("aeinoruEINOÄéＡｂ '-.,年糕\n"))
def test_case_changes_nothing(db, text):
    assert tokens(db, text.upper()) == tokens(db, text.lower())


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        # A unit has 6 telling characters and 6 telling pairs, and one pair with the next.
        ("年糕今天吐了怎么办", lambda units: 13 * units - 1),
        ("the cats are running ", lambda units: 2 * units),
        ("a", lambda units: 1),
        ("\u0301", lambda units: 1),
        ("😀", lambda units: units),
        ("' & | ", lambda units: 0),
    ],
)
def test_a_megabyte_is_read_in_seconds(db, unit, words):
    db.execute("set local statement_timeout = '30s'")
    units = 1_000_000 // len(unit.encode())

    assert len(tokens(db, unit * units)) == words(units)
