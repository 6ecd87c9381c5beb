"""phrases: every run of pieces that could be a name."""

import pytest

from memories import value


def phrases(db, text):
    return set(value(db, "phrases", input=text))


def runs(text, most):
    """Every run of up to so many characters, by brute force."""
    return {
        text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1) if j - i <= most
    }


def test_every_run_of_up_to_eight_characters_is_one(db):
    assert phrases(db, "我家猫叫年糕今天吐了") == runs("我家猫叫年糕今天吐了", 8)


def test_words_are_joined_by_a_space_and_up_to_five_of_them(db):
    assert phrases(db, "a, b c-d e F") == {
        " ".join(words) for words in runs(("a", "b", "c", "d", "e", "f"), 5)
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我们用GitHub Actions做CI", "github actions"),
        ("方案B怎么样", "方案 b"),
        ("Is Node.js fast?", "node js"),
        ("Ｐｙｔｈｏｎ怎么学", "python"),
        ("C++怎么学", "c++"),
        ("那个🐱叫什么", "🐱"),
    ],
)
def test_a_name_inside_a_sentence_is_among_them(db, text, name):
    assert name in phrases(db, text)
    assert value(db, "entity", written=name) == name


def test_no_phrase_reaches_across_a_gap_without_a_space(db):
    assert phrases(db, "年。糕") == {"年", "糕", "年 糕"}


def test_of_a_long_text_only_the_end_is_read(db):
    found = phrases(db, "开头" + "中" * 118 + "结尾")

    assert "中结尾" in found
    assert "开" not in found


@pytest.mark.parametrize("text", ["", None, "?!", " "])
def test_nothing_said_names_nothing(db, text):
    assert phrases(db, text) == set()


def test_a_megabyte_names_no_more_than_its_last_sentences(db):
    db.execute("set local statement_timeout = '30s'")

    assert len(phrases(db, "年糕今天吐了怎么办" * 37_000)) <= 120 * 8
