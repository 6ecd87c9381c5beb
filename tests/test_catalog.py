"""Every SQL object keeps the same rules; for each rule a bad object proves that it is kept."""

from __future__ import annotations

import re
from collections.abc import Callable

import psycopg
import pytest

import catalog
from aimemory import errors, sqlobjects

Rule = Callable[[psycopg.Connection], list[str]]
MAPPED = set(errors._BY_SQLSTATE)


def unmapped_errors(db: psycopg.Connection) -> list[str]:
    return catalog.unmapped_errors(db, MAPPED)


PLANTED: list[tuple[Rule, str, str]] = [
    (
        catalog.undocumented,
        "create table aimemory.silent (user_id text)",
        "silent",
    ),
    (
        catalog.undocumented,
        "create view aimemory.silent as select 1 as one",
        "silent",
    ),
    (
        catalog.undocumented,
        "create function aimemory.silent() returns integer language sql immutable return 1",
        "silent",
    ),
    (
        catalog.views_with_the_rights_of_their_owner,
        "create view aimemory.open as select m.content from aimemory.memories m",
        "open",
    ),
    (
        catalog.arguments_named_like_columns,
        "create function aimemory.leak(user_id text) returns bigint language sql stable begin"
        " atomic select count(*) from aimemory.memories m where m.user_id = user_id; end",
        "leak(user_id)",
    ),
    (
        catalog.names_of_plpgsql,
        "create function aimemory.bad(found text) returns text language plpgsql"
        " as 'begin return found; end'",
        "bad(found)",
    ),
    (
        catalog.names_of_plpgsql,
        "create function aimemory.bad(given text) returns table (tg_op text) language plpgsql"
        " as 'begin return; end'",
        "bad(tg_op)",
    ),
    (
        catalog.names_of_plpgsql,
        "create function aimemory.bad(given text) returns text language plpgsql"
        " as 'declare kept text; sqlstate text; begin return kept; end'",
        "bad(sqlstate)",
    ),
    (
        catalog.overloads,
        "create function aimemory.tokens(input text, lang text) returns text language sql"
        " immutable return input",
        "tokens",
    ),
    (
        catalog.wrong_volatility,
        "create function aimemory.how_many(for_user text) returns bigint language plpgsql"
        " as 'begin return (select count(*) from aimemory.memories m); end'",
        "how_many is v, not s",
    ),
    (
        catalog.wrong_volatility,
        "create function aimemory.doubled(input text) returns text language sql stable"
        " return input || input",
        "doubled is s, not i",
    ),
    (
        catalog.wrong_volatility,
        "create function aimemory.frozen(for_user text) returns bigint language plpgsql immutable"
        " as 'begin return (select count(*) from aimemory.memories m); end'",
        "frozen is i, not s",
    ),
    (
        catalog.wrong_volatility,
        "create function aimemory.quiet(for_user text) returns void language plpgsql stable"
        " as 'begin perform aimemory.lock_user(for_user); end'",
        "quiet is s, not v",
    ),
    (
        catalog.loose_plpgsql,
        "create function aimemory.loose() returns integer language plpgsql"
        " set search_path = pg_catalog as 'begin return 1; end'",
        "loose: no #variable_conflict error",
    ),
    (
        catalog.loose_plpgsql,
        "create function aimemory.loose() returns integer language plpgsql"
        " as '\n#variable_conflict error\nbegin return 1; end'",
        "loose: no search_path",
    ),
    (
        catalog.sql_over_tables,
        "create function aimemory.inlined(for_user text) returns bigint language sql stable"
        " begin atomic select count(*) from aimemory.memories m where m.user_id = for_user; end",
        "inlined",
    ),
    (
        catalog.not_user_first,
        "create function aimemory.late(target uuid, for_user text) returns bigint language plpgsql"
        " as 'begin return (select 1 from aimemory.users u where u.user_id = for_user); end'",
        "late",
    ),
    (
        catalog.unqualified_names,
        "create function aimemory.lost(for_user text) returns bigint language plpgsql"
        " as 'begin return (select count(*) from memories m where m.user_id = for_user); end'",
        "lost: memories",
    ),
    (
        catalog.unqualified_names,
        "create function aimemory.lost(input text) returns text language plpgsql"
        " as 'begin return normalized(input); end'",
        "lost: normalized()",
    ),
    (
        catalog.open_results,
        "create function aimemory.rows_of(for_user text) returns setof aimemory.memories"
        " language plpgsql as 'begin return; end'",
        "rows_of: results are not spelled out",
    ),
    (
        catalog.open_results,
        "create function aimemory.rows_of(for_user text) returns table (a text, b text)"
        " language plpgsql as 'begin return query select * from aimemory.users u; end'",
        "rows_of: select *",
    ),
    (
        catalog.open_results,
        "create function aimemory.rows_of(for_user text) returns table (a text, b text)"
        " language plpgsql as 'begin return query select u.* from aimemory.users u; end'",
        "rows_of: select u.*",
    ),
    (
        catalog.views_of_their_owner,
        "create view aimemory.leak as select m.content from aimemory.memories m",
        "leak",
    ),
    (
        catalog.views_of_their_owner,
        "create materialized view aimemory.leak as select m.content from aimemory.memories m",
        "leak",
    ),
    (
        catalog.functions_of_their_owner,
        "create function aimemory.leak(for_user text) returns bigint language sql stable"
        " security definer return 1",
        "leak",
    ),
    (
        catalog.unprotected_tables,
        "create table aimemory.leak (user_id text)",
        "leak: not enabled, not forced, no policy analyst, no policy maintainer,"
        " no policy own_rows",
    ),
    (
        catalog.unprotected_tables,
        "alter table aimemory.memories no force row level security",
        "memories: not forced",
    ),
    (
        catalog.unprotected_tables,
        "create policy leak on aimemory.memories using (true)",
        "memories: policy leak",
    ),
    (
        catalog.upkeep_for_everybody,
        # As a function of sql/maintenance would be that forgets to ask for the role.
        "create or replace function aimemory.drop_vectors("
        "of_model text, max_rows integer default 5000)"
        " returns bigint language plpgsql as 'begin return 0; end'",
        "drop_vectors",
    ),
    (
        unmapped_errors,
        "create function aimemory.rude() returns void language plpgsql"
        " as $$begin raise exception 'no'; end$$",
        "rude: no errcode",
    ),
    (
        unmapped_errors,
        "create function aimemory.rude() returns void language plpgsql"
        " as $$begin raise exception 'no' using errcode = 'MM999'; end$$",
        "rude: 'MM999'",
    ),
]
RULES = {rule.__name__: rule for rule, _, _ in PLANTED}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_schema_keeps_the_rule(db: psycopg.Connection, rule: Rule) -> None:
    assert rule(db) == []


@pytest.mark.parametrize(
    ("rule", "bad", "named"), PLANTED, ids=[f"{r.__name__}-{n}" for r, _, n in PLANTED]
)
def test_the_rule_catches_a_bad_object(
    db: psycopg.Connection, rule: Rule, bad: str, named: str
) -> None:
    db.execute(bad)

    assert named in rule(db)


def test_an_argument_named_like_a_column_would_show_other_users_memories(
    db: psycopg.Connection,
) -> None:
    """The hazard itself, so that nobody takes the rule for a matter of taste."""
    db.execute("select aimemory.add_memory('ann', 'likes tea')")
    db.execute(
        "create function aimemory.leak(user_id text) returns bigint language sql stable begin"
        " atomic select count(*) from aimemory.memories m where m.user_id = user_id; end"
    )

    assert db.execute("select aimemory.leak('bob')").fetchone() == (1,)


def test_every_error_of_python_is_raised_by_some_function(db: psycopg.Connection) -> None:
    texts = [function.body for function in catalog.functions(db)]
    texts.append(catalog.PRIVILEGES.read_text("utf-8"))
    raised = set(re.findall(r"errcode\s*=\s*'(MM\w+)'", "\n".join(texts)))

    assert raised == {code for code in MAPPED if code.startswith("MM")}


def test_every_file_creates_the_one_object_that_it_is_named_after() -> None:
    wrong = {
        path.name: catalog.objects_in(path.read_text("utf-8"))
        for path in catalog.files()
        if catalog.objects_in(path.read_text("utf-8")) != [path.stem]
    }

    assert wrong == {}


def test_a_second_object_in_a_file_is_seen() -> None:
    text = "create function aimemory.one() …;\ncreate view aimemory.two as …;"

    assert catalog.objects_in(text) == ["one", "two"]


def test_objects_sql_lists_every_file_exactly_once() -> None:
    assert sorted(sqlobjects.sources()) == sorted([*catalog.files(), catalog.PRIVILEGES])


def test_privileges_are_set_when_all_objects_are_there() -> None:
    assert sqlobjects.sources()[-1] == catalog.PRIVILEGES


def test_what_is_installed_is_what_the_files_create(db: psycopg.Connection) -> None:
    installed = {function.name for function in catalog.functions(db)} | {
        name
        for (name,) in db.execute(
            "select relname from pg_class"
            " where relnamespace = 'aimemory'::regnamespace and relkind in ('v', 'm')"
        )
    }

    assert installed == {path.stem for path in catalog.files()}
