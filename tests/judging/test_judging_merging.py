from __future__ import annotations

import pytest

from aimemory.writing.judging import LONGEST_MERGED


@pytest.mark.parametrize(
    ("old", "new", "slot", "after"),
    [
        ("用户的猫叫年糕", "年糕怕打雷。", "年糕.profile", "用户的猫叫年糕，年糕怕打雷。"),
        (
            "用户的猫叫年糕。它五斤。",
            "年糕六斤（截至2026-02）",
            "年糕.profile",
            "用户的猫叫年糕。年糕六斤（截至2026-02）",
        ),
        (
            "用户的狗叫旺财，喜欢吃鸡肉，怕水",
            "旺财不喜欢吃鸡肉了",
            "旺财.profile",
            "用户的狗叫旺财，旺财不喜欢吃鸡肉了，怕水",
        ),
        (
            "The user has a cat named Mochi. Mochi weighs 5 kg.",
            "The user's cat Mochi weighs 6 kg.",
            "Mochi.profile",
            "The user has a cat named Mochi. Mochi weighs 6 kg.",
        ),
        (
            "Mochi is 3 years old, afraid of thunder",
            "Mochi is 4 years old now",
            "Mochi.profile",
            "Mochi is 4 years old now, afraid of thunder",
        ),
        ("用户的猫叫年糕😀", "年糕三岁", "年糕.profile", "用户的猫叫年糕😀，年糕三岁"),
        ("用户（住在杭州）养猫", "用户养狗", None, "用户（住在杭州）养猫，用户养狗"),
    ],
)
def test_a_merge_keeps_what_holds_and_replaces_what_does_not(merged, old, new, slot, after):
    assert merged(old, new, slot) == after


@pytest.mark.parametrize("old", ["用户的猫叫年糕", "The user has a cat named Mochi."])
def test_what_is_known_already_is_not_written_twice(merged, old):
    assert merged(old, old) == old


def test_the_numbers_of_a_long_life_stay_one_row(rows):
    ages = [f"用户的猫年糕{age}岁" for age in range(1, 20)]

    (row,) = rows(["用户的猫叫年糕", *ages], slot="年糕.profile")

    assert row == "用户的猫叫年糕，年糕19岁"


def test_a_text_too_long_to_be_read_is_kept_whole(merged, relation):
    long = "用户写了一篇很长的日记。" * 200

    assert merged(long, "用户养猫").startswith(long.rstrip("。"))
    assert relation(long, "用户养猫") == "unrelated"
    assert relation(long, long) == "duplicate"
    assert len(long) > LONGEST_MERGED


def test_lines_are_taken_apart_like_sentences(merged):
    old = "The user has a cat named Mochi\nMochi weighs 5 kg"

    assert merged(old, "Mochi weighs 6 kg", "Mochi.profile").splitlines() == [
        "The user has a cat named Mochi",
        "Mochi weighs 6 kg",
    ]
