"""pieces: characters of scripts without spaces, words of others, emoji."""

import pytest

from memories import call


def pieces(db, text):
    """As text: spaced words in brackets, a dash before what is glued to the piece before."""
    found = call(db, "pieces", input=text)
    assert [p["place"] for p in found] == list(range(1, len(found) + 1))
    return " ".join(
        ("-" if p["glued"] else "") + (f"[{p['piece']}]" if p["spaced"] else p["piece"])
        for p in found
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我家的猫", "我 -家 -的 -猫"),
        ("我家，的猫", "我 -家 的 -猫"),
        ("方案B", "方 -案 [b]"),
        ("GitHub Actions", "[github] [actions]"),
        ("cron定时v2", "[cron] 定 -时 [v2]"),
        ("C++11 c++ C# c", "[c] [11] [c++] [c#] [c]"),
        ("a_b-c.d", "[a] [b] [c] [d]"),
        ("👨‍👩‍👧", "👨 👩 👧"),
        ("한국어", "한 -국 -어"),
        ("𠮷野家", "𠮷 -野 -家"),
        ("ひらカタ漢", "ひ -ら -カ -タ -漢"),
        ("a\u0301b", "[áb]"),
        ("Ελλάδα и Ёж", "[ελλάδα] [и] [ёж]"),
        ("\u4f60\ufeff\u597d", "你 好"),
        ("", ""),
    ],
)
def test_a_text_is_cut_into(db, text, expected):
    assert pieces(db, text) == expected


def test_a_word_is_cut_at_128_characters_so_that_it_fits_into_an_index(db):
    (piece,) = call(db, "pieces", input="é" * 5000)

    assert piece["piece"] == "é" * 128
