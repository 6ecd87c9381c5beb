"""The command forget: it shows what would go, asks, and erases."""

from __future__ import annotations

import pytest

from aimemory import MemoryStore
from terminal import Run, Typed, contents


@pytest.fixture
def tea(store: MemoryStore, user: str) -> str:
    """Two memories; the id of the one of tea."""
    store.add(user, "likes coffee", scope="project:x")
    return str(store.add(user, "likes tea", tags=["a"], entities=["mochi/pet"]).memory_id)


def test_by_the_first_characters_of_an_id(
    run: Run, store: MemoryStore, user: str, tea: str
) -> None:
    erased = run("forget", user, tea[:8], "--yes", "--json")

    assert erased.code == 0
    assert (erased.document["memories"], erased.document["filters"]) == (1, ["ids"])
    assert erased.document["erasure_id"]
    assert contents(store, user) == ["likes coffee"]
    assert run("forget", user, tea[:8], "--yes").code == 1


@pytest.mark.parametrize(
    ("answer", "code", "left"),
    [("y", 0, 1), ("yes", 0, 1), ("n", 1, 2), ("", 1, 2), (None, 1, 2)],
)
def test_at_a_terminal_it_asks_first(
    run: Run, store: MemoryStore, user: str, tea: str, answer: str | None, code: int, left: int
) -> None:
    typed = Typed(*[answer] if answer is not None else [], at_terminal=True)
    asked = run("forget", user, "--containing", "tea", stdin=typed)

    assert asked.code == code
    assert "would be erased" in asked.out
    assert ("receipt" in asked.out) == (code == 0)
    assert len(contents(store, user)) == left


def test_without_a_terminal_it_wants_to_be_told(
    run: Run, store: MemoryStore, user: str, tea: str
) -> None:
    refused = run("forget", user, "--everything")

    assert (refused.code, "say --yes" in refused.err) == (1, True)
    assert len(contents(store, user)) == 2


def test_a_dry_run_shows_and_erases_nothing(
    run: Run, store: MemoryStore, user: str, tea: str
) -> None:
    shown = run("forget", user, "--everything", "--dry-run")

    assert shown.code == 0
    assert "would be erased" in shown.out
    assert "users" in shown.out
    assert len(contents(store, user)) == 2


@pytest.mark.parametrize(
    "filters",
    [
        ("--scope", "user"),
        ("--tag", "a"),
        ("--about", "Mochi"),
        ("--containing", "TEA"),
        ("--type", "fact", "--scope", "user", "--before", "2999-01-01"),
    ],
)
def test_every_filter_reaches_the_store(
    run: Run, store: MemoryStore, user: str, tea: str, filters: tuple[str, ...]
) -> None:
    assert run("forget", user, *filters, "--yes", "--veto", "--json").document["vetoes"] == 1
    assert contents(store, user) == ["likes coffee"]


def test_nothing_found_is_no_error_and_nothing_asked_for_is_one(run: Run, user: str) -> None:
    assert run("forget", user, "--everything").out.strip() == "nothing found"
    refused = run("forget", user, "--yes")
    assert (refused.code, "say what to forget" in refused.err) == (1, True)
    refused = run("forget", user, "--everything", "--type", "fact", "--yes")
    assert (refused.code, "no other filter" in refused.err) == (1, True)


def test_the_user_can_have_everything_erased(
    run: Run, store: MemoryStore, user: str, tea: str
) -> None:
    erased = run("forget", user, "--everything", "--yes")

    assert erased.code == 0
    assert "users" in erased.out
    assert contents(store, user) == []
