"""keywords: the tsvector of a memory, for every text that a memory may hold."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import ask, rows, value


def lexemes(db, content, entities=()):
    """{lexeme: (places with weight D, places with weight A)}"""
    found = rows(
        db,
        "select lexeme, weights from unnest(aimemory.keywords(%s, %s::text[]))",
        content,
        list(entities),
    )
    return {r["lexeme"]: (r["weights"].count("D"), r["weights"].count("A")) for r in found}


def test_words_have_weight_d_and_names_weight_a(db):
    assert lexemes(db, "The cats like tea, tea", ["ann/person", "github actions"]) == {
        "cat": (1, 0),
        "like": (1, 0),
        "tea": (2, 0),
        "ann": (0, 1),
        "github actions": (0, 1),
    }


@pytest.mark.parametrize(
    ("content", "name", "frequency"), [("Miso sleeps", "miso", 1), ("猫爱猫", "猫", 2)]
)
def test_a_name_that_is_the_first_word_is_a_word_all_the_same(db, content, name, frequency):
    assert lexemes(db, content, [name])[name] == (frequency, 1)


def test_one_name_with_two_kinds_is_one_name(db):
    assert lexemes(db, "", ["miso/pet", "miso/food", "/pet"]) == {"miso": (0, 1)}


def test_the_order_of_words_is_kept_for_phrase_search(db):
    assert ask(
        db, "select aimemory.keywords('black tea')::tsvector @@ 'black <-> tea'::tsquery"
    ) == [True]


@pytest.mark.parametrize(
    "name", ["o'brien", "back\\slash", "a:b", "x & y | !z <-> (w)", "''", "🐱"]
)
def test_a_hostile_name_is_a_lexeme_like_any_other(db, name):
    assert lexemes(db, "tea", [name]) == {"tea": (1, 0), name: (0, 1)}


def test_no_text_gives_an_empty_vector_and_not_null(db):
    assert value(db, "keywords", input="?!") == ""
    assert value(db, "keywords", input="") == ""


def test_a_word_said_ten_thousand_times_keeps_its_first_200_places(db):
    assert lexemes(db, "tea " * 10_000) == {"tea": (200, 0)}


def test_a_hundred_thousand_different_characters_fit_as_far_as_a_tsvector_holds(db):
    text = "".join(chr(0x20000 + i) for i in range(40_000)) + "".join(
        chr(0x4E00 + i) for i in range(20_000)
    )
    found = lexemes(db, text + text[:40_000])

    # What comes first is kept: whole sentences, not a random choice of words.
    assert len(found) > 10_000
    kept = [character in found for character in text]
    assert kept == sorted(kept, reverse=True)


def test_words_longer_than_a_lexeme_may_be_are_cut(db):
    assert lexemes(db, "é" * 3000, ["ü" * 128]) == {"é" * 128: (1, 0), "ü" * 128: (0, 1)}


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00")),
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1)),
)
def test_any_text_and_any_names_can_be_stored(db, content, names):
    forms = [form for n in names if (form := value(db, "entity", written=n))]
    found = lexemes(db, content, forms)

    assert {word for word, (words, _) in found.items() if words} == set(
        value(db, "tokens", input=content)
    )
    assert {word for word, (_, names) in found.items() if names} == {
        form.rsplit("/", 1)[0] for form in forms
    }
