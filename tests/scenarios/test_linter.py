"""scenarios.yaml itself: what it promises has to be possible."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, pairwise
from typing import Any

import pytest

from aimemory.writing.proposals import IMPORTANCE_OF_CLASS
from script import Scenario, Step, document, outcome, scenarios

ITEM = {
    "key", "content", "type", "band", "importance", "entities", "slot", "evidence", "outcome",
}  # fmt: skip
OPTIONAL = {"standing", "content_after", "metadata_note"}
EXPECTED = {
    "recall", "first", "not_recall", "attached", "cold", "empty", "max_items", "max_tokens",
    "order", "needs", "profile", "not_profile", "contains",
}  # fmt: skip
SETTINGS = {
    "say": {
        "at", "user", "session", "turns", "extract", "not_stored", "active_count", "bulk_insert",
        "keep_warm", "llm_called",
    },
    "job": {"at", "archived", "still_active"},
    "recall": {"at", "user", "session", "query", "entities", "recent", "expand", "expect"},
}  # fmt: skip
ALL = scenarios()

each_scenario = pytest.mark.parametrize("scenario", ALL, ids=lambda one: one.scenario_id)


def said(scenario: Scenario) -> list[Step]:
    return [step for step in scenario.steps if step.kind == "say"]


def items(scenario: Scenario) -> list[tuple[Step, dict[str, Any]]]:
    return [(step, item) for step in said(scenario) for item in step["extract"]]


def quoted(step: Step, role: str) -> str:
    """Return what one side says, without what it marks as private."""
    turns = (turn["text"] for turn in step["turns"] if turn["role"] == role)
    return re.sub(r"<private>.*?</private>", "", "\n".join(turns), flags=re.S)


def test_there_are_thirty_in_four_categories() -> None:
    assert len(ALL) == len({scenario.scenario_id for scenario in ALL}) == 30
    counts = Counter(scenario.category for scenario in ALL)
    assert counts == {"A": 7, "B": 8, "C": 7, "D": 8}
    assert counts.keys() == document()["categories"].keys()
    assert all(scenario.scenario_id[0] == scenario.category for scenario in ALL)


def test_the_bands_are_classes_of_the_extractor_and_do_not_overlap() -> None:
    bands = document()["importance_bands"]
    assert set(bands) | {"world_knowledge"} == set(IMPORTANCE_OF_CLASS)
    for name, (low, high) in bands.items():
        assert low <= IMPORTANCE_OF_CLASS[name] <= high
    for (_, high), (low, _) in pairwise(sorted(bands.values())):
        assert high < low


def test_ambiguous_words_belong_to_two_concepts() -> None:
    lexicon = document()["concept_lexicon"]
    uses = Counter(chain.from_iterable(lexicon.values()))
    assert all(uses[word] > 1 for word in document()["ambiguous"])


@each_scenario
def test_the_steps_follow_each_other_and_know_their_settings(scenario: Scenario) -> None:
    times = [step.at for step in scenario.steps]
    assert times == sorted(times)
    assert scenario.steps[-1].kind == "recall"
    for step in scenario.steps:
        assert step.values.keys() <= SETTINGS[step.kind]
        if step.kind == "recall":
            assert step["expect"].keys() <= EXPECTED


@each_scenario
def test_every_key_is_new_and_every_reference_goes_back(scenario: Scenario) -> None:
    known: set[str] = set()
    for step in scenario.steps:
        for item in step.get("extract", []):
            assert item["key"] not in known
            kind, value = outcome(item)
            if kind in ("duplicate_of", "merge_into", "supersedes"):
                assert value in known
            else:
                assert kind in ("insert", "rejected")
            known.add(item["key"])
        if step.get("bulk_insert"):
            bulk = step["bulk_insert"]
            known |= {f"{bulk['prefix']}{number + 1}" for number in range(bulk["count"])}
        expect = step.get("expect", {})
        used = [*step.get("archived", []), *step.get("still_active", [])]
        for name in ("recall", "not_recall", "order", "cold", "profile", "not_profile"):
            used += expect.get(name, [])
        used += [expect["first"]] if "first" in expect else []
        used += chain.from_iterable(expect.get("attached", {}).items())
        assert set(used) <= known


@each_scenario
def test_the_items_are_complete_and_weigh_what_their_band_says(scenario: Scenario) -> None:
    bands = document()["importance_bands"]
    for _, item in items(scenario):
        assert item.keys() >= ITEM
        assert item.keys() <= ITEM | OPTIONAL
        low, high = bands[item["band"]]
        assert low <= item["importance"] <= high
        assert all(re.fullmatch(r"[^/]+/[^/]+", entity) for entity in item["entities"])


@each_scenario
def test_what_is_kept_was_said_by_the_user_and_what_is_not_was_not(scenario: Scenario) -> None:
    for step, item in items(scenario):
        kind, reason = outcome(item)
        by_user = item["evidence"] in quoted(step, "user")
        if kind != "rejected":
            assert by_user
            assert not any(text in item["content"] for text in step["not_stored"])
        elif reason in ("private", "not_grounded", "assistant_only"):
            assert not by_user
            if reason == "assistant_only":
                assert item["evidence"] in quoted(step, "assistant")


@each_scenario
def test_one_slot_has_one_history(scenario: Scenario) -> None:
    """What repeats, completes or replaces another item is about the same thing."""
    slots: dict[str, str] = {}
    for _, item in items(scenario):
        kind, value = outcome(item)
        if kind in ("duplicate_of", "merge_into", "supersedes"):
            assert slots[value] == item["slot"]
        slots[item["key"]] = item["slot"]
