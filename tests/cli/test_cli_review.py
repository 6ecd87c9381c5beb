"""The command review: the user decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aimemory import MemoryStore
from terminal import CITY, LOG, Run, Typed, contents, written


@pytest.fixture
def waiting(run: Run, user: str, tmp_path: Path) -> list[dict[str, Any]]:
    """Three memories that wait: of the cat, the tea and the city."""
    imported = run("remember", user, written(tmp_path / "log.jsonl", LOG), "--review", "--json")
    assert imported.document["actions"] == {"pending": 3}
    pending: list[dict[str, Any]] = run("review", user, "--json").document["pending"]
    return pending


def test_the_user_decides_by_number_and_by_id(
    run: Run, user: str, store: MemoryStore, waiting: list[dict[str, Any]]
) -> None:
    assert contents(store, user) == []
    listed = run("review", user).out
    assert f"“{CITY}”" in listed
    tea = waiting[1]["candidate_id"]
    edit = ("--edit", "3", "用户住在杭州西湖边")
    decided = run("review", user, "--approve", "1", "--reject", tea[:8], *edit)

    assert "still waiting: 0" in decided.out
    assert contents(store, user) == sorted([waiting[0]["content"], "用户住在杭州西湖边"])
    assert store.remember(user, "I like green tea")[0].reason == "vetoed"
    assert run("review", user).out.strip() == "nothing waits for a decision"


def test_a_mistake_in_the_list_decides_nothing(
    run: Run, user: str, store: MemoryStore, waiting: list[dict[str, Any]]
) -> None:
    assert "4" in run("review", user, "--approve", "1", "--reject", "4").err
    assert "named twice" in run("review", user, "--approve", "1", "--reject", "1").err
    assert "is not a number" in run("review", user, "--approve", "abc").err
    assert len(store.pending(user)) == 3
    decided = run("review", user, "--approve", "all", "--json").document
    assert (len(decided["approved"]), decided["left"]) == (3, 0)


def test_at_a_terminal_it_asks(
    run: Run, user: str, store: MemoryStore, waiting: list[dict[str, Any]]
) -> None:
    answers = Typed("y", "n", "e", "用户住在西湖边", at_terminal=True)
    asked = run("review", user, stdin=answers)

    assert asked.out.count("[y/n/e/q]") == 3
    assert contents(store, user) == sorted([waiting[0]["content"], "用户住在西湖边"])


def test_what_was_decided_before_the_end_of_the_input_counts(
    run: Run, user: str, store: MemoryStore, waiting: list[dict[str, Any]]
) -> None:
    assert "still waiting: 2" in run("review", user, stdin=Typed("y", at_terminal=True)).out
    assert "still waiting: 2" in run("review", user, stdin=Typed("", "q", at_terminal=True)).out
    assert contents(store, user) == [waiting[0]["content"]]
