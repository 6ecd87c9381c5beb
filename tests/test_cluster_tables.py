"""Tables and migrations are ready for a cluster: one user's rows can move to any shard."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import psycopg
import pytest

from aimemory import sqlobjects
from sqltext import Source

CATALOG_RULES: dict[str, str] = {
    "user_id is text and never null": """
        select c.relname from pg_class c
          join pg_attribute a on a.attrelid = c.oid and a.attname = 'user_id'
         where c.relkind = 'r' and c.relnamespace = 'aimemory'::regnamespace
           and (a.atttypid <> 'text'::regtype or not a.attnotnull or a.attcollation <> 100)""",
    "every key and index of a user table begins with user_id": """
        select i.indexrelid::regclass::text from pg_index i
          join pg_class c on c.oid = i.indrelid
          join pg_attribute u on u.attrelid = c.oid and u.attname = 'user_id'
         where c.relkind = 'r' and c.relnamespace = 'aimemory'::regnamespace
           and i.indkey[0] <> u.attnum
           -- Upkeep, which is for all users, finds what is due by time.
           and (i.indisunique or i.indexrelid::regclass::text <> all (array[
                'aimemory.memory_access_due_idx', 'aimemory.recall_log_age_idx',
                'aimemory.sessions_quiet_idx']))""",
    "every table has a primary key": """
        select c.relname from pg_class c
         where c.relkind = 'r' and c.relnamespace = 'aimemory'::regnamespace
           and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)""",
    "a foreign key leads to a shared table, or carries user_id along": """
        select k.conname from pg_constraint k
          left join pg_attribute u on u.attrelid = k.conrelid and u.attname = 'user_id'
          left join pg_attribute r on r.attrelid = k.confrelid and r.attname = 'user_id'
         where k.contype = 'f' and k.connamespace = 'aimemory'::regnamespace
           and r.attnum is not null
           and (u.attnum is null or k.conkey[1] <> u.attnum or k.confkey[1] <> r.attnum)""",
    "a foreign key never sets columns to null or default": """
        select k.conname from pg_constraint k
         where k.contype = 'f' and k.connamespace = 'aimemory'::regnamespace
           and (k.confdeltype in ('n', 'd') or k.confupdtype in ('n', 'd'))""",
    "there are no triggers": """
        select t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
         where c.relnamespace = 'aimemory'::regnamespace and not t.tgisinternal""",
    "there are no rules but those of views": """
        select r.rulename from pg_rewrite r join pg_class c on c.oid = r.ev_class
         where c.relnamespace = 'aimemory'::regnamespace and r.rulename <> '_RETURN'""",
    "there are no sequences and no identity columns": """
        select c.relname from pg_class c
         where c.relkind = 'S' and c.relnamespace = 'aimemory'::regnamespace""",
    "durations are seconds, not intervals": """
        select c.relname || '.' || a.attname from pg_class c
          join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
         where c.relkind = 'r' and c.relnamespace = 'aimemory'::regnamespace
           and a.atttypid = 'interval'::regtype""",
}
TABLE = "create table aimemory.bad (user_id text not null, n integer not null, {}, {})"
KEY = "constraint bad_pkey primary key (user_id, n)"
PLANTED = [
    (
        "user_id is text and never null",
        "create table aimemory.bad (user_id uuid primary key)",
        "bad",
    ),
    (
        "user_id is text and never null",
        'create table aimemory.bad (user_id text collate "C" primary key)',
        "bad",
    ),
    (
        "every key and index of a user table begins with user_id",
        TABLE.format("constraint bad_pkey primary key (n, user_id)", "m text"),
        "aimemory.bad_pkey",
    ),
    (
        "every key and index of a user table begins with user_id",
        "create index bad_idx on aimemory.memories (session_id, user_id)",
        "aimemory.bad_idx",
    ),
    (
        "every key and index of a user table begins with user_id",
        "create index bad_idx on aimemory.memories (lower(user_id))",
        "aimemory.bad_idx",
    ),
    ("every table has a primary key", "create table aimemory.bad (user_id text not null)", "bad"),
    (
        "a foreign key leads to a shared table, or carries user_id along",
        "create table aimemory.bad (user_id text not null, parent uuid not null, owner text,"
        " constraint bad_fkey foreign key (owner, parent)"
        " references aimemory.memories (user_id, memory_id))",
        "bad_fkey",
    ),
    (
        "a foreign key leads to a shared table, or carries user_id along",
        "create table aimemory.bad (owner text primary key,"
        " constraint bad_fkey foreign key (owner) references aimemory.users (user_id))",
        "bad_fkey",
    ),
    (
        "a foreign key never sets columns to null or default",
        TABLE.format(KEY, "constraint bad_fkey foreign key (user_id)")[:-1]
        + " references aimemory.users (user_id) on delete set null)",
        "bad_fkey",
    ),
    (
        "there are no triggers",
        "create trigger bad before update on aimemory.memories for each row"
        " execute function suppress_redundant_updates_trigger()",
        "bad",
    ),
    (
        "there are no rules but those of views",
        "create rule bad as on delete to aimemory.users do instead nothing",
        "bad",
    ),
    (
        "there are no sequences and no identity columns",
        TABLE.format(KEY, "m bigint generated always as identity"),
        "bad_m_seq",
    ),
    (
        "durations are seconds, not intervals",
        TABLE.format(KEY, "kept_for interval"),
        "bad.kept_for",
    ),
]


@pytest.mark.parametrize("rule", CATALOG_RULES)
def test_the_tables_keep_the_rule(db: psycopg.Connection, rule: str) -> None:
    assert db.execute(CATALOG_RULES[rule].encode()).fetchall() == []


@pytest.mark.parametrize(("rule", "bad", "named"), PLANTED, ids=[rule for rule, *_ in PLANTED])
def test_the_rule_catches_a_bad_table(
    db: psycopg.Connection, rule: str, bad: str, named: str
) -> None:
    db.execute(bad.encode())

    assert (named,) in db.execute(CATALOG_RULES[rule].encode()).fetchall()


def test_every_rule_about_tables_has_a_planted_violation() -> None:
    assert {rule for rule, *_ in PLANTED} == set(CATALOG_RULES)


REFUSED = [
    *("serial", "bigserial", "smallserial", "as identity", "sequence", "trigger", "create rule"),
    *("interval", "set storage", "set statistics", "set expression", "drop expression"),
    *("on delete set", "alter column user_id"),
]


def refused_in_migrations(text: str) -> Iterator[str]:
    """What Citus refuses in the definition of a distributed table."""
    source = Source(text, "migration")
    for phrase in REFUSED:
        yield from (phrase for _ in source.find(*phrase.split()))
    for word in ("check", "references", "primary", "unique", "foreign"):
        for at in source.find(word):
            yield from _unnamed(source, at)
    for at in source.find("alter", "table"):
        start, end = source.statement_around(at)
        if any(source.tokens[i].depth == 0 for i in source.find(",", start=start, end=end)):
            yield "several changes in one alter table"


def _unnamed(source: Source, at: int) -> Iterator[str]:
    """A constraint that is written behind a column, or has no name."""
    word = source.word(at)
    if source.has(at, "unique", "index") or (word == "references" and source.word(at - 1) == ")"):
        return
    if source.word(at - 2) != "constraint":
        yield f"unnamed {word}"


def migration_texts() -> dict[str, str]:
    """The SQL of every revision, up and down."""
    texts = {}
    for path in sorted((sqlobjects.directory("migrations") / "versions").glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        body = [node for node in tree.body[1:] if not isinstance(node, ast.ImportFrom)]
        strings = [
            node.value
            for statement in body
            for node in ast.walk(statement)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        texts[path.stem] = ";\n".join(text for text in strings if " " in text)
    return texts


@pytest.mark.parametrize("revision", migration_texts())
def test_a_migration_uses_nothing_that_a_cluster_refuses(revision: str) -> None:
    assert list(refused_in_migrations(migration_texts()[revision])) == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("create table aimemory.x (n bigserial)", "bigserial"),
        ("create table aimemory.x (n bigint generated always as identity)", "as identity"),
        ("create table aimemory.x (kept interval)", "interval"),
        ("create trigger t before update on aimemory.x execute function f()", "trigger"),
        ("create rule r as on delete to aimemory.x do instead nothing", "create rule"),
        ("alter table aimemory.x alter column n set storage external", "set storage"),
        ("alter table aimemory.x alter column n set statistics 1000", "set statistics"),
        ("alter table aimemory.x alter column n set expression as (1)", "set expression"),
        ("alter table aimemory.x alter column user_id type varchar", "alter column user_id"),
        ("alter table aimemory.x alter column n drop expression", "drop expression"),
        ("alter table aimemory.x add column a text, add column b text", "several changes"),
        ("alter table aimemory.x add column a text check (a <> '')", "unnamed check"),
        ("create table aimemory.x (user_id text primary key)", "unnamed primary"),
        (
            "create table aimemory.x (n text references aimemory.users (user_id))",
            "unnamed referenc",
        ),
        ("create table aimemory.x (unique (user_id))", "unnamed unique"),
        (
            "create table aimemory.x (constraint f foreign key (n)"
            " references aimemory.y (n) on delete set null)",
            "on delete set",
        ),
    ],
)
def test_a_bad_migration_is_caught(statement: str, said: str) -> None:
    assert any(sentence.startswith(said) for sentence in refused_in_migrations(statement))
