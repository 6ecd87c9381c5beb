"""What must never supersede, never be lost, and never stay: pair by pair."""

from __future__ import annotations

import pytest

CONTRADICTIONS = [
    ("The user lives in Berlin", "The user moved to Paris"),
    ("The user is 30 years old", "The user is 31 years old"),
    ("The user is married", "The user got divorced"),
    ("The user can't swim", "The user can swim"),
    ("The user has never been to Japan", "The user has been to Japan"),
    ("The user doesn't like spicy food", "The user likes spicy food now"),
    ("The user loves hiking", "The user hates hiking"),
    ("The user smokes", "The user quit smoking"),
    ("The user takes metformin", "The user stopped taking metformin"),
    ("The user works at Google", "The user quit the job at Google"),
    ("The user lives in Berlin", "The user used to live in Berlin"),
    ("The user is allergic to nuts", "The user is not allergic to nuts"),
    ("The user has two cats", "The user has three cats"),
    ("The user's favourite colour is blue", "The user's favourite colour is green"),
    ("The user prefers tea over coffee", "The user prefers coffee over tea"),
    ("The user prefers dark mode", "The user prefers light mode"),
    ("The user uses Vim", "The user switched to VS Code"),
    ("The team uses Slack", "The team moved from Slack to Teams"),
    ("The user's manager is Helen", "The user's manager changed to Tom"),
    ("The project deadline is June 5", "The project deadline moved to June 12"),
    ("The user works at Google as an engineer", "The user works at Meta as an engineer"),
    ("The user's sister Anna lives in Berlin", "The user's sister Anna moved to Munich"),
    ("用户住在北京", "用户搬到上海了"),
    ("用户会开车", "用户不会开车"),
    ("用户单身", "用户结婚了"),
    ("用户抽烟", "用户戒烟了"),
    ("用户对花生过敏", "用户对花生不过敏"),
    ("用户不吃牛肉", "用户开始吃牛肉了"),
    ("用户喝咖啡不加糖", "用户喝咖啡加糖"),
    ("用户的女儿五岁", "用户的女儿六岁"),
    ("用户的表妹2026年33岁", "用户的表妹34岁（截至2027-02）"),
    ("用户的老板是王总", "用户的老板换成了李总"),
    ("用户的手机是华为", "用户的手机换成了苹果手机"),
    ("用户在阿里巴巴工作", "用户从阿里巴巴离职了"),
    ("用户的月薪是一万元", "用户的月薪是一万五千元"),
    ("用户的项目用Vue", "用户的项目改用React了"),
    ("我表妹的生日是6月23号", "我表妹的生日是在11月22日"),
    ("我的上司是个记者", "我的上司是个厨师"),
    ("我叔叔就念到高中", "我叔叔学历是硕士"),
    ("我婶婶的老家是广东深圳", "我婶婶的老家在辽宁沈阳"),
]


@pytest.mark.parametrize(("old", "new"), CONTRADICTIONS)
def test_a_changed_fact_supersedes(relation, old, new):
    assert relation(old, new) == "contradicts"


BOTH_TRUE = [
    # What several things can be true of.
    ("The user likes tea", "The user likes coffee"),
    ("The user is learning Spanish", "The user is learning French"),
    ("The user has a dog named Rex", "The user has a cat named Mochi"),
    ("The user is allergic to penicillin", "The user is allergic to peanuts"),
    ("The user uses Vim", "The user uses VS Code"),
    ("The user prefers tea", "The user prefers window seats"),
    ("The user goes to the gym on Mondays", "The user goes to the gym on Fridays"),
    ("The user is a nurse", "The user is a musician"),
    ("用户喜欢钓鱼", "用户喜欢爬山"),
    ("用户养了一只猫", "用户养了一只狗"),
    ("用户在腾讯上班", "用户在深圳上班"),
    ("我表姐是个医生", "我表姐是副主任医师"),
    # Another subject.
    ("我舅妈的生日是6月23号", "我表弟的生日是11月2号"),
    ("我叔叔的单位是青岛仁爱医院", "我婶婶的单位是广州报社"),
    ("Alice lives in Berlin", "Bob lives in Paris"),
    ("The user's sister Anna lives in Rome", "The user's sister Julia lives in Paris"),
    ("The user's sister lives in Rome", "The user's brother lives in Paris"),
    ("One of my colleagues lives in Rome", "One of my colleagues lives in Paris"),
    ("我的一个同事是护士", "我的另一个同事是厨师"),
    ("The meeting with Bob is on Monday", "The meeting with Alice is on Tuesday"),
    # Another aspect.
    ("用户的邮箱是a@b.com", "用户的工作邮箱是c@d.com"),
    ("用户的手机号是13800000000", "用户的备用手机号是13900000000"),
    ("用户喜欢早上跑步", "用户不喜欢晚上跑步"),
    ("The user likes coffee", "The user does not like instant coffee"),
    ("The user likes cats", "The user is allergic to cats"),
    ("用户喜欢北京", "用户住在北京"),
    # Another time.
    ("The user lives in Berlin", "The user wants to move to Paris"),
    ("The user used to live in Berlin", "The user lives in Paris"),
    ("The user worked at Google from 2015 to 2020", "The user works at Meta"),
    ("The user has worked at Google since 2018", "The user has worked at Meta since 2022"),
    ("用户住在北京", "用户打算搬到上海"),
    ("用户以前住在北京", "用户住在上海"),
    ("用户住在北京", "用户下周要去上海"),
    # Numbers that are names, and things that are done once.
    ("The user tried coffee beans no.1", "The user tried coffee beans no.2"),
    ("Meeting room 3 has a screen", "Meeting room 4 has a screen"),
    ("The user bought 2 books", "The user bought 3 books"),
    ("用户买了三斤苹果", "用户买了两斤香蕉"),
    # Words inside other words.
    ("The user bought a book", "The user bought a notebook"),
    ("用户喜欢猫", "用户喜欢猫头鹰"),
    ("用户觉得这家餐厅不错", "用户觉得这家餐厅错"),
]


@pytest.mark.parametrize(("one", "two"), BOTH_TRUE)
@pytest.mark.parametrize("similarity", [None, 0.9, 1.1])
def test_what_can_both_be_true_stays_side_by_side(relation, one, two, similarity):
    assert relation(one, two, similarity=similarity) == "unrelated"
    assert relation(two, one, similarity=similarity) == "unrelated"


SAID_AGAIN = [
    ("我表妹的生日是6月23号", "我的表妹过生日是06月23日"),
    ("年糕三岁了", "年糕3岁"),
    ("用户的父亲有糖尿病", "用户的爸爸有糖尿病"),
    ("用户的表姐是做会计的", "用户的表姐是个会计"),
    ("我表弟读的是专科", "我表弟是专科毕业的"),
    ("用户喜欢打高尔夫球", "用户特别喜欢高尔夫球"),
    ("我舅舅在深圳上班", "我舅舅在深圳工作呢，就是广东的那个深圳。"),
    ("用户住在广东深圳", "用户住在深圳"),
    ("用户每天跑步30分钟", "用户每天跑步半小时"),
    ("The user's birthday is on June 23", "The user's birthday is the 23rd of June."),
    ("The user lives in Berlin", "The user lives in Berlin, Germany"),
    ("The user lives in Berlin", "The user is living in Berlin now"),
    ("The user does not like beetroot", "The user doesn't like beetroot"),
    ("The user's mother is a nurse", "The user's mom works as a nurse"),
    ("The user is 34 years old (as of 2026-01)", "The user is 34 years old"),
]


@pytest.mark.parametrize(("old", "new"), SAID_AGAIN)
def test_the_same_in_other_words_is_one_fact(relation, old, new):
    assert relation(old, new) == "duplicate"
    assert relation(new, old) in ("duplicate", "refines")


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("用户在上海工作", "用户在上海浦东工作", "用户在上海浦东工作"),
        ("The user is from Canada", "The user is from Toronto", "The user is from Toronto"),
        (
            "我表妹今年33岁了",
            "周静怡是我的表妹，其年龄是33岁",
            "周静怡是我的表妹，其年龄是33岁",
        ),
        (
            "用户住在北京，在腾讯上班",
            "用户搬到上海了",
            "用户搬到上海了，在腾讯上班",
        ),
        ("用户喜欢茶和咖啡", "用户讨厌咖啡", "用户喜欢茶和咖啡，用户讨厌咖啡"),
        (
            "The user volunteers at a homeless shelter",
            "The user volunteers at a homeless shelter and has a dog",
            "The user volunteers at a homeless shelter and has a dog",
        ),
    ],
)
def test_what_is_more_or_changes_a_part_goes_into_the_row(relation, merged, old, new, after):
    assert relation(old, new) == "refines"
    assert merged(old, new) == after


def test_a_state_is_not_merged_into_a_fact(relation):
    types = ("fact", "state")

    assert relation("用户的狗叫旺财", "旺财在发烧", slot="旺财.profile", types=types) == "unrelated"


def test_a_full_row_takes_no_more(verdict):
    old = "用户的猫叫年糕，" + "，".join(f"喜欢玩第{number}号玩具和纸箱" for number in range(30))

    assert verdict(old, "年糕怕打雷", slot="年糕.profile").reason == "the row is full"


@pytest.mark.parametrize(
    ("old", "new", "slot"),
    [
        ("用户喜欢吃川菜", "用户喜欢吃粤菜", "user.food"),
        ("用户养了一只猫", "用户养了一只狗", "user.pet"),
        ("The user plays tennis", "The user plays chess", "user.hobby"),
        ("项目用的是MySQL数据库", "项目的数据库每天凌晨备份", "project.database"),
        ("用户喝咖啡不加糖", "用户每天喝两杯咖啡", "user.coffee"),
        ("The user lives in Berlin", "The user thinks Berlin is too loud", "user.city"),
    ],
)
def test_a_slot_that_two_facts_share_does_not_make_them_a_conflict(relation, old, new, slot):
    assert relation(old, new, slot=slot) in ("unrelated", "refines")


@pytest.mark.parametrize(
    ("old", "new", "slot"),
    [
        ("用户的编辑器是Vim", "用户的编辑器是Emacs", "user.editor"),
        ("The user's manager is Helen", "The user's manager is Tom", "user.manager"),
        ("用户最爱吃火锅", "用户最爱吃寿司", "user.favourite_food"),
        ("用户住在望京", "用户住在金色家园", "user.city"),
    ],
)
def test_in_the_slot_of_a_single_value_another_value_supersedes(relation, old, new, slot):
    assert relation(old, new, slot=slot) == "contradicts"


def test_a_doubt_is_marked_for_a_model_to_look_at(verdict):
    doubtful = verdict("用户住在北京", "用户打算搬到上海")
    clear = verdict("用户住在北京", "用户对花生过敏")

    assert doubtful.reason.startswith("unsure")
    assert not clear.reason.startswith("unsure")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("用户2026-01-05吃了面包", "用户2026-01-05吃了面包"),
        ("The user had toast on 2026-01-05", "The user had toast on January 5, 2026."),
    ],
)
def test_an_event_told_twice_is_one_event(relation, old, new):
    assert relation(old, new, types=("event", "event")) == "duplicate"


def test_events_never_supersede(relation):
    for types in (("event", "fact"), ("fact", "event"), ("event", "event")):
        assert relation("The user lives in Berlin", "The user moved to Paris", types=types) == (
            "unrelated"
        )
