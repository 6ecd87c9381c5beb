"""quoting: a text that is erased is found wherever it is quoted, and nowhere else."""

from random import Random

import pytest

from memories import value


def quoting(db, texts, phrases):
    return sorted(value(db, "quoting", texts=texts, phrases=phrases))


@pytest.mark.parametrize("others", [0, 60])
@pytest.mark.parametrize(
    ("text", "phrase", "is_quoted"),
    [
        ("I said: likes tea, and more", "likes tea", True),
        ("likes tea", " likes tea\n", True),
        ("LIKES TEA", "likes tea", False),
        ("我家的猫叫年糕，三岁了", "猫叫年糕", True),
        ("100% sure_", "0% su", True),
        ("100 x sure", "100%sure", False),
        # what is too short is found only where it is everything
        ("是的", "是的", True),
        ("是的，我住在杭州", "是的", False),
        ("yes", " yes ", True),
        ("eyes wide open", "yes", False),
        ("anything", "", False),
        ("anything", "   ", False),
        ("", "likes tea", False),
        ("x" * 3000 + "likes tea", "likes tea", True),
        ("👩‍👩‍👧 likes tea", "👩‍👩‍👧 likes", True),
    ],
)
def test_a_text_that_quotes_is_found(db, text, phrase, is_quoted, others):
    """The same with few phrases, and with so many that texts are cut into pieces."""
    phrases = [phrase, *(f"phrase number {n}" for n in range(others))]

    assert quoting(db, [text, "something else"], phrases) == ([text] if is_quoted else [])


def test_no_way_of_cutting_loses_a_quotation(db):
    chance = Random(7)
    letters = "ab年 "
    phrases = [
        "".join(chance.choices(letters, k=chance.randrange(4, 40))).strip() for _ in range(80)
    ]
    texts = [
        "".join(chance.choices(letters, k=chance.randrange(12)))
        + chance.choice(phrases)[chance.randrange(2) :]
        + "".join(chance.choices(letters, k=chance.randrange(12)))
        for _ in range(400)
    ]

    quoted = {t for t in texts for p in phrases if (p in t and len(p) > 3) or p == t.strip()}
    assert 200 < len(quoted) < len(texts)
    assert quoting(db, texts, phrases) == sorted(quoted)


def test_nothing_quotes_nothing(db):
    assert quoting(db, [], []) == quoting(db, ["tea"], []) == quoting(db, [], ["likes tea"]) == []
    assert quoting(db, [None, "likes tea"], [None, "likes tea"]) == ["likes tea"]
