"""kin: what somebody is called in a question, and what memories of them are kept under."""

import pytest

from memories import at_cosine, contents, recall, remember, value


def kin(db, *called):
    return set(value(db, "kin", called=list(called)))


@pytest.mark.parametrize(
    ("called", "kept"),
    [
        ("我爸", {"父亲", "father"}),
        ("mom", {"母亲", "妈妈", "mother"}),
        ("爸妈", {"父亲", "母亲", "父母", "parents"}),
        ("老婆", {"妻子", "wife"}),
        ("brother", {"哥哥", "弟弟"}),
        ("猫咪", {"猫", "cat"}),
    ],
)
def test_a_relative_or_a_pet_has_several_names(db, called, kept):
    assert kin(db, called) >= kept
    assert called not in kin(db, called)


def test_other_names_have_none(db):
    assert kin(db, "年糕", "father in law", "姑妈", "") == set()
    assert kin(db) == set()
    assert value(db, "kin", called=None) == []


def test_a_question_about_dad_finds_what_is_kept_of_the_father(db):
    remember(db, "用户的父亲有高血压病史", about=["父亲/person"], vector=at_cosine(0))
    remember(db, "用户的岳父喜欢下棋", about=["岳父/person"], vector=at_cosine(0))

    hits = recall(db, "想给我爸买个按摩椅", vector=at_cosine(1))
    assert contents(hits) == ["用户的父亲有高血压病史"]
    assert hits[0]["matched_entities"] == ["父亲/person"]
    assert contents(recall(db, "a gift for my dad", vector=at_cosine(1))) == contents(hits)
