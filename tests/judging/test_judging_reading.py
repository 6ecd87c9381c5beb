"""What the judge makes of a sentence before it compares anything."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

import aimemory.writing.judging as judging
from aimemory.writing.judging.lexicon import lexicon, stem, table
from aimemory.writing.judging.measures import measure_at
from aimemory.writing.judging.statements import read_statement
from aimemory.writing.judging.tokens import normalised, tokens


@pytest.mark.parametrize(
    "spellings",
    [
        ["6月23号", "06月23日", "6月23日", "六月二十三日", "June 23", "23rd of June", "Jun 23"],
        ["2026年3月4日", "2026-03-04", "2026/3/4", "March 4, 2026", "4 March 2026"],
        ["三岁", "3岁", "3 years old", "3-year-old"],
        ["五斤", "2.5公斤", "2.5kg", "2500克"],
        ["175厘米", "1米75", "175cm", "175 cm", "1.75米"],
        ["半小时", "30分钟", "30 minutes", "0.5 hours"],
        ["晚上七点半", "19:30", "7:30 pm"],
        ["三千元", "3000块钱", "3,000元"],
        ["50%", "50 percent"],
        ["七千人", "7000人"],
    ],
)
def test_one_quantity_has_one_form(spellings):
    assert len({measure_at(text, 0) and measure_at(text, 0)[0] for text in spellings}) == 1


@pytest.mark.parametrize("text", ["13月40日", "25点", "一点", "的"])
def test_what_is_no_quantity_is_none(text):
    assert measure_at(text, 0) is None or measure_at(text, 0)[0].kind == "identifier"


@pytest.mark.parametrize(
    "text",
    [
        *("用户觉得不错", "用户不仅喜欢茶", "用户差不多好了", "用户不得不走", "用户没事"),
        *("The user bought a notebook", "The user not only paints", "The user has a knot"),
    ],
)
def test_a_negation_is_a_word_and_no_part_of_one(text):
    assert not any(clause.negative for clause in read_statement(text).clauses)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "用户不喝茶",
            "用户从不喝茶",
            "用户不怎么喝茶",
            "用户戒茶了",
            "用户再也不喝茶",
            "用户讨厌茶",
        ),
        *("The user doesn't paint", "The user can't paint", "The user never paints"),
        *("The user no longer paints", "The user stopped painting", "The user hates painting"),
    ],
)
def test_a_negation_is_seen(text):
    assert read_statement(text).clauses[0].negative


def test_two_negations_are_none():
    assert not read_statement("用户不是不喜欢茶").clauses[0].negative


@pytest.mark.parametrize(
    ("text", "owner", "relations", "names"),
    [
        ("我舅妈的生日是6月23号", "user", ("mothers_brothers_wife",), set()),
        ("用户的表姐王静怡是工程师", "user", ("elder_female_cousin",), {"王静怡"}),
        ("李明宇是我的下属，其年龄是32岁", "user", ("subordinate",), {"李明宇"}),
        ("用户的猫叫年糕", "user", ("cat",), {"年糕"}),
        ("年糕现在六斤了", "unknown", (), {"年糕"}),
        ("用户的表妹的猫怕水", "user", ("younger_female_cousin", "cat"), set()),
        ("周末喜欢爬山", "user", (), set()),
        ("在腾讯上班", "user", (), set()),
        ("My older brother Daniel cooks", "user", ("elder_brother",), {"daniel"}),
        ("Anna, the user's sister, lives in Berlin", "user", ("sister",), {"anna"}),
        ("Anna is my sister", "user", ("sister",), {"anna"}),
        ("Anna Smith paints", "unknown", (), {"anna smith"}),
        ("We deploy with Jenkins", "we", (), set()),
        ("The project uses Rust", "unknown", ("project",), set()),
        ("One of my colleagues paints", "user", ("colleague",), set()),
    ],
)
def test_whom_a_sentence_is_about(text, owner, relations, names):
    subject = read_statement(text).clauses[-1].subject

    assert (subject.owner, subject.relations, set(subject.names)) == (owner, relations, names)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("用户的上司是做总编辑的", "job", "总编辑"),
        ("我表姐她们单位叫北京速递先锋物流公司", "employer", "@北京速递先锋物流=company"),
        ("用户老家是成都的", "hometown", "@成都"),
        ("用户是湖北武汉人", "hometown", "武汉湖北"),
        ("用户学历挺高的，是个博士", "education", "doctorate"),
        ("The user works as a taxi driver", "job", "taxidriver"),
        ("The user works at Acme as an engineer", "employer", "acm"),
        ("The user's shoe size is 42码", "size", "count 码:42.0"),
    ],
)
def test_what_a_sentence_says(text, name, words):
    found = [clause.attributes for clause in read_statement(text).clauses]

    assert "".join(next(said[name] for said in found if name in said).words) == words


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The user's profession involves travel", "job"),
        ("The user lives in a small flat", "city"),
        ("用户是医院的病人", "job"),
        ("用户买了三斤苹果", "weight"),
        ("用户住的小区很安静", "city"),
    ],
)
def test_what_a_sentence_does_not_say(text, name):
    assert all(name not in clause.attributes for clause in read_statement(text).clauses)


@pytest.mark.parametrize("words", ["move moves moved moving", "study studies studied studying"])
def test_the_forms_of_a_word_are_one(words):
    assert len({stem(word) for word in words.split()}) == 1


def test_an_unknown_word_is_not_a_part_of_another():
    def told(text):
        return {token.text for token in tokens(normalised(text))}

    assert "猫" in told("用户养猫") - told("用户养猫头鹰") - told("用户养熊猫")


def test_no_word_has_two_roles_that_exclude_each_other():
    apart = ["function", "copula", "degree", "negation", "stance", "tense", "question", "plain"]
    seen = Counter(
        word
        for role, meanings in table("words").items()
        if role in apart
        for spellings in meanings.values()
        for word in spellings
    )

    assert [word for word, count in seen.items() if count > 1] == []


def test_no_word_names_two_relations_or_two_values():
    for name in ("subjects", "values"):
        for group, meanings in table(name).items():
            lists = {key: words for key, words in meanings.items() if key != "needs"}
            lists = lists if name == "values" or group == "relation" else {}
            seen = Counter(word for words in lists.values() for word in words)
            assert [word for word, count in seen.items() if count > 1] == [], (name, group)


def test_a_slot_name_belongs_to_one_attribute():
    seen = Counter(slot for facts in table("attributes").values() for slot in facts["slots"])

    assert [slot for slot, count in seen.items() if count > 1] == []
    assert lexicon().attribute_of_slot["city"] == "city"


def test_every_table_is_well_formed():
    folder = Path(judging.__file__).parent

    for path in folder.glob("*.toml"):
        assert tomllib.loads(path.read_text("utf-8")), path.name
