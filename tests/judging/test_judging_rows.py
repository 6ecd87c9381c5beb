"""How many rows a series of sentences leaves."""

from __future__ import annotations

import itertools

import pytest

ENGLISH = [
    "The user's birthday is on 4 March",
    "The user is 34 years old",
    "The user lives in Leeds",
    "The user grew up in Cornwall",
    "The user works as a nurse",
    "The user works at the children's hospital",
    "The user likes rock climbing",
    "The user likes baking bread",
    "The user does not like beetroot",
    "The user is allergic to shellfish",
    "The user has a beagle named Biscuit",
    "The user's sister Maya lives in Rome",
    "The user's brother Tom is a teacher",
    "The user speaks Portuguese",
    "The user drives a red car",
    "The user's phone number is 555-123-4567",
    "The user is 170 cm tall",
    "The user gets up at 5:30 am",
    "The user plays the cello",
    "The user plans to move to Lisbon next year",
]
CHINESE = [
    "用户的生日是3月4日",
    "用户34岁",
    "用户住在杭州",
    "用户的老家在江西赣州",
    "用户是做护士的",
    "用户在杭州第一医院上班",
    "用户喜欢攀岩",
    "用户喜欢烤面包",
    "用户不喜欢吃苦瓜",
    "用户对海鲜过敏",
    "用户养了一只叫可可的柯基",
    "用户的姐姐住在成都",
    "用户的弟弟是老师",
    "用户会说法语",
    "用户开一辆红色的车",
    "用户的电话是13800000000",
    "用户身高170厘米",
    "用户早上五点半起床",
    "用户会拉大提琴",
    "用户打算明年搬到昆明",
]


@pytest.mark.parametrize("facts", [ENGLISH, CHINESE], ids=["en", "zh"])
@pytest.mark.parametrize("similarity", [None, 0.95])
def test_twenty_facts_about_one_person_stay_twenty(relation, facts, similarity):
    judged = {
        (one, two): relation(one, two, similarity=similarity)
        for one, two in itertools.permutations(facts, 2)
    }

    assert {pair: told for pair, told in judged.items() if told != "unrelated"} == {}


REWORDED = {
    "en": [
        ["The user lives in Leeds", "The user is living in Leeds", "The user's home is in Leeds"],
        [
            "The user is 34 years old",
            "The user's age is 34 years old",
            "The user turned 34 years old",
        ],
        [
            "The user is allergic to nuts",
            "The user has a nut allergy",
            "Nuts: the user is allergic",
        ],
        ["The user likes hiking", "The user loves hiking", "The user enjoys hiking a lot"],
        [
            "The user's sister Anna works as a nurse",
            "The user's sister Anna is a nurse",
            "Anna, the user's sister, is a nurse",
        ],
    ],
    "zh": [
        ["用户住在杭州", "用户现在住在浙江杭州", "用户家住杭州"],
        ["用户的表妹33岁", "用户的表妹今年33岁了", "用户的表妹现在三十三岁"],
        ["用户喜欢打羽毛球", "用户平时爱打羽毛球", "用户特别喜欢羽毛球"],
        ["用户的上司是个记者", "用户的上司是做记者的", "用户的上司干的是记者这行"],
        ["用户的爸爸老家在湖北武汉", "用户的父亲是武汉人", "用户的父亲家是武汉的"],
    ],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_five_facts_in_three_wordings_each_leave_six_rows_at_most(rows, language):
    facts = REWORDED[language]
    by_wording = [wordings[place] for place in range(3) for wordings in facts]

    assert len(rows(by_wording)) <= 6
    assert len(rows(itertools.chain(*facts))) <= 6


def test_back_and_forth_leaves_the_last_word(rows):
    likes, hates = "用户喜欢吃香菜", "用户讨厌吃香菜"

    assert rows([likes, hates, likes]) == [likes]
    assert rows(["The user lives in Berlin", "The user moved to Paris"]) == [
        "The user moved to Paris"
    ]


def test_twenty_changes_of_one_slot_leave_one_row(rows):
    cities = ["北京", "上海", "广州", "深圳", "成都"] * 4

    assert rows([f"用户住在{city}" for city in cities], slot="user.city") == ["用户住在成都"]
