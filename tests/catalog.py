"""The rules that every object of the schema keeps, asked of PostgreSQL's own catalog.

Each rule takes a connection and lists the violations; tests/test_catalog.py
holds the installed schema to them, and plants a bad object for each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.rows import class_row

from aimemory import sqlobjects
from sqltext import Source

SQL = sqlobjects.directory("sql")
PRIVILEGES = SQL / "privileges.sql"
PLPGSQL_NAMES = {"found", "sqlstate", "sqlerrm", "new", "old"}
# Setting the path costs a tenth of a small recall, and recall, its only caller, has set it.
# A procedure with a setting of its own cannot commit.
WITHOUT_PATH = {"check_recall", "run_job", "maintain"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function of the schema, as the catalog has it."""

    name: str
    language: str
    volatility: str
    arguments: list[str]
    """What a caller passes."""
    names: list[str]
    """Arguments and result columns: what is a variable in the body."""
    result_columns: list[str]
    returns_set: bool
    returns_row_of: str | None
    settings: list[str]
    body: str
    comment: str | None

    @property
    def source(self) -> Source:
        return Source(f"$body$ {self.body} $body$", self.name)


def functions(db: psycopg.Connection) -> list[Function]:
    """All functions of the schema, in the order of their names."""
    with db.cursor(row_factory=class_row(Function)) as cursor:
        return cursor.execute("""
            select p.proname::text as name, l.lanname::text as language,
                   p.provolatile::text as volatility,
                   coalesce(p.proargnames[1:p.pronargs], '{}') as arguments,
                   coalesce(p.proargnames, '{}') as names,
                   coalesce(array(select n.name
                                    from unnest(p.proargnames, p.proargmodes)
                                         with ordinality as n(name, mode, nth)
                                   where n.mode = 't' order by n.nth), '{}') as result_columns,
                   p.proretset as returns_set,
                   nullif(t.typrelid, 0)::regclass::text as returns_row_of,
                   coalesce(p.proconfig, '{}') as settings,
                   coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as body,
                   obj_description(p.oid, 'pg_proc') as comment
              from pg_proc p
              join pg_language l on l.oid = p.prolang
              join pg_type t on t.oid = p.prorettype
             where p.pronamespace = 'aimemory'::regnamespace
             order by p.proname, p.oid""").fetchall()


def columns(db: psycopg.Connection) -> dict[str, set[str]]:
    """Every table of the schema, and its columns."""
    rows = db.execute("""
        select c.relname, array_agg(a.attname::text)
          from pg_class c
          join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = 'aimemory'::regnamespace and c.relkind = 'r'
         group by c.relname""").fetchall()
    return {name: set(names) for name, names in rows}


def undocumented(db: psycopg.Connection) -> list[str]:
    """Tables, views and functions without a comment, for which \\d+ would show nothing."""
    rows = db.execute("""
        select c.relname from pg_class c
         where c.relnamespace = 'aimemory'::regnamespace and c.relkind in ('r', 'v', 'm')
           and c.relname <> 'alembic_version' and obj_description(c.oid, 'pg_class') is null""")
    return [name for (name,) in rows] + [f.name for f in functions(db) if not f.comment]


def views_with_the_rights_of_their_owner(db: psycopg.Connection) -> list[str]:
    """Views that would show rows which row-level security hides from the one who asks."""
    rows = db.execute(
        "select c.relname from pg_class c"
        " where c.relnamespace = 'aimemory'::regnamespace and c.relkind = 'v'"
        "   and not coalesce(c.reloptions, '{}') && '{security_invoker=true,security_invoker=on}'"
    )
    return [name for (name,) in rows]


def arguments_named_like_columns(db: psycopg.Connection) -> list[str]:
    """Where ``user_id = user_id`` would compare a column with itself: everybody's rows."""
    taken = set().union(*columns(db).values())
    return [f"{f.name}({name})" for f in functions(db) for name in f.arguments if name in taken]


def names_of_plpgsql(db: psycopg.Connection) -> list[str]:
    """An argument called found is silently read as FOUND, or the other way round."""
    bad = []
    for function in functions(db):
        body = function.source
        start = next(body.find("declare"), None)
        end = next(body.find("begin"), 0)
        declared = [
            body.word(at + 1)
            for at in range(start or 0, end if start is not None else 0)
            if body.word(at) in ("declare", ";")
        ]
        bad += [
            f"{function.name}({name})"
            for name in [*function.names, *declared]
            if name in PLPGSQL_NAMES or name.startswith("tg_")
        ]
    return bad


def overloads(db: psycopg.Connection) -> list[str]:
    """Names that more than one function bears: what a call means must not depend on its types."""
    names = [function.name for function in functions(db)]
    return sorted({name for name in names if names.count(name) > 1})


def wrong_volatility(db: psycopg.Connection) -> list[str]:
    """Reads that are volatile, so no index is used, and pure functions that are not immutable."""
    calls_of = {f.name: _calls(f) for f in functions(db)}
    writers = {f.name for f in functions(db) if _writes(f)}
    while more := {n for n, calls in calls_of.items() if calls & writers} - writers:
        writers |= more
    tables = set(columns(db))
    bad = []
    for function in functions(db):
        calls = calls_of[function.name]
        reads = any(function.source.references(tables | _views(db)))
        if function.name in writers or calls & writers:
            expected = "v"
        elif reads or function.language == "plpgsql":
            expected = "s"
        else:
            expected = "i"
        if function.volatility != expected:
            bad.append(f"{function.name} is {function.volatility}, not {expected}")
    return bad


def _calls(function: Function) -> set[str]:
    return {name for _, name, _ in function.source.calls(0, len(function.source.tokens))}


def _writes(function: Function) -> bool:
    body = function.source
    words = [("insert", "into"), ("delete", "from"), ("update", "aimemory")]
    words += [("for", "update"), ("for", "no", "key"), ("for", "key", "share")]
    return any(any(body.find(*pair)) for pair in words)


def _views(db: psycopg.Connection) -> set[str]:
    rows = db.execute(
        "select c.relname from pg_class c"
        " where c.relnamespace = 'aimemory'::regnamespace and c.relkind = 'v'"
    )
    return {name for (name,) in rows}


def loose_plpgsql(db: psycopg.Connection) -> list[str]:
    """PL/pgSQL that would resolve a name by luck: no #variable_conflict error, no search path."""
    bad = []
    for function in functions(db):
        if function.language != "plpgsql":
            continue
        if "#variable_conflict error" not in function.body:
            bad.append(f"{function.name}: no #variable_conflict error")
        paths = [s for s in function.settings if s.startswith("search_path=")]
        if not paths and function.name not in WITHOUT_PATH:
            bad.append(f"{function.name}: no search_path")
    return bad


def sql_over_tables(db: psycopg.Connection) -> list[str]:
    """Functions in plain SQL that read tables: a cluster refuses to inline them."""
    relations = set(columns(db)) | _views(db)
    return [
        f.name for f in functions(db) if f.language == "sql" and any(f.source.references(relations))
    ]


def not_user_first(db: psycopg.Connection) -> list[str]:
    """Functions over user tables whose first argument is not the user; upkeep is exempt."""
    relations = {name for name, names in columns(db).items() if "user_id" in names} | _views(db)
    upkeep = {path.stem for path in (SQL / "maintenance").glob("*.sql")}
    return [
        function.name
        for function in functions(db)
        if function.name not in upkeep
        and any(function.source.references(relations))
        and function.arguments[:1] != ["for_user"]
    ]


def unqualified_names(db: psycopg.Connection) -> list[str]:
    """Tables and functions of ours that a body names without the schema."""
    tables = set(columns(db)) | _views(db)
    ours = {function.name for function in functions(db)}
    bad = []
    for function in functions(db):
        body = function.source
        for at, token in enumerate(body.tokens):
            if body.word(at - 1) in ("from", "join", "into", "update", "using") and (
                token.text in tables
            ):
                bad.append(f"{function.name}: {token.text}")
        for at, name, _ in body.calls(0, len(body.tokens)):
            if name in ours and body.word(at - 1) != ".":
                bad.append(f"{function.name}: {name}()")
    return bad


def open_results(db: psycopg.Connection) -> list[str]:
    """Results whose columns would change with a table: setof table, or SELECT * from one."""
    relations = set(columns(db)) | _views(db)
    bad = []
    for function in functions(db):
        if function.returns_row_of or (function.returns_set and not function.result_columns):
            bad.append(f"{function.name}: results are not spelled out")
        body = function.source
        for at in body.find("*"):
            start, end = body.select_around(at)
            direct = any(start <= use.at < end for use in body.references(relations))
            returned = body.has(start, "return", "query", "select")
            if body.word(at - 1) in ("select", ",") and (direct or returned):
                bad.append(f"{function.name}: select *")
            if body.word(at - 1) == "." and returned and body.tokens[at].depth == 0:
                bad.append(f"{function.name}: select {body.word(at - 2)}.*")
    return bad


def views_of_their_owner(db: psycopg.Connection) -> list[str]:
    """Views that read with the rights of their owner, or keep what was read: policies end there."""
    rows = db.execute("""
        select c.relname from pg_class c
         where c.relnamespace = 'aimemory'::regnamespace
           and (c.relkind = 'm'
                or c.relkind = 'v' and coalesce(c.reloptions, '{}') <> '{security_invoker=true}')
         order by 1""")
    return [name for (name,) in rows]


def functions_of_their_owner(db: psycopg.Connection) -> list[str]:
    """Functions that run with the rights of their owner, whose rows are everybody's."""
    rows = db.execute(
        "select proname from pg_proc where pronamespace = 'aimemory'::regnamespace and prosecdef"
    )
    return [name for (name,) in rows]


def unprotected_tables(db: psycopg.Connection) -> list[str]:
    """User tables that row-level security does not keep apart by user, for the owner as well."""
    own_rows = "(user_id = current_setting('aimemory.user_id'::text, true))"
    wanted = {
        ("analyst", "PERMISSIVE", ("aimemory_analyst",), "SELECT", "true", None),
        ("maintainer", "PERMISSIVE", ("aimemory_maintainer",), "ALL", "true", "true"),
        ("own_rows", "PERMISSIVE", ("public",), "ALL", own_rows, own_rows),
    }
    bad = []
    for table, names in columns(db).items():
        if "user_id" not in names:
            continue
        enabled, forced = db.execute(
            "select relrowsecurity, relforcerowsecurity from pg_class where oid = %s::regclass",
            (f"aimemory.{table}",),
        ).fetchall()[0]
        policies = db.execute(
            "select policyname, permissive, roles::text[], cmd, qual, with_check"
            " from pg_policies where schemaname = 'aimemory' and tablename = %s",
            (table,),
        ).fetchall()
        found = {(name, kind, tuple(roles), *rest) for name, kind, roles, *rest in policies}
        problems = [] if enabled else ["not enabled"]
        problems += [] if forced else ["not forced"]
        problems += [f"no policy {name}" for name, *_ in sorted(wanted - found, key=str)]
        problems += [f"policy {name}" for name, *_ in sorted(found - wanted, key=str)]
        if problems:
            bad.append(f"{table}: {', '.join(problems)}")
    return bad


def upkeep_for_everybody(db: psycopg.Connection) -> list[str]:
    """Functions over all users that would find nothing, instead of asking for the right role."""
    upkeep = {path.stem for path in (SQL / "maintenance").glob("*.sql")}
    return [
        function.name
        for function in functions(db)
        if function.name in upkeep - {"require_maintainer"}
        and not re.search(r"\bbegin\s+perform aimemory\.require_maintainer\(\);", function.body)
    ]


def unmapped_errors(db: psycopg.Connection, known: set[str]) -> list[str]:
    """Raised errors without an SQLSTATE, or with one that Python has no class for."""
    bad = []
    for function in functions(db):
        body = function.source
        for at in body.find("raise", "exception"):
            _, end = body.statement_around(at)
            code = next(
                (body.word(i + 2) for i in body.find("errcode", "=", start=at, end=end)), ""
            )
            if not code:
                bad.append(f"{function.name}: no errcode")
            elif code.strip("'") not in known:
                bad.append(f"{function.name}: {code}")
    return bad


def files() -> list[Path]:
    """All files that hold one object each."""
    return sorted(p for d in ("functions", "maintenance", "views") for p in (SQL / d).glob("*.sql"))


def objects_in(text: str) -> list[str]:
    """The objects that an SQL text creates."""
    return re.findall(r"^create (?:function|procedure|view) aimemory\.(\w+)", text, re.MULTILINE)
