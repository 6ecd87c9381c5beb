"""The plans of the hot statements, as auto_explain sees them inside the functions.

A wrong index gives the right answer, only a thousand times slower, so no other test
would notice. The statements run for a user of 5,000 among 50,000 memories.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from crowd import LARGE, SIZE, crowded
from memories import DAY, NOW, ask, call, erase, recall, remember
from roles import APP, MAINTAINER

USER_TABLES = {
    "memories", "memory_access", "memory_revisions", "memory_vectors", "memory_terms", "archive",
    "entity_aliases", "users",
}  # fmt: skip
VECTOR = [1.0] * SIZE
Node = dict[str, Any]


@pytest.fixture(scope="module")
def crowd(template: str, empty_database: Callable[..., str]) -> Iterator[psycopg.Connection]:
    with psycopg.connect(crowded(template, empty_database)) as connection:
        yield connection


def plans(
    db: psycopg.Connection, work: Callable[[psycopg.Connection], Any], role: str = APP
) -> list[Node]:
    """Every statement that runs while some work is done, with its plan; then undo the work."""
    seen: list[Node] = []

    def read(notice: psycopg.errors.Diagnostic) -> None:
        text = notice.message_primary or ""
        if "plan:" in text:
            seen.append(json.loads(text[text.index("{") :]))

    with db.transaction(force_rollback=True):
        for setting in (
            "load 'auto_explain'",
            "set local auto_explain.log_min_duration = 0",
            "set local auto_explain.log_nested_statements = on",
            "set local auto_explain.log_analyze = on",
            "set local auto_explain.log_timing = off",
            "set local auto_explain.log_format = json",
            "set local auto_explain.log_level = notice",
            # Last, since only a superuser may set the others.
            f"set local role {role}",
            f"set local aimemory.user_id = '{LARGE}'",
        ):
            db.execute(setting.encode())
        db.add_notice_handler(read)
        try:
            work(db)
        finally:
            db.remove_notice_handler(read)
    return seen


def nodes(plan: Node) -> Iterator[Node]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def scans(statements: list[Node]) -> set[tuple[str, str, str]]:
    """(kind of scan, table, index) of every scan of a stored table that was executed."""
    return {
        (node["Node Type"], node.get("Relation Name", ""), node.get("Index Name", ""))
        for statement in statements
        for node in nodes(statement["Plan"])
        if "Scan" in node["Node Type"]
        and ("Relation Name" in node or "Index Name" in node)
        and node["Actual Loops"]
    }


def statement_of_recall(seen: list[Node]) -> Node:
    (found,) = [s for s in seen if s["Query Text"].startswith("with settings as materialized")]
    return found


QUESTIONS: dict[str, dict[str, Any]] = {
    "everything": {
        "question": "what did the user buy at entity 5, green tea or 上海咖啡馆 1234?",
        "vector": VECTOR,
    },
    "common words": {"question": "user"},
    "meaning": {"vector": VECTOR, "at_least": -1.0},
    "a narrow scope": {"vector": VECTOR, "at_least": -1.0, "in_scopes": ["project:x"]},
    "archive": {"question": "199 999", "vector": [-x for x in VECTOR], "at_least": 0.999},
}


@pytest.fixture(scope="module")
def asked(crowd: psycopg.Connection) -> dict[str, Node]:
    """The statement of recall for every question."""
    found = {}
    for name, question in QUESTIONS.items():
        hits: list[Any] = []

        def work(db: psycopg.Connection, question: Any = question, hits: Any = hits) -> None:
            hits += recall(db, user=LARGE, **question)

        found[name] = statement_of_recall(plans(crowd, work))
        assert hits, name
    return found


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_table_of_memories_is_read_from_one_end_to_the_other(asked, name):
    found = scans([asked[name]])

    assert {table for kind, table, _ in found if kind == "Seq Scan"} & USER_TABLES == set()
    assert "memories_created_at_idx" not in {index for _, _, index in found}


@pytest.mark.parametrize(
    ("name", "cold", "read"),
    [("everything", "cold = ANY (ARRAY[false", 4_875), ("archive", "cold = true", 125)],
)
def test_vectors_come_from_the_covering_index_alone(asked, name, cold, read):
    (scan,) = [
        node
        for node in nodes(asked[name]["Plan"])
        if node.get("Relation Name") == "memory_vectors"
        and cold in str(node.get("Index Cond"))
        and node["Index Name"] != "memory_vectors_large_idx"
    ]

    assert (scan["Node Type"], scan["Index Name"]) == ("Index Only Scan", "memory_vectors_scan_idx")
    assert (scan["Actual Rows"], scan["Heap Fetches"]) == (read, 0)


def test_words_come_from_the_postings_index_alone(asked):
    for name in ("everything", "common words", "archive"):
        used = [
            node
            for node in nodes(asked[name]["Plan"])
            if node.get("Relation Name") == "memory_terms" and node["Actual Loops"]
        ]
        assert used
        for scan in used:
            assert (scan["Node Type"], scan["Index Name"]) == (
                "Index Only Scan",
                "memory_terms_pkey",
            )
            assert scan["Heap Fetches"] == 0


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_memory_is_looked_up_by_its_key(asked, name):
    lookups = {
        index
        for kind, table, index in scans([asked[name]])
        if table == "memories" and kind != "Index Only Scan"
    }

    assert lookups <= {"memories_pkey", "memories_superseded_by_idx"}


def joined(node: Node) -> list[Node]:
    """The two sides of a join, without what only buffers them."""
    sides = [n for n in node["Plans"] if n["Parent Relationship"] in ("Outer", "Inner")]
    for place, side in enumerate(sides):
        while side["Node Type"] in ("Materialize", "Memoize", "Subquery Scan"):
            (side,) = [
                n for n in side["Plans"] if n["Parent Relationship"] in ("Outer", "Subquery")
            ]
        sides[place] = side
    return sides


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_step_is_held_against_another_row_by_row(asked, name):
    loops = [n for n in nodes(asked[name]["Plan"]) if n["Node Type"] == "Nested Loop"]
    assert loops

    for loop in loops:
        outer, inner = joined(loop)
        if outer["Node Type"] == inner["Node Type"] == "CTE Scan":
            assert outer["Actual Rows"] * inner["Actual Rows"] <= 1_000, loop


@pytest.mark.parametrize("name", QUESTIONS)
def test_one_plan_serves_every_user(asked, name):
    """A generic plan: the user is a parameter of it, not the value of this call."""
    text = json.dumps(asked[name]["Plan"])

    assert "(user_id = $" in text
    assert f"'{LARGE}'" not in text


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_policy_is_looked_at_once_and_not_for_every_row(asked, name):
    """The setting and the argument become one condition on the index, and a gate before it."""
    read = [n for n in nodes(asked[name]["Plan"]) if n.get("Relation Name") in USER_TABLES]
    gates = [n for n in nodes(asked[name]["Plan"]) if "One-Time Filter" in n]

    assert read
    for scan in read:
        assert "current_setting" not in str(scan.get("Filter")) + str(scan.get("Index Cond")), scan
    assert any("aimemory.user_id" in gate["One-Time Filter"] for gate in gates)


def test_what_is_cold_is_not_read_while_something_live_answers(asked):
    def cold(name: str) -> list[Node]:
        return [
            node
            for node in nodes(asked[name]["Plan"])
            if "cold = true" in str(node.get("Index Cond"))
            or (
                node.get("Relation Name") == "archive"
                and "superseded_by" not in str(node.get("Index Cond"))
                # Whether there is any past to ask about takes one look.
                and node.get("Index Name") != "archive_archived_at_idx"
            )
        ]

    tables = {"archive", "memory_terms", "memory_vectors"}
    assert {node["Relation Name"] for node in cold("everything")} == tables
    assert all(node["Actual Loops"] == 0 for node in cold("everything"))
    assert {node["Relation Name"] for node in cold("archive") if node["Actual Loops"]} == tables


WRITES: dict[str, Callable[[psycopg.Connection, Any], Any]] = {
    "add": lambda db, memory: remember(
        db, "user has a new slot", LARGE, in_slot="s", request_key="r"
    ),
    "update": lambda db, memory: call(
        db, "update_memory", for_user=LARGE, target=memory, new_content="user is new"
    ),
    "archive": lambda db, memory: call(db, "archive_memory", for_user=LARGE, target=memory),
    "delete": lambda db, memory: erase(db, memory, LARGE),
    "touch": lambda db, memory: call(db, "touch_memories", for_user=LARGE, targets=[memory]),
    "get": lambda db, memory: call(db, "get_memories", for_user=LARGE, wanted=[memory]),
    "similar": lambda db, memory: call(db, "similar_to", for_user=LARGE, target=memory),
    "probe": lambda db, memory: call(
        db,
        "probe_memories",
        for_user=LARGE,
        in_scope="user",
        new_content="user is new",
        in_slot="s",
        near_vector=str(VECTOR),
        near_model="crowd",
        at_least=0.5,
    ),
    "standing": lambda db, memory: call(db, "standing_memories", for_user=LARGE),
    "list": lambda db, memory: call(db, "list_memories", for_user=LARGE),
}


@pytest.mark.parametrize("name", WRITES)
def test_no_other_call_reads_a_table_of_memories_whole(crowd, name):
    (memory,) = ask(
        crowd, "select memory_id from aimemory.memories where user_id = %s limit 1", LARGE
    )
    seen = plans(crowd, lambda db: WRITES[name](db, memory))

    assert seen
    whole = {table for kind, table, _ in scans(seen) if kind == "Seq Scan"} & USER_TABLES
    assert whole <= {"users"}


@pytest.mark.parametrize("name", ["similar", "probe"])
def test_neighbours_come_from_the_covering_index_alone(crowd, name):
    (memory,) = ask(
        crowd, "select memory_id from aimemory.memories where user_id = %s limit 1", LARGE
    )
    seen = plans(crowd, lambda db: WRITES[name](db, memory))

    read = {
        (node["Node Type"], node["Index Name"])
        for statement in seen
        for node in nodes(statement["Plan"])
        if node.get("Relation Name") == "memory_vectors" and node["Actual Rows"] > 1
    }
    assert read == {("Index Only Scan", "memory_vectors_scan_idx")}


@pytest.mark.parametrize("name", ["probe", "standing"])
def test_what_comes_with_every_turn_looks_up_only_the_memories_it_returns(crowd, name):
    seen = plans(crowd, lambda db: WRITES[name](db, None))

    read = [
        node["Actual Rows"] * node["Actual Loops"]
        for statement in seen
        for node in nodes(statement["Plan"])
        if node.get("Relation Name") in ("memories", "archive")
    ]
    assert read
    assert max(read) <= 100, read


def test_a_crowd_needs_no_more_locks_than_one_user(template, empty_database, db):
    """An index per user would run out of locks; a fresh connection takes all that it needs."""

    def locks(connection: psycopg.Connection, user: str) -> list[str]:
        memory = remember(connection, "user lost a tea cup", user)
        recall(connection, "tea", user)
        erase(connection, memory, user)
        return ask(
            connection,
            "select distinct relation::regclass::text from pg_locks where pid = pg_backend_pid()"
            " and locktype = 'relation' and relation::regclass::text like 'aimemory.%%' order by 1",
        )

    with (
        psycopg.connect(crowded(template, empty_database)) as crowd,
        crowd.transaction(force_rollback=True),
    ):
        assert locks(crowd, LARGE) == locks(db, "ann") != []


def test_upkeep_reads_what_is_due_and_nothing_else(crowd):
    due = 20

    def work(db: psycopg.Connection) -> None:
        call(db, "archive_due", as_of=NOW + DAY)

    with crowd.transaction(force_rollback=True):
        crowd.execute("update aimemory.memory_access set due_at = %s", [NOW + 999 * DAY])
        crowd.execute(
            "update aimemory.memory_access a set due_at = %s from (select user_id, memory_id from"
            " aimemory.memories order by memory_id limit %s) m"
            " where a.user_id = m.user_id and a.memory_id = m.memory_id",
            [NOW, due],
        )
        crowd.execute("update aimemory.memories set importance = 0.1")
        seen = plans(crowd, work, MAINTAINER)

    read: dict[str, list[float]] = {}
    for statement in seen:
        for node in nodes(statement["Plan"]):
            if node.get("Relation Name") in USER_TABLES and node["Actual Loops"]:
                rows = node["Actual Rows"] * node["Actual Loops"]
                read.setdefault(node["Relation Name"], []).append(rows)
    whole = {table for kind, table, _ in scans(seen) if kind == "Seq Scan"} & USER_TABLES
    assert whole <= {"users"}
    assert "memory_access_due_idx" in {index for _, _, index in scans(seen)}
    # A memory has at most a dozen words.
    assert max(read["memories"]) <= due
    assert max(read["memory_access"]) <= due
    assert max(max(counts) for table, counts in read.items() if table != "users") <= 12 * due


def test_idle_sessions_are_found_from_what_is_pending(db: psycopg.Connection) -> None:
    """Not by looking through every conversation that there ever was."""
    db.execute("insert into aimemory.users (user_id, created_at) values ('ann', '2026-01-01Z')")
    db.execute(
        "insert into aimemory.sessions (user_id, session_id, started_at, last_turn_at)"
        " select 'ann', 's' || n, '2026-01-01Z', '2026-01-01Z' from generate_series(1, 30000) n"
    )
    db.execute(
        "insert into aimemory.turns (user_id, session_id, turn_no, role, content, said_at,"
        " extracted_at) select 'ann', 's' || n, 1, 'user', 'x', '2026-01-01Z',"
        " case when n % 3000 > 0 then timestamptz '2026-01-01Z' end"
        " from generate_series(1, 30000) n"
    )
    db.execute("analyze aimemory.turns, aimemory.sessions")

    def work(connection: psycopg.Connection) -> None:
        assert len(call(connection, "idle_sessions")) == 10

    assert scans(plans(db, work, MAINTAINER)) == {
        ("Index Scan", "turns", "turns_pending_idx"),
        ("Index Scan", "sessions", "sessions_pkey"),
    }
