from __future__ import annotations

import pytest

from aimemory.llm import TokenCounter, count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("年糕今天吐了", 6),
        ("你好，世界。", 6),
        ("cat", 1),
        ("cats", 1),
        ("hello world", 4),
        ("用户喜欢Python", 6),
        ("2026-01-05", 6),
        ("привет", 3),
        ("naïve", 3),
        ("😀", 2),
        ("ひらがな", 4),
        ("𠮷野家", 3),
    ],
)
def test_tokens_of(text, tokens):
    assert count_tokens(text) == tokens


def test_any_function_can_count():
    counter: TokenCounter = len
    assert counter("four") == 4
