"""What a block gives to the assistant counts as used."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from aimemory import MemoryStore
from concepts import ConceptEmbedder
from roles import MAINTAINER, as_role
from script import document

DAY = timedelta(days=1)


@pytest.fixture
def store(app_url: str) -> Iterator[MemoryStore]:
    embedder = ConceptEmbedder(document()["concept_lexicon"])
    with MemoryStore.open(app_url, embedder=embedder) as opened:
        yield opened


def archive_what_is_due(store: MemoryStore) -> None:
    with psycopg.connect(as_role(store.url, MAINTAINER)) as connection:
        connection.execute("select aimemory.archive_due()")


def test_what_applies_to_every_answer_does_not_fade_while_it_is_given(store: MemoryStore) -> None:
    for content in ("用户喜欢简洁的回答", "用户喜欢手冲咖啡"):
        store.add(
            "user",
            content,
            memory_type="preference",
            importance=0.7,
            standing="回答" in content,
            created_at=datetime.now(UTC) - 30 * DAY,
        )
    assert [memory.content for memory in store.context("user", "今天天气怎么样").profile] == [
        "用户喜欢简洁的回答"
    ]

    archive_what_is_due(store)
    assert [memory.content for memory in store.list("user").memories] == ["用户喜欢简洁的回答"]


def test_an_archived_memory_that_is_given_is_live_again(store: MemoryStore) -> None:
    long_ago = datetime.now(UTC) - 40 * DAY
    added = store.add("user", "用户最近经常失眠", memory_type="state", created_at=long_ago)
    archive_what_is_due(store)
    assert store.list("user").memories == []

    before = store.context("user", "褪黑素能吃吗", as_of=datetime.now(UTC))
    assert store.list("user").memories == []
    now = store.context("user", "褪黑素能吃吗")
    assert [hit.archived for hit in (*before.hits, *now.hits)] == [True, True]

    assert [memory.memory_id for memory in store.list("user").memories] == [added.memory_id]
    archive_what_is_due(store)
    assert len(store.list("user").memories) == 1
