"""content_hash: equal for the same words said again, and for nothing else."""

import hashlib

import pytest

from memories import value


def same(db, one, other):
    return value(db, "content_hash", input=one) == value(db, "content_hash", input=other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户的猫叫年糕", "用户的猫叫年糕。"),
        ("用户的猫叫年糕", "用户的 猫叫 年糕！！"),
        ("今天，我去了上海", "今天我去了上海"),
        ("他说：“好的……”", "他说好的"),
        ("好的～", "好的"),
        ("我用 PG 了", "我用pg了"),
        ("ＡＢＣ１２３", "abc123"),
        ("I like tea.", "i  like TEA!"),
        ("I like tea, not coffee", "I like tea not coffee"),
        ("It’s mine", "it's mine"),
        ('He said "yes"', "he said: yes"),
        ("'quoted'", "quoted"),
        ("tea - coffee", "tea coffee"),
        ("cafe\u0301", "café"),
        ("我有3只猫，2只狗。", "我有 3只猫 2只狗"),
    ],
)
def test_it_is_equal_for(db, one, other):
    assert same(db, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("版本 3.5", "版本 35"),
        ("气温 -5 度", "气温 5 度"),
        ("比分 5 - 3", "比分 53"),
        ("the score was 5 - 3", "the score was 53"),
        ("10:30", "1030"),
        (".5", "5"),
        ("1,000", "1000.0"),
        ("I code in C++", "I code in C"),
        ("I code in C#", "I code in C"),
        ("a nice day", "an ice day"),
        ("we're late", "were late"),
        ("we’re late", "were late"),
        ("I will re-sign", "I will resign"),
        ("l'été", "lété"),
        ("아버지가 방에 들어가신다", "아버지 가방에 들어가신다"),
        ("при бор", "прибор"),
        ("我喜欢猫", "我喜欢狗"),
        ("50%", "50"),
        ("！", "？"),
        ("👍", "👎"),
    ],
)
def test_it_differs_for(db, one, other):
    assert not same(db, one, other)


def test_it_is_the_sha256_of_the_bare_words(db):
    expected = hashlib.sha256(b"i like tea").hexdigest()

    assert value(db, "content_hash", input=" I like TEA! ") == expected


def test_a_text_of_punctuation_only_is_hashed_as_it_is(db):
    assert value(db, "content_hash", input="?!") == hashlib.sha256(b"?!").hexdigest()


def test_a_hundred_thousand_characters_take_bounded_time(db):
    db.execute("set local statement_timeout = '20s'")

    assert same(db, "we're, " * 14_000, "WE'RE " * 14_000)
