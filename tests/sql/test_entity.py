"""entity: one written form for one name, so that it is found again."""

import pytest

from memories import value


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("年糕", "年糕"),
        ("年糕/pet", "年糕/pet"),
        ("年糕 / Pet ", "年糕/pet"),
        ("GitHub Actions", "github actions"),
        ("ＧｉｔＨｕｂ　Actions/Tool", "github actions/tool"),
        ("方案B", "方案 b"),
        ("方案 b", "方案 b"),
        ("Node.js", "node js"),
        ("node JS", "node js"),
        ("C++/language", "c++/language"),
        # Only what follows the last slash is the kind.
        ("TCP/IP/protocol", "tcp ip/protocol"),
        ("a/b/c/d", "a b c/d"),
        ("年糕/", "年糕"),
        # A name of punctuation only stays as it is, but for the slash.
        ("!!!", "!!!"),
        ("", ""),
        ("  ", ""),
        (None, None),
        # A kind is not a name.
        ("/pet", ""),
    ],
)
def test_the_form_of(db, written, expected):
    assert value(db, "entity", written=written) == expected


@pytest.mark.parametrize(
    "written", ["GitHub Actions/tool", "方案B", "a/b/c", "!!!", "Ångström/unit"]
)
def test_the_form_of_a_form_is_itself(db, written):
    once = value(db, "entity", written=written)

    assert value(db, "entity", written=once) == once


def test_a_name_of_any_length_fits_into_an_index(db):
    form = value(db, "entity", written="ab " * 5000 + "/kind")

    assert form == ("ab " * 5000)[:128].strip() + "/kind"
