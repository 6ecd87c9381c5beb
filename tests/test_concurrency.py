"""Many at once: what is done at the same moment ends as if done one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from threading import Barrier
from typing import Any
from uuid import UUID

import psycopg
import pytest

from memories import (
    MODEL,
    NOW,
    add,
    ask,
    at_cosine,
    call,
    erase,
    know_model,
    recall,
    remember,
    rows,
)

Work = Callable[[psycopg.Connection, int], Any]


def at_once(url: str, how_many: int, work: Work, threads: int | None = None) -> list[Any]:
    """Do some work in so many transactions, starting together; return the results in order."""
    threads = threads or how_many
    start = Barrier(threads)

    def run(first: int) -> list[Any]:
        with psycopg.connect(url) as connection:
            start.wait(timeout=60)
            results = []
            for number in range(first, how_many, threads):
                with connection.transaction():
                    results.append((number, work(connection, number)))
            return results

    with ThreadPoolExecutor(threads) as pool:
        found = itertools.chain.from_iterable(pool.map(run, range(threads)))
        return [result for _, result in sorted(found, key=lambda pair: pair[0])]


@contextmanager
def connected(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def test_fifty_threads_that_add_the_same_fact_store_it_once(fresh_database):
    done = at_once(fresh_database, 50, lambda db, _: add(db, "用户的猫叫年糕"))

    assert len({d["memory_id"] for d in done}) == 1
    assert sorted(d["action"] for d in done) == ["duplicate"] * 49 + ["inserted"]
    with connected(fresh_database) as db:
        assert rows(db, "select status, confirm_count from aimemory.memories") == [
            {"status": "active", "confirm_count": 49}
        ]
        assert ask(db, "select max(revision) from aimemory.memory_revisions") == [50]


def test_one_request_sent_twice_at_once_gets_one_id(fresh_database):
    for attempt in range(5):
        done = at_once(
            fresh_database,
            2,
            lambda db, number, key=f"r{attempt}": add(db, f"{key} text {number}", request_key=key),
        )
        assert done[0]["memory_id"] == done[1]["memory_id"]
        assert {d["action"] for d in done} == {"inserted", "duplicate"}


def test_the_second_sender_waits_for_the_first_and_then_sees_its_memory(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        memory = remember(first, "likes tea", request_key="r")
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(add, second, "likes tea", request_key="r")
            until_waiting(first, second)
            first.commit()
            assert waiting.result(timeout=60)["memory_id"] == memory


def test_a_sender_that_fails_leaves_the_way_free(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        memory = remember(first, "likes tea", request_key="r")
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(add, second, "likes tea", request_key="r")
            until_waiting(first, second)
            first.rollback()
            done = waiting.result(timeout=60)
        assert (done["action"], done["memory_id"] != memory) == ("inserted", True)


def until_waiting(db: psycopg.Connection, other: psycopg.Connection) -> None:
    """Come back when the other connection waits for a lock."""
    for _ in range(100_000):
        if ask(db, "select cardinality(pg_blocking_pids(%s)) > 0", other.info.backend_pid) == [
            True
        ]:
            return
    raise AssertionError("the other connection never waited")


def test_twenty_new_values_of_one_slot_leave_one_current_and_one_chain(fresh_database):
    done = at_once(fresh_database, 20, lambda db, n: add(db, f"lives in city {n}", in_slot="city"))

    with connected(fresh_database) as db:
        stored = rows(db, "select memory_id, status, superseded_by from aimemory.memories")
        successor = {r["memory_id"]: r["superseded_by"] for r in stored}
        (current,) = [r["memory_id"] for r in stored if r["status"] == "active"]
        # From the one that replaced nothing, every link leads on to the current one.
        (link,) = [d["memory_id"] for d in done if d["replaced"] is None]
        chain = [link]
        while link := successor[link]:
            chain.append(link)
        assert chain[-1] == current
        assert sorted(chain) == sorted(d["memory_id"] for d in done)


Operation = Callable[[psycopg.Connection, str, Random, list[UUID]], Any]
OPERATIONS: list[Operation] = [
    lambda db, user, chance, mine: add(
        db, f"{chance.random()}", user, in_slot=chance.choice("ab"), vector=at_cosine(0.9)
    ),
    lambda db, user, chance, mine: add(db, f"start {chance.randrange(60)}", user),
    lambda db, user, chance, mine: recall(db, "start", user, vector=at_cosine(1)),
    lambda db, user, chance, mine: call(
        db, "touch_memories", for_user=user, targets=chance.sample(mine, 9)
    ),
    lambda db, user, chance, mine: call(
        db, "supersede_memory", for_user=user, older=chance.choice(mine), newer=chance.choice(mine)
    ),
    lambda db, user, chance, mine: erase(db, chance.choice(mine), user),
    *(
        lambda db, user, chance, mine, name=name: call(
            db, name, for_user=user, target=chance.choice(mine)
        )
        for name in ("archive_memory", "confirm_memory", "restore_memory")
    ),
]


@pytest.mark.parametrize("users", [["ann"], ["ann", "bob", "eve"]])
def test_everything_at_once_neither_deadlocks_nor_breaks_what_must_hold(fresh_database, users):
    with connected(fresh_database) as db:
        know_model(db)
        made = {
            user: [remember(db, f"start {n}", user, vector=at_cosine(1)) for n in range(60)]
            for user in users
        }

    def work(db: psycopg.Connection, number: int) -> None:
        chance = Random(number)
        user = chance.choice(users)
        with tolerated(db):
            chance.choice(OPERATIONS)(db, user, chance, made[user])

    at_once(fresh_database, 1600, work, threads=8)

    with connected(fresh_database) as db:
        for statement in BROKEN:
            assert ask(db, statement) == []


@contextmanager
def tolerated(db: psycopg.Connection) -> Iterator[None]:
    """Let through what our own rules refuse, and nothing else: no 40P01, no 23505."""
    try:
        with db.transaction():
            yield
    except psycopg.Error as error:
        if error.sqlstate not in ("MM001", "MM002"):
            raise


# Each finds what must not exist.
BROKEN = [
    # a memory in both places, or its vectors and postings on the wrong side
    "select memory_id from aimemory.memories join aimemory.archive using (user_id, memory_id)",
    "select v.memory_id from aimemory.memory_vectors v join aimemory.memories using"
    " (user_id, memory_id) where v.cold",
    "select v.memory_id from aimemory.memory_vectors v join aimemory.archive using"
    " (user_id, memory_id) where not v.cold",
    "select t.memory_id from aimemory.memory_terms t join aimemory.memories using"
    " (user_id, memory_id) where t.cold",
    "select t.memory_id from aimemory.memory_terms t join aimemory.archive using"
    " (user_id, memory_id) where not t.cold",
    # what is left of an erased one
    *(
        f"select memory_id from aimemory.{table} except select memory_id from aimemory.all_memories"
        for table in ("memory_vectors", "memory_terms", "memory_revisions", "memory_access")
    ),
    # two active with one text or slot, live or not
    "select content_hash from aimemory.memories where status = 'active'"
    " group by user_id, scope, content_hash having count(*) > 1",
    "select slot from aimemory.memories where status = 'active' and slot is not null"
    " group by user_id, scope, slot having count(*) > 1",
    # a link into the void, or a circle
    "select superseded_by from aimemory.all_memories where superseded_by is not null"
    " except select memory_id from aimemory.all_memories",
    "with recursive walk (start, at, steps) as ("
    " select memory_id, superseded_by, 1 from aimemory.all_memories"
    " union all select w.start, m.superseded_by, w.steps + 1 from walk w"
    " join aimemory.all_memories m on m.memory_id = w.at where w.steps < 1000)"
    " select start from walk where at = start or steps = 1000",
]


def test_touching_in_opposite_orders_counts_every_use(fresh_database):
    with connected(fresh_database) as db:
        mine = [remember(db, f"memory {n}") for n in range(30)]

    def touch(db: psycopg.Connection, number: int) -> None:
        order = mine if number % 2 else mine[::-1]
        call(db, "touch_memories", for_user="ann", targets=order, as_of=NOW)

    at_once(fresh_database, 80, touch, threads=8)
    with connected(fresh_database) as db:
        assert ask(db, "select distinct access_count from aimemory.memory_access") == [80]


def test_a_memory_erased_while_it_is_updated_does_not_come_back(fresh_database):
    with connected(fresh_database) as db:
        mine = [remember(db, f"memory {n}") for n in range(20)]

    def work(db: psycopg.Connection, number: int) -> None:
        target = mine[number // 2]
        with tolerated(db):
            if number % 2:
                erase(db, target)
            else:
                call(
                    db,
                    "update_memory",
                    for_user="ann",
                    target=target,
                    new_content=f"new {number}",
                )

    at_once(fresh_database, 40, work, threads=4)
    with connected(fresh_database) as db:
        assert ask(db, "select memory_id from aimemory.all_memories") == []
        for statement in BROKEN:
            assert ask(db, statement) == []


@pytest.mark.parametrize("names", [[MODEL], [MODEL, "other"]])
def test_of_all_models_registered_at_once_exactly_one_is_active(fresh_database, names):
    answers = at_once(
        fresh_database, 8, lambda db, number: know_model(db, names[number % len(names)])
    )

    with connected(fresh_database) as db:
        (active,) = ask(db, "select model_id from aimemory.embedding_models where active")
        assert len(ask(db, "select 1 from aimemory.embedding_models")) == len(names)
        assert know_model(db, active)
    for number, answer in enumerate(answers):
        assert answer == (names[number % len(names)] == active)


def test_readers_do_not_wait_for_writers(fresh_database):
    with psycopg.connect(fresh_database) as writer, psycopg.connect(fresh_database) as reader:
        remember(writer, "likes tea")
        writer.commit()
        remember(writer, "likes coffee")
        reader.execute("set lock_timeout = '1s'")

        assert [h["content"] for h in recall(reader, "likes tea")] == ["likes tea"]
