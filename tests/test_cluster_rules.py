"""All of sql/ keeps the rules of a cluster, and every rule catches what it is there for."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

import catalog
import cluster_rules
from cluster_rules import Schema, violations
from sqltext import Source, tokenize


@pytest.fixture
def schema(db: psycopg.Connection) -> Schema:
    return Schema.read(db)


@pytest.mark.parametrize("path", catalog.files(), ids=lambda path: path.stem)
def test_a_file_keeps_the_rules(schema: Schema, path: Path) -> None:
    source = Source.read(path)

    assert violations(cluster_rules.rules_for(source), source, schema) == []


def found(schema: Schema, rule: cluster_rules.Rule, statement: str) -> list[str]:
    """What one rule says of a statement in the body of a function."""
    return violations([rule], Source(f"$function$ begin {statement}; end $function$"), schema)


NAMES_THE_USER = [
    "perform from aimemory.memories m where m.user_id = for_user",
    "perform from aimemory.memories m where for_user = m.user_id and m.pinned",
    "perform from aimemory.memories m where not m.pinned and m.user_id = for_user limit 1",
    "perform from aimemory.memories where memories.user_id = for_user",
    "update aimemory.memories m set pinned = coalesce(a, true) where m.user_id = for_user",
    "delete from aimemory.archive as a where a.user_id = for_user returning a.memory_id",
    "insert into aimemory.users (user_id, created_at) values (for_user, x), (for_user, y)",
    "insert into aimemory.archive (user_id, memory_id) select m.user_id, m.memory_id from moved m",
    "perform from aimemory.memories m left join aimemory.memory_access a"
    " on a.user_id = for_user and a.memory_id = m.memory_id where m.user_id = for_user",
    "perform from aimemory.memories m join aimemory.memory_types t"
    " on t.memory_type = m.memory_type and m.user_id = for_user",
    "perform from x where case when y then a or b end and exists"
    " (select from aimemory.memories m where m.user_id = for_user and (m.pinned or m.standing))",
    "if a or b then perform from aimemory.memories m where m.user_id = for_user; end if",
]
FORGETS_THE_USER = [
    "perform from aimemory.memories m",
    "perform from aimemory.memories m where m.memory_id = target",
    # the condition is there, but not for every row
    "perform from aimemory.memories m where m.user_id = for_user or m.pinned",
    "perform from aimemory.memories m where m.pinned or m.user_id = for_user",
    "perform from aimemory.memories m where not m.user_id = for_user",
    "perform from aimemory.memories m where m.user_id = for_user || 'x'",
    "perform from aimemory.memories m where (m.user_id = for_user) is not true",
    "perform m.user_id = for_user from aimemory.memories m",
    # the condition is about another table
    "perform from aimemory.memories m, aimemory.archive a where a.user_id = for_user",
    "perform from aimemory.memories m left join x on m.user_id = for_user",
    "perform from aimemory.memories m full join x on m.user_id = for_user",
    "perform from aimemory.memories m where exists"
    " (select from aimemory.archive a where a.user_id = for_user)",
    "perform from aimemory.memories m where m.user_id = for_user"
    " union select from aimemory.archive m",
    "perform from aimemory.memories m where exists"
    " (select from aimemory.archive a where a.memory_id = m.memory_id and m.user_id = for_user)"
    " and m.user_id = for_user",
    # found by a value that is not the user's at planning time
    "perform from aimemory.memories m where m.user_id = (select u.user_id from x u)",
    "perform from aimemory.memories m join y on m.user_id = y.user_id",
    # other statements, and views
    "update aimemory.memories m set pinned = true where m.memory_id = target",
    "delete from aimemory.memories m using y where m.memory_id = y.memory_id",
    "perform from aimemory.all_memories m where m.memory_id = target",
    # rows of somebody else
    "insert into aimemory.users (created_at, user_id) values (x, for_user)",
    "insert into aimemory.users (user_id, created_at) values (other_user, x)",
    "insert into aimemory.users (user_id, created_at) values (for_user, x), (other_user, y)",
    "insert into aimemory.users (user_id, created_at) select other_user, x",
    "insert into aimemory.users values (for_user, x)",
    "-- where m.user_id = for_user\nperform from aimemory.memories m",
    "perform 'm.user_id = for_user' from aimemory.memories m",
]


@pytest.mark.parametrize("statement", NAMES_THE_USER)
def test_a_statement_about_one_user_passes(schema: Schema, statement: str) -> None:
    assert found(schema, cluster_rules.names_the_user, statement) == []


@pytest.mark.parametrize("statement", FORGETS_THE_USER)
def test_a_statement_that_could_read_other_users_is_caught(schema: Schema, statement: str) -> None:
    assert len(found(schema, cluster_rules.names_the_user, statement)) == 1


def test_every_forgotten_table_is_named_with_its_line(schema: Schema) -> None:
    statement = (
        "perform\n from aimemory.memories m\n join aimemory.archive a on a.user_id = m.user_id"
    )

    assert found(schema, cluster_rules.names_the_user, statement) == [
        "planted:2: no condition m.user_id = for_user",
        "planted:3: no condition a.user_id = for_user",
    ]


CONDITION = re.compile(r"\b\w+\.user_id = for_user\b")
GUARDED = [path for path in catalog.files() if CONDITION.search(path.read_text("utf-8"))]


@pytest.mark.parametrize("path", GUARDED, ids=lambda path: path.stem)
def test_no_condition_of_a_file_can_be_lost_unseen(schema: Schema, path: Path) -> None:
    text = path.read_text("utf-8")

    for match in CONDITION.finditer(text):
        without = text[: match.start()] + "true" + text[match.end() :]
        source = Source(without, path.stem, path.parent.name)
        assert violations([cluster_rules.names_the_user], source, schema), match


TIED = [
    "select count(*) from aimemory.memories m",
    "select count(*) from aimemory.memories m group by m.scope, m.slot order by m.scope, m.slot",
    "delete from aimemory.memory_vectors v using batch b where v.user_id = b.user_id",
    "select from aimemory.memories m left join aimemory.memory_access a"
    " on a.user_id = m.user_id and a.memory_id = m.memory_id",
    "select from x where not exists (select from aimemory.archive a where a.user_id = x.user_id)",
    "select from x join aimemory.archive a using (user_id, memory_id)",
]
UNTIED = [
    "select from aimemory.memories m join aimemory.memory_types t using (memory_type)",
    "select from aimemory.memories m, x where x.memory_id = m.memory_id",
    "select from aimemory.memories m, x group by m.scope",
    "delete from aimemory.memory_vectors v using batch b where v.memory_id = b.memory_id",
    "update aimemory.memories m set pinned = true from batch b where b.memory_id = m.memory_id",
    "select from x where exists (select from aimemory.archive a where a.memory_id = x.memory_id)",
    "select (select count(*) from aimemory.memory_vectors v where v.model_id = e.model_id) from e",
]


@pytest.mark.parametrize("statement", TIED)
def test_work_across_users_may_join_on_the_user(schema: Schema, statement: str) -> None:
    assert found(schema, cluster_rules.tied_by_user, statement) == []


@pytest.mark.parametrize("statement", UNTIED)
def test_a_join_that_would_cross_shards_is_caught(schema: Schema, statement: str) -> None:
    assert len(found(schema, cluster_rules.tied_by_user, statement)) == 1


UPDATE = "update aimemory.memories m set updated_at = {} where m.user_id = for_user"
DELETE = "delete from aimemory.memories m where m.user_id = for_user and {}"
UPSERT = (
    "insert into aimemory.memory_access (user_id, memory_id, last_access_at)"
    " values (for_user, target, as_of) on conflict on constraint memory_access_pkey"
    " do update set last_access_at = {}"
)
REFUSED = {
    "steady_writes": [
        UPDATE.format("clock_timestamp()"),
        UPDATE.format("to_timestamp(random())"),
        DELETE.format("m.memory_id = gen_random_uuid()"),
        DELETE.format("m.created_at + interval '7 days' < as_of"),
        DELETE.format("interval '7 days' + m.created_at < as_of"),
        DELETE.format("m.created_at - span < as_of"),
        DELETE.format("m.created_at::date < today"),
        DELETE.format("to_char(m.created_at, 'YYYY') = '2024'"),
        DELETE.format("to_jsonb(m.created_at) is null"),
        UPSERT.format("clock_timestamp()"),
        "update aimemory.memories m set content = aimemory.archive_memory(for_user, target)",
    ],
    "plain_statements": [
        "perform pg_advisory_xact_lock(1)",
        "perform pg_try_advisory_xact_lock(1)",
        "perform pg_notify('a', 'b')",
        "notify a",
        "perform set_config('aimemory.user_id', for_user, true)",
        "merge into aimemory.memories m using x on true when matched then delete",
        "select m.user_id, count(*) from x m group by rollup (m.user_id, m.scope)",
        "select from x m group by grouping sets ((m.user_id), ())",
        "update aimemory.memories m set user_id = other where m.user_id = for_user",
        "update aimemory.memories m set pinned = true, user_id = other",
        "perform to_tsvector(m.content) from x m",
    ],
    "upserts_of_excluded": [
        UPSERT.format("as_of"),
        UPSERT.format("greatest(memory_access.last_access_at, as_of)"),
        UPSERT.format("record.last_access_at"),
    ],
    "flat_values": [
        "insert into aimemory.users (user_id, created_at) values (for_user, (select now()))",
        "insert into aimemory.users (user_id, created_at)"
        " values (for_user, coalesce(x, (select y from z)))",
    ],
    "calls_alone": [
        "perform aimemory.lock_user(m.user_id) from aimemory.memories m",
        "perform from aimemory.memories m join aimemory.recall(for_user) r on true",
        "perform from aimemory.memories m where m.memory_id in"
        " (select r.memory_id from aimemory.recall(for_user) r)",
    ],
    "locks_one_user": [
        "perform from aimemory.memories m where m.pinned limit 10 for update skip locked",
        "perform from aimemory.memories m for no key update",
        "perform from aimemory.users u for share",
    ],
}
ACCEPTED = {
    "steady_writes": [
        UPDATE.format("greatest(m.updated_at, as_of, now())"),
        DELETE.format("m.created_at < now() - interval '30 days'"),
        DELETE.format("extract(epoch from now() - m.created_at) > ttl_seconds"),
        DELETE.format("m.updated_at - m.created_at > span"),
        DELETE.format("m.created_at::timestamptz < as_of"),
        "perform clock_timestamp(); perform m.created_at + interval '1 day' from x m",
    ],
    "plain_statements": ["perform to_tsvector('simple'::regconfig, m.content) from x m"],
    "upserts_of_excluded": [
        UPSERT.format("excluded.last_access_at"),
        UPSERT.format("greatest(memory_access.last_access_at, excluded.last_access_at)"),
        UPSERT.format("excluded.last_access_at; perform as_of"),
    ],
    "flat_values": [
        "insert into aimemory.users (user_id, created_at) select for_user, x from y",
        "insert into aimemory.users (user_id, created_at) values (for_user, x); perform (select 1)",
    ],
    "calls_alone": [
        "perform aimemory.lock_user(for_user); perform from aimemory.memories m",
        "perform aimemory.normalized(m.content) from aimemory.memories m",
        "perform from aimemory.recall(for_user) r join aimemory.memory_types t on true",
    ],
    "locks_one_user": [
        "perform from aimemory.embedding_models e for update",
        "for each in select m.user_id from aimemory.memories m loop perform 1; end loop",
    ],
}


@pytest.mark.parametrize(("rule", "statement"), [(r, s) for r in REFUSED for s in REFUSED[r]])
def test_what_a_cluster_refuses_is_caught(schema: Schema, rule: str, statement: str) -> None:
    assert len(found(schema, getattr(cluster_rules, rule), statement)) == 1


@pytest.mark.parametrize(("rule", "statement"), [(r, s) for r in ACCEPTED for s in ACCEPTED[r]])
def test_what_a_cluster_can_do_passes(schema: Schema, rule: str, statement: str) -> None:
    assert found(schema, getattr(cluster_rules, rule), statement) == []


def test_every_rule_has_a_planted_violation() -> None:
    planted = {*REFUSED, "names_the_user", "tied_by_user"}
    used = {*cluster_rules.REQUEST_PATH, *cluster_rules.ACROSS_USERS}

    assert {rule.__name__ for rule in used} == planted


def test_a_request_is_never_held_to_the_lighter_rules_of_upkeep() -> None:
    text = "create function aimemory.f(someone text) …"

    assert cluster_rules.rules_for(Source(text, folder="functions")) is cluster_rules.REQUEST_PATH
    assert cluster_rules.rules_for(Source(text, folder="maintenance")) is cluster_rules.ACROSS_USERS


def test_brackets_and_cases_nest() -> None:
    depths = [(token.text, token.depth) for token in tokenize("a (b case c end) end case d")]

    assert depths == [
        *[("a", 0), ("(", 0), ("b", 1), ("case", 1), ("c", 2), ("end", 1), (")", 0)],
        *[("end", 0), ("case", 0), ("d", 0)],
    ]
