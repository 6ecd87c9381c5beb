"""normalized: NFKC, lower case, single spaces."""

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Node.JS \t\n 20 ", "node.js 20"),
        ("ＧｉｔＨｕｂ　Ａｃｔｉｏｎｓ", "github actions"),
        ("ﾀﾜｰ", "タワー"),
        ("Cafe\u0301", "café"),
        ("①", "1"),
        ("", ""),
        (None, None),
    ],
)
def test_the_form_of(db, text, expected):
    assert value(db, "normalized", input=text) == expected


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
def test_doing_it_twice_is_doing_it_once(db, text):
    once = value(db, "normalized", input=text)

    assert value(db, "normalized", input=once) == once
    assert unicodedata.normalize("NFKC", once) == once
