"""Estimate tokens, to keep a prompt within its budget.

Any ``TokenCounter`` can take the place of the estimate; the tokenizer of the model
that is used gives exact numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

TokenCounter: TypeAlias = Callable[[str], int]
"""Returns how many tokens a model makes of a text."""

_PIECE = re.compile(
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])"
    r"|(?P<digits>[0-9]+)"
    r"|(?P<latin>[A-Za-z]+)"
    r"|(?P<word>[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+)"
    r"|(?P<other>\S)"
)
_CHARACTERS_PER_TOKEN = {"digits": 3, "latin": 4, "word": 2}


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text; more often too many than too few.

    One for every Chinese, Japanese or Korean character; a number takes one per three
    digits, a word of Latin letters one per four letters, a word of another alphabet one
    per two; every other visible character takes one, and two beyond the basic plane (emoji).
    Each group is rounded up; spaces belong to the word after them.
    """
    total = 0
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup or "other"
        if kind in _CHARACTERS_PER_TOKEN:
            total += -(-len(piece.group()) // _CHARACTERS_PER_TOKEN[kind])
        else:
            total += 2 if kind == "other" and piece.group() > "\uffff" else 1
    return total
