from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aimemory.writing.clauses import clauses
from aimemory.writing.proposals import Clause
from aimemory.writing.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("预算是1,000.50元，时间11:30", ["预算是1,000.50元，", "时间11:30"]),
        ("见https://example.com/a,b?c=d，谢谢", ["见https://example.com/a,b?c=d，", "谢谢"]),
        ("他说“你好，再见。”然后走了", ["他说“你好，再见。”然后走了"]),
        ("Dr. Lee, e.g. on Monday, saw me at 9 a.m. today", None),
        ("I like tea, coffee, and cake", None),
        ("I tried beans no.1 to no.14, all fine.", None),
        ("My colleagues and I are runners", None),
        ("I live in the U.S. and love it", None),
        ("When I was ten, my parents moved", None),
        (
            "We migrated to GitHub Actions, Jenkins is gone.",
            ["We migrated to GitHub Actions,", "Jenkins is gone."],
        ),
        ("I work here; I live there", ["I work here;", "I live there"]),
    ],
)
def test_numbers_addresses_quotations_and_lists_are_not_cut(
    said: str, parts: list[str] | None, vocabulary: Vocabulary
) -> None:
    assert [clause.text for clause in clauses(said, vocabulary)] == (parts or [said])


fragments = st.sampled_from(
    [
        *["我喜欢茶", "记住", "怎么办", "了", "别记", "I like tea", "remember", " and ", "e.g."],
        *["，", "。", "？", "!", ".", ", ", ": ", "“", "”", '"', "(", ")", " ", "\n"],
        *["1,000", "a@b.com", "😀", "\u200b", "ﬁ"],
    ]
)


@given(st.lists(fragments | st.characters(), max_size=30))
def test_cutting_loses_no_text(said: list[str]) -> None:
    text = "".join(said)
    found = clauses(text, Vocabulary.load())

    assert _solid("".join(clause.text for clause in found)) == _solid(text)


def _solid(text: str) -> str:
    return re.sub(r"\s", "", text)


@given(st.lists(fragments, max_size=20))
def test_judging_a_statement_again_gives_a_statement(said: list[str]) -> None:
    vocabulary = Vocabulary.load()
    for clause in clauses("".join(said), vocabulary):
        if clause.kind == "statement":
            again = clauses(clause.text, vocabulary)
            assert "veto" not in {part.kind for part in again}


@pytest.mark.parametrize(
    "hostile",
    [
        "1" * 200_000,
        "." * 200_000 + "a",
        "a" + " " * 200_000 + "b",
        "“" * 200_000,
        "我喜欢，" * 20_000,
        "and I " * 20_000,
    ],
    ids=lambda text: text[:4],
)
def test_a_long_hostile_text_is_cut_in_bounded_time(hostile: str, vocabulary: Vocabulary) -> None:
    start = time.process_time()
    found = clauses(hostile, vocabulary)

    assert time.process_time() - start < 10
    assert all(isinstance(clause, Clause) for clause in found)
