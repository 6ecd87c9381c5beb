from __future__ import annotations

from pathlib import Path

import pytest

from aimemory.errors import InvalidInput
from aimemory.writing.clauses import clauses
from aimemory.writing.cleaning import clean
from aimemory.writing.vocabulary import Vocabulary


def test_an_operator_adds_words_patterns_secrets_and_templates(tmp_path: Path) -> None:
    extra = tmp_path / "ours.toml"
    extra.write_text(
        """
        [zh.smalltalk]
        words = ["收到收到"]

        [zh.veto]
        patterns = ['天知地知']

        [[secret]]
        name = "our badge"
        match = 'BADGE-\\d{4}'

        [[zh.template]]
        of = ["me"]
        match = '的工号是(?P<number>\\d+)'
        type = "fact"
        class = "identity_relation"
        slot = "user.badge"
        """,
        encoding="utf-8",
    )
    ours, packaged = Vocabulary.load(extra), Vocabulary.load()

    assert clean("I am BADGE-1234", ours).text == "I am [secret]"
    assert {clause.kind for clause in clauses("我恨他，天知地知", ours)} == {"veto"}
    assert {clause.kind for clause in clauses("我恨他，天知地知", packaged)} == {"statement"}
    assert {clause.kind for clause in clauses("这个别记", ours)} == {"veto"}
    assert ours.languages["zh"].templates[0].pattern.fullmatch("的工号是7")
    assert len(ours.languages["zh"].templates) == len(packaged.languages["zh"].templates) + 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[zh.veto]\npatterns = ['(']", "not a regular expression: '\\('"),
        ("[[secret]]\nname = 'x'\nmatch = '['", "not a regular expression|are wrong"),
        ("[[zh.template]]\nof = ['me']\nmatch = 'x'\ntype = 'fact'\nclass = 'huge'", "huge"),
        ("not toml", "cannot be read"),
    ],
)
def test_a_wrong_file_is_refused_when_it_is_read(tmp_path: Path, text: str, message: str) -> None:
    extra = tmp_path / "wrong.toml"
    extra.write_text(text, encoding="utf-8")

    with pytest.raises(InvalidInput, match=message):
        Vocabulary.load(extra)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nowhere"):
        Vocabulary.load(tmp_path / "nowhere.toml")


def test_both_languages_have_the_same_groups_and_lists(vocabulary: Vocabulary) -> None:
    chinese, english = vocabulary.languages["zh"], vocabulary.languages["en"]
    only_english = {"clause_start", "subordinate", "noun_phrase"}

    assert chinese.groups.keys() | only_english == english.groups.keys()
    assert {
        "smalltalk",
        "many",
        "animal",
        "personal",
    } <= chinese.lists.keys() & english.lists.keys()


def test_one_chinese_character_makes_a_sentence_chinese(vocabulary: Vocabulary) -> None:
    assert vocabulary.language_of("用 PostgreSQL").name == "zh"
    assert vocabulary.language_of("PostgreSQL").name == "en"
