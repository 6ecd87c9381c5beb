from __future__ import annotations

import pytest

from aimemory.writing.third_person import agreeing, chinese, english
from aimemory.writing.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("predicate", "told"),
    [
        ("like tea", "likes tea"),
        ("really love hiking", "really loves hiking"),
        ("have two kids", "has two kids"),
        ("am vegetarian", "is vegetarian"),
        ("don't like coffee", "doesn't like coffee"),
        ("do yoga", "does yoga"),
        ("study biology", "studies biology"),
        ("play chess", "plays chess"),
        ("watch films", "watches films"),
        ("need rest", "needs rest"),
        ("moved to Lisbon", "moved to Lisbon"),
        ("bought a notebook", "bought a notebook"),
        ("used to smoke", "used to smoke"),
        ("can't swim", "can't swim"),
        ("no longer eat meat", "no longer eats meat"),
        ("never drink", "never drinks"),
        ("live in Berlin and work at a bank", "lives in Berlin and works at a bank"),
        ("like rock and roll music", "likes rock and roll music"),
        ("LOVE tea", "loves tea"),
    ],
)
def test_the_verb_after_the_user_agrees_with_it(
    predicate: str, told: str, vocabulary: Vocabulary
) -> None:
    assert agreeing(predicate, vocabulary.languages["en"].lists) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("like my job because I'm my own boss", "like their job because they are their own boss"),
        ("told me that I've changed", "told them that they have changed"),
        ('said "I love my cat" to me', 'said "I love my cat" to them'),
        ("moved to the US with us", "moved to the US with them"),
        ("live near I-95", "live near I-95"),
    ],
)
def test_what_is_told_of_the_user_speaks_of_them(said: str, told: str) -> None:
    assert english(said, of_user=True) == told


def test_what_is_told_of_others_names_the_user() -> None:
    assert english("works in my company with me", of_user=False) == (
        "works in the user's company with the user"
    )


@pytest.mark.parametrize(
    ("said", "of_user", "told"),
    [
        ("给我的小狗起名", True, "给自己的小狗起名"),
        ("在我家住", False, "在用户家住"),
        ("说“我爱你”", True, "说“我爱你”"),
        ("很自我", True, "很自我"),
        ("和我们一起跑步", True, "和用户等人一起跑步"),
    ],
)
def test_chinese_says_the_user_or_oneself(said: str, of_user: bool, told: str) -> None:
    assert chinese(said, of_user=of_user) == told
