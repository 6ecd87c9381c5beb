"""The pairs of the acceptance scenarios, and those that a cosine alone gets wrong."""

from __future__ import annotations

import pytest

CAT = (["年糕/pet", "猫/animal"], ["年糕/pet"])
PREFERENCES = ("preference", "preference")


def test_a_detail_about_a_pet_goes_into_its_row(relation, merged):
    old, new = "用户的猫叫年糕", "用户的猫年糕现在六斤"

    assert relation(old, new, slot="年糕.profile", entities=CAT) == "refines"
    assert merged(old, new, "年糕.profile") == "用户的猫叫年糕，年糕现在六斤"


def test_the_row_of_a_pet_collects_its_details(rows):
    told = ["用户的猫叫年糕", "用户的猫年糕现在六斤", "用户的猫年糕2026年三岁"]

    (row,) = rows(told, slot="年糕.profile")

    assert all(word in row for word in ("年糕", "六斤", "三岁"))


def test_a_new_weight_takes_the_place_of_the_old_one_and_keeps_the_name(verdict, merged):
    old, new = "用户的猫叫年糕，年糕五斤", "年糕现在六斤了"

    assert verdict(old, new, slot="年糕.profile").relation == "refines"
    assert merged(old, new, "年糕.profile") == "用户的猫叫年糕，年糕现在六斤了"


def test_an_event_is_not_merged_into_a_fact(relation):
    assert (
        relation("用户的猫叫年糕", "年糕今天吐了", slot="年糕.profile", types=("fact", "event"))
        == "unrelated"
    )


@pytest.mark.parametrize(
    ("old", "new", "slot"),
    [
        ("用户不喜欢喝咖啡", "用户开始学喝手冲咖啡", "user.coffee"),
        ("用户最爱喝美式", "用户改喝拿铁，不怎么喝美式", "user.coffee"),
        ("客户偏好邮件沟通", "客户现在习惯用即时通讯工具沟通", "客户.channel"),
        ("用户喜欢简洁的回答", "用户希望回答详细一点", "user.answer_style"),
        ("用户喜欢吃香菜", "用户讨厌吃香菜", "user.cilantro"),
        ("用户讨厌吃香菜", "用户喜欢吃香菜", "user.cilantro"),
        (
            "The project deploys with Jenkins",
            "The project migrated its deploy pipeline from Jenkins to GitHub Actions",
            "project.cicd",
        ),
    ],
)
@pytest.mark.parametrize("with_slot", [True, False])
def test_a_change_of_mind_supersedes_with_and_without_a_slot(relation, old, new, slot, with_slot):
    assert relation(old, new, slot=slot if with_slot else None, types=PREFERENCES) == "contradicts"


def test_a_decision_may_supersede_a_fact(relation):
    old, new = "The project deploys with Jenkins", "We migrated to GitHub Actions, Jenkins is gone."

    assert relation(old, new, types=("fact", "decision")) == "contradicts"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("用户最爱喝美式", "用户最爱喝美式"),
        ("我最爱喝美式", "真的，我最爱喝美式"),
        ("用户喜欢简洁的回答", "用户喜欢简洁的回答风格"),
        ("The user is allergic to penicillin", "The user has an allergy to penicillin."),
    ],
)
def test_what_was_said_before_is_only_confirmed(relation, old, new):
    assert relation(old, new, types=PREFERENCES) == "duplicate"


def test_a_question_changes_nothing(relation):
    assert relation("用户最爱喝美式", "拿铁怎么选豆子", slot="user.coffee") == "unrelated"
    assert relation("I like tea", "Do I still like tea?") == "unrelated"
    assert relation("用户喜欢茶", "用户不喜欢茶吗") == "unrelated"


def test_two_things_to_do_at_the_weekend_stand_side_by_side(relation):
    assert (
        relation("用户周末喜欢爬山", "用户最近周末喜欢晚上在家拼乐高", types=PREFERENCES)
        == "unrelated"
    )


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("客户偏好邮件沟通", "客户现在习惯用即时通讯工具", "contradicts"),
        ("我不喜欢喝咖啡", "我喜欢喝咖啡", "contradicts"),
        ("项目用的是MySQL数据库", "项目用的是PostgreSQL数据库", "contradicts"),
        ("我最近在学Python", "Python是一种蛇", "unrelated"),
        ("我最近经常失眠", "褪黑素能吃吗", "unrelated"),
        ("我家的猫叫年糕", "好的谢谢", "unrelated"),
        ("用户喜欢简洁的回答风格", "我喜欢简洁的回答", "duplicate"),
    ],
)
def test_similarity_does_not_decide(relation, old, new, wanted):
    assert {relation(old, new, similarity=value) for value in (0.0, 0.7, 0.95, 1.1)} == {wanted}


def test_what_the_entities_name_counts_as_said(relation):
    old, new = "The user doesn't like coffee", "The user has started making pour-over"

    assert relation(old, new) == "unrelated"
    assert relation(old, new, entities=((), ["coffee/drink"])) == "contradicts"


def test_a_name_from_the_entities_joins_two_sentences(relation):
    old, new = "李明宇32岁", "我的下属今年32岁"

    assert relation(old, new) == "unrelated"
    assert relation(old, new, entities=(["李明宇/person"], ["李明宇/person"])) == "duplicate"
