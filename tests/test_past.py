"""The past as the store tells it: timeline and as_of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from aimemory import AsyncMemoryStore, InvalidInput, MemoryStore

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def store(fresh_database: str) -> Iterator[MemoryStore]:
    with MemoryStore.open(fresh_database, embedder="none") as opened:
        for n, city in enumerate(("Berlin", "Paris")):
            opened.add("ann", f"lives in {city}", slot="user.city", created_at=START + n * DAY)
        yield opened


def test_the_past_is_told_in_order_and_in_the_words_of_then(store: MemoryStore) -> None:
    [paris] = store.list("ann").memories
    store.update("ann", paris.memory_id, content="lives in Paris, near the park", reason="moved")

    told = [(entry.action, entry.content, entry.text_before) for entry in store.timeline("ann")]
    assert told == [
        ("added", "lives in Berlin", None),
        ("superseded", "lives in Berlin", None),
        ("added", "lives in Paris", None),
        ("updated", "lives in Paris, near the park", "lives in Paris"),
    ]
    [then] = store.as_of("ann", START + DAY)
    assert (then.content, then.content_now) == ("lives in Paris", "lives in Paris, near the park")
    [before] = store.as_of("ann", START)
    assert (before.content, before.state_now) == ("lives in Berlin", "superseded")


def test_a_span_and_a_limit_cut_the_timeline(store: MemoryStore) -> None:
    assert len(store.timeline("ann", until=START + DAY)) == 1
    assert len(store.timeline("ann", since=START + DAY)) == 2
    assert [entry.content for entry in store.timeline("ann", limit=1)] == ["lives in Paris"]


def test_the_past_can_be_filtered(store: MemoryStore) -> None:
    store.add("ann", "Atlas is late", scope="project:atlas", created_at=START)

    found = store.as_of("ann", START, scopes=["project:atlas"])
    assert [memory.content for memory in found] == ["Atlas is late"]
    assert store.as_of("ann", START, memory_types=["event"]) == []
    assert len(store.as_of("ann", START, limit=1)) == 1


def test_a_time_without_a_zone_and_an_empty_span_are_refused(store: MemoryStore) -> None:
    with pytest.raises(InvalidInput, match="since has no time zone"):
        store.timeline("ann", since=datetime(2026, 1, 1))
    with pytest.raises(InvalidInput, match="moment has no time zone"):
        store.as_of("ann", datetime(2026, 1, 1))
    with pytest.raises(InvalidInput, match="must not be after"):
        store.timeline("ann", since=START + DAY, until=START)
    with pytest.raises(InvalidInput, match="max_rows must be at least 1"):
        store.as_of("ann", START, limit=0)


def test_the_asynchronous_store_tells_the_same(store: MemoryStore) -> None:
    async def told() -> tuple[object, object]:
        async with await AsyncMemoryStore.open(store.url, embedder="none") as other:
            return await other.timeline("ann"), await other.as_of("ann", START)

    assert asyncio.run(told()) == (store.timeline("ann"), store.as_of("ann", START))
