from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from judging_cases import known, proposal

from aimemory.writing.judging import RuleJudge, merged_text
from aimemory.writing.proposals import Verdict


@pytest.fixture(scope="session")
def verdict() -> Callable[..., Verdict]:
    """Judge a new sentence beside an old one."""

    def judge(
        old: str,
        new: str,
        *,
        slot: str | None = None,
        types: tuple[str, str] = ("fact", "fact"),
        entities: tuple[Sequence[str], Sequence[str]] = ((), ()),
        similarity: float | None = None,
    ) -> Verdict:
        return RuleJudge().judge(
            proposal(new, types[1], slot, entities[1]),
            known(old, types[0], slot, entities[0], similarity),
        )

    return judge


@pytest.fixture(scope="session")
def relation(verdict: Callable[..., Verdict]) -> Callable[..., str]:
    """Return only how the two relate."""

    def judge(old: str, new: str, **how: object) -> str:
        return verdict(old, new, **how).relation

    return judge


@pytest.fixture(scope="session")
def merged() -> Callable[..., str]:
    """Merge a new sentence into an old one."""

    def merge(old: str, new: str, slot: str | None = None) -> str:
        return merged_text(known(old, slot=slot), proposal(new, slot=slot))

    return merge


@pytest.fixture(scope="session")
def rows() -> Callable[..., list[str]]:
    """Add sentences one after the other to a store that does what the judge says."""

    def add(sentences: Sequence[str], slot: str | None = None) -> list[str]:
        stored: list[str] = []
        for sentence in sentences:
            new = proposal(sentence, slot=slot)
            for place, old in enumerate(stored):
                told = RuleJudge().judge(new, known(old, slot=slot)).relation
                if told == "unrelated":
                    continue
                if told == "refines":
                    stored[place] = merged_text(known(old, slot=slot), new)
                elif told == "contradicts":
                    stored[place] = sentence
                break
            else:
                stored.append(sentence)
        return stored

    return add
