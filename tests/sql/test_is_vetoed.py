"""is_vetoed: a no holds for the text however it is written, and for one user."""

import pytest

from candidates import vetoed
from memories import call, snapshot


@pytest.fixture
def no(db):
    call(db, "add_veto", for_user="ann", the_content="Likes tea.")
    call(db, "add_veto", for_user="ann", the_slot="user.salary")
    call(db, "add_veto", for_user="ann", the_content="我住在上海", the_slot="user.city")


@pytest.mark.parametrize(
    ("content", "slot", "expected"),
    [
        ("likes  TEA", None, True),
        ("likes tea", "user.drink", True),
        ("likes green tea", None, False),
        ("earns much", "user.salary", True),
        ("earns much", "User.Salary", False),
        ("earns much", None, False),
        ("我住在上海。", None, True),
        ("我住在北京", "user.city", True),
        ("我住在北京", None, False),
    ],
)
def test_a_no_is_to_the_text_or_to_the_slot(db, no, content, slot, expected):
    assert vetoed(db, content, slot) is expected


def test_a_no_of_one_user_is_not_that_of_another(db, no):
    assert not vetoed(db, "likes tea", "user.salary", "bob")


def test_a_veto_of_a_text_alone_is_no_veto_of_what_has_no_slot(db):
    call(db, "add_veto", for_user="ann", the_content="likes tea")

    assert not vetoed(db, "likes coffee", None)


def test_looking_changes_nothing(db, no):
    before = snapshot(db)
    vetoed(db, "likes tea")

    assert snapshot(db) == before
