from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from aimemory.writing.cleaning import read_messages
from aimemory.writing.proposals import Proposal, Window
from aimemory.writing.rule_extractor import RuleExtractor
from aimemory.writing.vocabulary import Vocabulary

NOW = datetime(2026, 1, 5, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
Learn = Callable[..., Sequence[Proposal]]


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    return Vocabulary.load()


@pytest.fixture
def window_of(vocabulary: Vocabulary) -> Callable[..., Window]:
    """A window of turns: a string is said by the user, ("assistant", …) by the assistant."""

    def window(*said: str | tuple[str, str], at: datetime = NOW) -> Window:
        messages = [
            {"role": "user", "content": line}
            if isinstance(line, str)
            else {"role": line[0], "content": line[1]}
            for line in said
        ]
        turns = read_messages(messages, at, vocabulary)
        return Window(turns=turns, now=at, time_zone="Asia/Shanghai")

    return window


@pytest.fixture
def learn(vocabulary: Vocabulary, window_of: Callable[..., Window]) -> Learn:
    """What the rule extractor proposes for some turns."""
    extractor = RuleExtractor(vocabulary)

    def proposals(*said: str | tuple[str, str], at: datetime = NOW) -> Sequence[Proposal]:
        return extractor.extract(window_of(*said, at=at)).proposals

    return proposals
