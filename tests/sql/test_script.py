"""script: which scale of a model a text is read on."""

import pytest

from memories import value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("年糕今天吐了", "cjk"),
        ("cron 定时", "cjk"),
        ("東京タワー", "cjk"),
        ("ひらがな", "cjk"),
        ("한국어", "cjk"),
        ("𠮷", "cjk"),
        ("The cat", "other"),
        ("Ελλάδα, Россия, ภาษาไทย", "other"),
        ("12，！😀", "other"),
        ("", "other"),
        (None, "other"),
    ],
)
def test_the_scale_of(db, text, expected):
    assert value(db, "script", input=text) == expected
