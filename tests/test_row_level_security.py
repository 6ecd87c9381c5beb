"""A service sees and changes the rows of the user it names, and nobody's if it names none."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, assume, given, settings
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.rows import scalar_row
from psycopg.types.json import Jsonb

import catalog
from aimemory import (
    AccessDenied,
    AsyncMemoryRepository,
    InvalidInput,
    MemoryRepository,
    MemoryStore,
)
from aimemory.embedded import EmbeddedServer
from memories import (
    ask,
    at_cosine,
    call,
    erase,
    fill_all,
    know_model,
    refused,
    remember,
    rows,
    snapshot,
    value,
)
from roles import ANALYST, APP, MAINTAINER, as_role
from test_isolation import pairs
from trips import round_trips
from turns import say


def fill(db: psycopg.Connection, user: str) -> UUID:
    """Give a user a row in every table; return the id of a memory."""
    memory = remember(
        db, "likes tea", user, vector=at_cosine(1), about=["miso/pet"], in_slot="s", request_key="r"
    )
    cold = remember(db, "sold the car", user, vector=at_cosine(1))
    call(db, "archive_memory", for_user=user, target=cold)
    call(db, "set_alias", for_user=user, other_name="kitty", of_entity="miso/pet")
    found = {"memory_id": str(memory), "score": 0.5, "routes": ["keyword"]}
    call(db, "log_recall", for_user=user, asked="tea?", what_came=Jsonb([found]), given=[memory])
    say(db, "I like tea", user=user)
    call(
        db,
        "propose_candidate",
        for_user=user,
        new_content="lives in Paris",
        as_type="fact",
        with_importance=0.5,
        in_scope="user",
        in_slot=None,
        everything={},
    )
    call(db, "add_veto", for_user=user, the_content="likes coffee")
    remember(db, "lives in Rome", user, in_slot="city")
    wrong = remember(db, "lives in Oslo", user, in_slot="city")
    # A row in the view lint as well.
    db.execute("update aimemory.memories set content_hash = 'x' where memory_id = %s", [wrong])
    return memory


def become(db: psycopg.Connection, role: str, user: str | None = None) -> None:
    """Go on as a role, and as a user of it, until the transaction ends."""
    db.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
    if user is not None:
        db.execute(sql.SQL("set local aimemory.user_id = {}").format(sql.Literal(user)))


def user_relations(db: psycopg.Connection) -> list[str]:
    """All tables and views that say whose a row is."""
    return ask(
        db,
        "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where c.relnamespace = 'aimemory'::regnamespace and c.relkind in ('r', 'v')"
        " and a.attname = 'user_id' and not a.attisdropped order by 1",
    )


def owners(db: psycopg.Connection, relation: str) -> set[str]:
    return set(ask(db, f"select distinct user_id from aimemory.{relation}"))


@pytest.fixture
def two(db: psycopg.Connection) -> dict[str, UUID]:
    """Two users with a row in every table each; the id of a memory of both."""
    filled = {user: fill(db, user) for user in ("ann", "bob")}
    for relation in user_relations(db):
        assert owners(db, relation) == {"ann", "bob"}, f"give both a row in {relation}"
    return filled


@pytest.mark.parametrize("user", [None, ""])
def test_who_names_no_user_sees_nothing(
    db: psycopg.Connection, two: dict[str, UUID], user: str | None
) -> None:
    become(db, APP, user)

    seen = {relation: owners(db, relation) for relation in user_relations(db)}
    assert seen == {relation: set() for relation in user_relations(db)}
    (status,) = rows(db, "select * from aimemory.database_status")
    assert (status["users"], status["active_memories"], status["archived_memories"]) == (0, 0, 0)
    (model,) = status["models"]
    assert model["memories"] == 0


def test_who_names_a_user_sees_the_rows_of_that_user_alone(
    db: psycopg.Connection, two: dict[str, UUID]
) -> None:
    become(db, APP, "ann")

    for relation in user_relations(db):
        assert owners(db, relation) == {"ann"}, relation
    (status,) = rows(db, "select * from aimemory.database_status")
    assert (status["users"], status["active_memories"], status["archived_memories"]) == (1, 2, 1)


def test_the_setting_ends_with_the_transaction_and_then_nothing_is_seen(app_url: str) -> None:
    with psycopg.connect(app_url, autocommit=True) as connection:
        with connection.transaction():
            fill(connection_as(connection, "ann"), "ann")
            assert owners(connection, "memories") == {"ann"}

        for relation in user_relations(connection):
            assert owners(connection, relation) == set()


def connection_as(connection: psycopg.Connection, user: str) -> psycopg.Connection:
    connection.execute(sql.SQL("set local aimemory.user_id = {}").format(sql.Literal(user)))
    return connection


def test_the_rows_of_another_user_cannot_be_changed(
    db: psycopg.Connection, two: dict[str, UUID]
) -> None:
    relations = [name for name in user_relations(db) if name in catalog.columns(db)]
    before = snapshot(db)
    become(db, APP, "ann")

    for table in relations:
        deleted = db.execute(f"delete from aimemory.{table} where user_id = 'bob'".encode())
        updated = db.execute(
            f"update aimemory.{table} set user_id = 'bob' where user_id = 'bob'".encode()
        )
        assert (table, deleted.rowcount, updated.rowcount) == (table, 0, 0)

    db.execute("reset role")
    assert snapshot(db) == before


def test_no_row_can_be_given_to_another_user(db: psycopg.Connection, two: dict[str, UUID]) -> None:
    relations = [name for name in user_relations(db) if name in catalog.columns(db)]
    become(db, APP, "ann")

    for table in relations:
        with refused(db, "42501", "row-level security"):
            db.execute(f"update aimemory.{table} set user_id = 'bob'".encode())
    with refused(db, "42501", "row-level security"):
        db.execute("insert into aimemory.users (user_id, created_at) values ('eve', now())")
    with refused(db, "42501", "permission denied"):
        db.execute("truncate aimemory.recall_log")


def test_receipts_of_another_user_can_neither_be_read_nor_forged(
    db: psycopg.Connection, two: dict[str, UUID]
) -> None:
    for user in ("ann", "bob"):
        call(db, "forget", for_user=user, everything=True)
    become(db, APP, "ann")

    receipt = "select subject = encode(sha256('ann'), 'hex') from aimemory.erasures"
    assert ask(db, receipt) == [True]
    forged = (
        "insert into aimemory.erasures values (gen_random_uuid(), encode(sha256('bob'), 'hex'),"
        " '{everything}', '{}', now())"
    )
    with refused(db, "42501", "row-level security"):
        db.execute(forged.encode())
    db.execute("set local aimemory.user_id = ''")
    assert ask(db, receipt) == []


READS = {
    "recall": {"query_text": "tea car", "query_vector": "[1,0,0]", "at_least": -1.0},
    "list_memories": {"with_status": "all"},
    "standing_memories": {},
    "list_candidates": {},
    "recent_turns": {"in_session": "s"},
    "pending_turns": {"in_session": "s"},
    "get_user": {},
    "probe_memories": {"in_scope": "user", "new_content": "likes tea", "in_slot": "s"},
}


@pytest.mark.parametrize("function", READS)
def test_a_function_that_is_asked_for_another_user_finds_nothing(
    db: psycopg.Connection, two: dict[str, UUID], function: str
) -> None:
    as_owner = call(db, function, for_user="bob", **READS[function])
    become(db, APP, "ann")

    assert call(db, function, for_user="bob", **READS[function]) == []
    become(db, APP, "bob")
    assert call(db, function, for_user="bob", **READS[function]) == as_owner
    assert as_owner or function == "standing_memories"


WRITES: dict[str, dict[str, Any]] = {
    "add_memory": {"new_content": "forged"},
    "record_turns": {"in_session": "s", "roles": ["user"], "texts": ["x"], "said": ["2026-01-01Z"]},
    "set_alias": {"other_name": "x", "of_entity": "y"},
    "add_veto": {"the_content": "x"},
    "set_user": {"is_learning": False},
    "count_usage": {"more_calls": 1, "more_tokens": 1},
}


@pytest.mark.parametrize("function", WRITES)
def test_a_function_that_would_write_for_another_user_is_refused(
    db: psycopg.Connection, two: dict[str, UUID], function: str
) -> None:
    arguments = WRITES[function]
    become(db, APP, "ann")

    with refused(db, "42501", "row-level security"):
        call(db, function, for_user="bob", **arguments)
    call(db, function, for_user="ann", **arguments)


def test_functions_that_change_a_memory_find_none_of_another_user(
    db: psycopg.Connection, two: dict[str, UUID]
) -> None:
    before = snapshot(db)
    become(db, APP, "ann")

    assert not erase(db, two["bob"], "bob")
    assert value(db, "log_recall", for_user="bob", asked="x", what_came={}) is None
    for function in ("confirm_memory", "restore_memory", "archive_memory"):
        assert call(db, function, for_user="bob", target=two["bob"]) == [{function: False}]
    assert call(db, "touch_memories", for_user="bob", targets=[two["bob"]]) == [
        {"touch_memories": 0}
    ]
    with refused(db, "MM002"):
        call(db, "update_memory", for_user="bob", target=two["bob"], new_content="x")

    db.execute("reset role")
    assert snapshot(db) == before


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pairs)
def test_ids_that_look_alike_or_like_sql_are_kept_apart(
    db: psycopg.Connection, pair: tuple[str, str]
) -> None:
    mine, other = pair
    assume(mine != other)
    with db.transaction(force_rollback=True):
        become(db, APP)
        repository = MemoryRepository(db)
        kept = repository.add(mine, "my secret tea")
        assert repository.add(other, "their tea").action == "inserted"

        assert [memory.content for memory in repository.list(other)] == ["their tea"]
        assert owners(db, "all_memories") == {other}
        assert repository.get(other, [kept.memory_id]) == []  # type: ignore[list-item]
        assert [memory.content for memory in repository.list(mine)] == ["my secret tea"]
        assert owners(db, "all_memories") == {mine}


def test_an_analyst_reads_every_user_and_changes_nothing(
    db: psycopg.Connection, two: dict[str, UUID]
) -> None:
    become(db, ANALYST)

    for relation in user_relations(db):
        assert owners(db, relation) == {"ann", "bob"}, relation
    assert [hit["content"] for hit in call(db, "recall", for_user="bob", query_text="tea")] == [
        "likes tea"
    ]
    for table in catalog.columns(db):
        with refused(db, "42501", "permission denied"):
            db.execute(f"delete from aimemory.{table}".encode())
    with refused(db, "42501", "permission denied"):
        call(db, "add_memory", for_user="ann", new_content="x")


def test_a_maintainer_works_for_every_user(db: psycopg.Connection, two: dict[str, UUID]) -> None:
    become(db, MAINTAINER)

    for relation in user_relations(db):
        assert owners(db, relation) == {"ann", "bob"}, relation
    (receipt,) = call(db, "forget", for_user="ann", wanted=[two["ann"]])
    assert receipt["memories"] == 1
    know_model(db, "another")
    lacking = call(db, "missing_vectors", for_model="another")
    assert sorted(row["user_id"] for row in lacking) == [*["ann"] * 3, *["bob"] * 4]
    fill_all(db, "another", at_cosine(1))
    call(db, "activate_model", new_model="another")
    db.execute("update aimemory.memory_types set ttl_seconds = 60")
    db.execute(
        "insert into aimemory.maintenance_runs (run_id, job, status, started_at)"
        " values (gen_random_uuid(), 'archive_due', 'running', now())"
    )
    with refused(db, "42501", "permission denied"):
        db.execute("update aimemory.alembic_version set version_num = 'x'")


def test_statistics_give_no_value_of_another_user_away(fresh_database: str, app_url: str) -> None:
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        for user in ("ann", "bob"):
            fill(connection, user)
        connection.execute("analyze aimemory.memories")
    query = "select from pg_stats where schemaname = 'aimemory'"

    with psycopg.connect(app_url) as connection:
        assert connection.execute(query).rowcount == 0


def test_a_table_without_a_policy_is_found(db: psycopg.Connection) -> None:
    db.execute("create table aimemory.diary (user_id text, line text)")
    assert catalog.unprotected_tables(db) != []

    db.execute(catalog.PRIVILEGES.read_bytes())

    assert catalog.unprotected_tables(db) == []


# --- what the repository sends ---------------------------------------------------------------


def setting(connection: psycopg.Connection) -> str | None:
    (value,) = ask(connection, "select current_setting('aimemory.user_id', true)")
    return value  # type: ignore[no-any-return]


Opened = Callable[..., psycopg.Connection]


@pytest.fixture
def opened(app_url: str) -> Iterator[Opened]:
    """Connect as a service."""
    made: list[psycopg.Connection] = []

    def connect(**options: Any) -> psycopg.Connection:
        made.append(psycopg.connect(app_url, **options))
        return made[-1]

    yield connect
    for connection in made:
        connection.close()


def test_a_connection_in_autocommit_mode_gets_a_transaction_for_each_call(opened: Opened) -> None:
    connection = opened(autocommit=True)
    warned: list[str | None] = []
    connection.add_notice_handler(lambda notice: warned.append(notice.message_primary))
    repository = MemoryRepository(connection)

    added = repository.add("ann", "likes tea")

    # "SET LOCAL can only be used in transaction blocks": a cluster would not pass it on.
    assert warned == []
    assert connection.info.transaction_status == TransactionStatus.IDLE
    assert setting(connection) in (None, "")
    assert [memory.memory_id for memory in repository.list("ann")] == [added.memory_id]
    assert repository.list("bob") == []


def test_a_call_that_fails_leaves_no_transaction_open(opened: Opened) -> None:
    connection = opened(autocommit=True)
    repository = MemoryRepository(connection)

    with pytest.raises(InvalidInput):
        repository.add("ann", "likes tea", memory_type="mood")
    with pytest.raises(psycopg.ProgrammingError, match="cannot adapt"):
        repository.history("ann", object())  # type: ignore[arg-type]

    assert connection.info.transaction_status == TransactionStatus.IDLE
    assert repository.add("ann", "likes tea").action == "inserted"


@pytest.mark.parametrize("user", ["", None, 5, "ann\x00", "\ud800", "x" * 513])
def test_what_is_no_user_is_refused_before_anything_is_sent(opened: Opened, user: Any) -> None:
    connection = opened()
    with pytest.raises(InvalidInput, match="user_id"):
        MemoryRepository(connection).list(user)

    assert connection.info.transaction_status == TransactionStatus.IDLE


def test_the_callers_transaction_goes_on_after_a_call(opened: Opened) -> None:
    connection = opened()
    repository = MemoryRepository(connection)
    repository.add("ann", "likes tea")
    repository.add_many("bob", [("likes coffee", {}), ("likes milk", {})])
    assert connection.info.transaction_status == TransactionStatus.INTRANS
    assert owners(connection, "memories") == {"bob"}

    connection.rollback()
    assert repository.list("ann") == repository.list("bob") == []
    connection.commit()
    assert setting(connection) in (None, "")


def test_a_setting_of_the_session_does_not_change_whose_rows_a_call_sees(opened: Opened) -> None:
    connection = opened(autocommit=True)
    MemoryRepository(connection).add("ann", "likes tea")
    connection.execute("set aimemory.user_id = 'ann'")

    assert MemoryRepository(connection).list("bob") == []
    assert MemoryRepository(connection).add("bob", "likes tea").action == "inserted"
    assert owners(connection, "memories") == {"ann"}


@pytest.mark.parametrize("autocommit", [True, False])
def test_a_call_may_stand_in_the_middle_of_a_pipeline(opened: Opened, autocommit: bool) -> None:
    connection = opened(autocommit=autocommit)
    with connection.pipeline():
        first = connection.execute("select 1")
        added = MemoryRepository(connection).add("ann", "likes tea")
        last = connection.execute("select 2")
        assert MemoryRepository(connection).get("ann", [added.memory_id])  # type: ignore[list-item]

    assert (first.fetchone(), last.fetchone()) == ((1,), (2,))


def test_an_asynchronous_connection_is_treated_alike(app_url: str) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(app_url, autocommit=True) as connection:
            repository = AsyncMemoryRepository(connection)
            await repository.add_many("ann", [("likes tea", {}), ("likes milk", {})])
            with pytest.raises(InvalidInput):
                await repository.add("ann", "x", memory_type="mood")
            assert len(await repository.list("ann")) == 2
            assert await repository.list("bob") == []
            assert connection.info.transaction_status == TransactionStatus.IDLE

    asyncio.run(work())


def test_a_call_that_is_cancelled_leaves_no_transaction_open(app_url: str) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(app_url, autocommit=True) as connection:
            repository = AsyncMemoryRepository(connection)
            slow = repository._all(b"select pg_sleep(60), %(for_user)s", scalar_row, for_user="ann")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(slow, 0.2)
            assert connection.info.transaction_status == TransactionStatus.IDLE
            assert (await repository.add("ann", "likes tea")).action == "inserted"

    asyncio.run(work())


def test_the_setting_costs_no_round_trip(opened: Opened) -> None:
    alone, inside = opened(autocommit=True), opened()
    inside.execute("select 1")
    for connection in (alone, inside):
        repository = MemoryRepository(connection)
        with round_trips(connection) as made:
            repository.recall("ann", "tea")
        assert made() == 1
        with round_trips(connection) as made:
            repository.add_many("ann", [(f"memory {n}", {}) for n in range(10)])
        assert made() == 1


def test_a_search_that_writes_nothing_is_one_round_trip(app_url: str) -> None:
    with MemoryStore.open(app_url, embedder="none", pool_size=1) as store:
        store.add("ann", "likes tea")
        with store._database.connection() as connection:
            pass  # It is the only one of the pool, so the calls below use it as well.
        with round_trips(connection) as made:
            assert len(store.search("ann", "tea", touch=False, log=False)) == 1
        assert made() == 1
        with round_trips(connection) as made:
            store.search("ann", "tea")
        assert made() == 3


def test_a_role_that_may_not_says_which_one_may(fresh_database: str) -> None:
    with (
        psycopg.connect(as_role(fresh_database, ANALYST)) as connection,
        pytest.raises(AccessDenied, match=r"permission denied.*`grant aimemory_app to"),
    ):
        MemoryRepository(connection).add("ann", "likes tea")
    with (
        psycopg.connect(as_role(fresh_database)) as connection,
        pytest.raises(AccessDenied, match="connect as a member of aimemory_maintainer"),
    ):
        MemoryRepository(connection).idle_sessions()


def test_the_page_about_security_says_what_is_so(db: psycopg.Connection) -> None:
    page = (Path(__file__).parent.parent / "docs" / "security.md").read_text("utf-8")
    logins, naming = re.findall(r"^```sql\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    fill(db, "ann")
    db.execute(logins.encode())

    for role, group in (
        ("my_service", APP), ("my_dashboard", ANALYST), ("my_jobs", MAINTAINER)
    ):  # fmt: skip
        assert ask(db, f"select pg_has_role('{role}', '{group}', 'usage')") == [True]
    become(db, "my_service")
    begin, before, set_user, after, _ = [line.encode() for line in naming.splitlines()]
    assert begin == b"begin;"
    assert db.execute(before).fetchone() == (0,)
    db.execute(set_user)
    assert db.execute(after).fetchone() == (3,)


# --- the embedded server ---------------------------------------------------------------------


def test_the_embedded_store_connects_as_a_service(tmp_path: Path) -> None:
    with MemoryStore.open(data_dir=tmp_path / "data", embedder="none") as store:
        store.add("ann", "likes tea")
        with psycopg.connect(store.url) as connection:
            role = connection.execute(
                "select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles"
                " where rolname = session_user and rolname = current_user"
            ).fetchone()
            assert role == (APP, False, False, False, False)
            assert owners(connection, "memories") == set()
            # The reader's own tables may live beside ours.
            connection.execute("create table orders (number integer)")
        with pytest.raises(AccessDenied, match="connect as a member of aimemory_maintainer"):
            store.learn_idle()
        with (
            EmbeddedServer.join(tmp_path / "data") as server,
            MemoryStore.open(server.maintainer_url, embedder="none") as keeper,
        ):
            assert keeper.learn_idle() == 0
