"""Items as models write them, field by field."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from aimemory.llm.prompts import PROMPTS, language_of
from aimemory.writing.llm_items import MEMORIES, InvalidItem, _Item, read_item
from aimemory.writing.proposals import IMPORTANCE_OF_CLASS

SHANGHAI = ZoneInfo("Asia/Shanghai")
LEAST = {"content": "The user has a cat", "type": "fact", "evidence": "my cat"}


def read(**fields):
    return read_item(LEAST | fields, zone=SHANGHAI, language="en")


def local(year, month, day):
    return datetime(year, month, day, tzinfo=SHANGHAI)


def test_the_schema_asks_for_exactly_what_is_read():
    item = MEMORIES["properties"]["memories"]["items"]
    fields = {field.alias or name for name, field in _Item.model_fields.items()}

    assert set(item["properties"]) == fields == set(item["required"])
    assert item["properties"]["class"]["enum"] == list(IMPORTANCE_OF_CLASS)


@pytest.mark.parametrize("language", PROMPTS)
def test_the_instructions_explain_every_field_and_value(language):
    item = MEMORIES["properties"]["memories"]["items"]["properties"]
    words = PROMPTS[language].extraction
    for word in [*item, *item["type"]["enum"], *item["class"]["enum"]]:
        assert word in words


def test_three_fields_are_enough():
    proposal = read()

    assert (proposal.importance_class, proposal.entities, proposal.slot) == ("ordinary", (), None)
    assert (proposal.event_at, proposal.valid_until, proposal.standing) == (None, None, False)
    assert read(type="preference").importance_class == "preference"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"content": None}, "content"),
        ({"content": ""}, "content"),
        ({"content": ["a", "b"]}, "content"),
        ({"content": "x" * 1001}, "content"),
        ({"evidence": None}, "evidence"),
        ({"evidence": " "}, "evidence"),
        ({"evidence": 5}, "evidence"),
        ({"type": "personal"}, "type"),
        ({"type": None}, "type"),
        ({"valid_until": "next week"}, "valid_until"),
        ({"valid_until": "2026-02-30"}, "valid_until"),
    ],
)
def test_an_item_is_dropped_with_the_field_named(fields, named):
    with pytest.raises(InvalidItem) as caught:
        read(**fields)
    assert str(caught.value).split()[0] == named


@pytest.mark.parametrize("item", [None, 5, "text", [], [LEAST]])
def test_what_is_no_object_is_no_item(item):
    with pytest.raises(InvalidItem, match=r"^item"):
        read_item(item, zone=SHANGHAI, language="en")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("class", "vital"),
        ("class", 0.9),
        ("entities", "年糕"),
        ("entities", [5]),
        ("slot", "world"),
        ("slot", "x" * 100 + ".y" * 100),
        ("event_at", "some day"),
        ("event_at", "0000-00-00"),
        ("standing", "maybe"),
    ],
)
def test_a_field_that_can_be_missed_is_left_out(field, value, caplog):
    with caplog.at_level(logging.WARNING):
        assert read(**{field: value}) == read()
    assert ("importance_class" if field == "class" else field) in caplog.text


@pytest.mark.parametrize("blank", [None, "", "null", "None"])
def test_a_blank_field_is_no_reason_for_a_warning(blank, caplog):
    fields = ["class", "entities", "slot", "event_at", "valid_until", "standing"]
    assert read(**dict.fromkeys(fields, blank)) == read()
    assert caplog.text == ""


def test_spelling_does_not_matter_where_the_words_are_fixed():
    proposal = read(type=" Preference", **{"class": "CRITICAL"})

    assert (proposal.memory_type, proposal.importance_class) == ("preference", "critical")


def test_entities_come_as_text_or_as_objects():
    entities = ["年糕/pet", {"name": "Dana", "kind": "person"}, {"name": "Rome"}, "年糕/pet"]

    assert read(entities=entities).entities == ("年糕/pet", "Dana/person", "Rome")


@pytest.mark.parametrize(
    ("written", "begins", "is_over"),
    [
        ("2026-03-09", local(2026, 3, 9), local(2026, 3, 10)),
        ("2026-12", local(2026, 12, 1), local(2027, 1, 1)),
        ("2026/1/31", local(2026, 1, 31), local(2026, 2, 1)),
        ("2024", local(2024, 1, 1), local(2025, 1, 1)),
        (2024, local(2024, 1, 1), local(2025, 1, 1)),
        ("2026-03-09T10:30", *[local(2026, 3, 9) + timedelta(hours=10, minutes=30)] * 2),
        ("9999-12-31", None, None),
    ],
)
def test_dates_are_those_of_the_user(written, begins, is_over):
    proposal = read(event_at=written, valid_until=written)

    assert (proposal.event_at, proposal.valid_until) == (begins, is_over)


def test_a_time_with_a_zone_keeps_it():
    expected = datetime(2026, 3, 9, 10, tzinfo=timezone(timedelta(hours=1)))
    assert read(event_at="2026-03-09T10:00:00+01:00").event_at == expected


def test_characters_that_no_database_stores_are_taken_out():
    assert read(content="a\x00b \ud83d").content == "ab ?"


@pytest.mark.parametrize(
    ("content", "evidence", "language", "kept"),
    [
        ("用户养了一只猫", "我养了一只猫", "zh", True),
        ("The user has a cat", "我养了一只猫", "zh", False),
        ("The user's cat is called 年糕", "My cat is called 年糕", "en", True),
        ("The user's cat is called Niangao", "My cat is called 年糕", "en", False),
        ("用户养了一只猫", "I have a cat", "en", False),
        ("用户使用 MySQL", "MySQL", "zh", True),
    ],
)
def test_a_memory_speaks_the_language_of_the_user(content, evidence, language, kept):
    item = LEAST | {"content": content, "evidence": evidence}
    if kept:
        assert read_item(item, zone=SHANGHAI, language=language).content == content
    else:
        with pytest.raises(InvalidItem, match="language of the user"):
            read_item(item, zone=SHANGHAI, language=language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("我家的猫叫年糕", "zh"),
        ("我用 Python、Django、Redis 和 PostgreSQL", "zh"),
        ("我在用 pandas 和 numpy 做分析", "zh"),
        ("My cat is called 年糕", "en"),
        ("i like 麻辣烫 and 火锅", "en"),
        ("私の猫は三歳です", "en"),
        ("제 고양이는 세 살입니다", "en"),
        ("", "en"),
    ],
)
def test_the_language_of(text, language):
    assert language_of([text]) == language


@pytest.mark.parametrize("language", PROMPTS)
def test_no_instruction_contains_an_example_that_could_be_stored(language):
    form = PROMPTS[language].extraction.rpartition("\n")[2]
    assert form.startswith('{"memories": [{"content": ""')
