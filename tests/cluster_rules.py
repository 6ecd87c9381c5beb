"""What SQL must keep to so that each user's data can live on a shard of its own.

Citus refuses or mistreats the constructs named here. They cost nothing to avoid
from the start, and a rewrite to remove later. Every rule takes SQL text and
yields its violations as sentences; tests/test_cluster_rules.py plants each of
them once and holds all of sql/ to the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import psycopg

from sqltext import SET_OPERATORS, Reference, Source

USER = "for_user"
LOCAL_TO_A_NODE = ("pg_advisory", "pg_try_advisory", "pg_notify")
CLAUSES = {
    *("group", "order", "limit", "offset", "returning", "having", "window", "for", "where", "on"),
    *("join", "left", "right", "full", "inner", "cross", "set", "from", "loop", "then"),
}
TEXT_SEARCH = {"to_tsvector", "to_tsquery", "plainto_tsquery", "websearch_to_tsquery"}


@dataclass(frozen=True, slots=True)
class Schema:
    """What the rules have to know of the database."""

    user_tables: set[str]
    shared_tables: set[str]
    user_views: set[str]
    time_columns: set[str]
    volatility: dict[str, set[str]]
    """Of each function name, what all that bear it are: v, s or i."""
    over_tables: set[str]
    """Our functions that read or write tables."""

    @property
    def user_relations(self) -> set[str]:
        return self.user_tables | self.user_views

    @classmethod
    def read(cls, db: psycopg.Connection) -> Schema:
        columns = db.execute(
            "select c.relname, c.relkind::text, a.attname, format_type(a.atttypid, null)"
            "  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0"
            " where c.relnamespace = 'aimemory'::regnamespace and c.relkind in ('r', 'v')"
            "   and c.relname <> 'alembic_version' and not a.attisdropped"
        ).fetchall()
        functions = db.execute(
            "select p.proname, array_agg(distinct p.provolatile::text),"
            "       bool_or(l.lanname = 'plpgsql')"
            "  from pg_proc p join pg_language l on l.oid = p.prolang"
            " where p.pronamespace in ('pg_catalog'::regnamespace, 'aimemory'::regnamespace)"
            " group by p.proname"
        ).fetchall()
        tables = {name for name, kind, *_ in columns if kind == "r"}
        of_users = {name for name, _, column, _ in columns if column == "user_id"}
        return cls(
            user_tables=tables & of_users,
            shared_tables=tables - of_users,
            user_views=of_users - tables,
            time_columns={c for _, _, c, kind in columns if kind.startswith("timestamp")},
            volatility={name: set(kinds) for name, kinds, _ in functions},
            over_tables={name for name, _, is_plpgsql in functions if is_plpgsql},
        )


Rule = Callable[[Source, Schema], Iterator[str]]


def violations(rules: Iterable[Rule], source: Source, schema: Schema) -> list[str]:
    """Every violation of these rules in one text."""
    return [sentence for rule in rules for sentence in rule(source, schema)]


def names_the_user(source: Source, schema: Schema) -> Iterator[str]:
    """Every use of a user table names the user, so that one shard can answer."""
    for use in source.references(schema.user_relations):
        if use.inserted:
            if not _inserts_the_user(source, use):
                yield f"{source.place(use.at)}: {use.relation} takes rows of another user"
        elif not any(_is_filter(source, at, use) for at in _conditions(source, use)):
            yield f"{source.place(use.at)}: no condition {use.alias}.user_id = {USER}"


def _conditions(source: Source, use: Reference) -> Iterator[int]:
    """Where ``alias.user_id = for_user`` stands in the SELECT, UPDATE or DELETE of this use."""
    start, end = source.select_around(use.at)
    for at in range(start, end):
        if source.tokens[at].depth == source.tokens[use.at].depth and (
            source.has(at, use.alias, ".", "user_id", "=", USER)
            or source.has(at, USER, "=", use.alias, ".", "user_id")
        ):
            yield at


def _is_filter(source: Source, at: int, use: Reference) -> bool:
    """Whether the condition there keeps out every row of other users."""
    start, end = source.select_around(at)
    depth = source.tokens[at].depth
    same = [i for i in range(start, end) if source.tokens[i].depth == depth]
    if any(source.word(i) in ("right", "full") and source.word(i + 1) != "(" for i in same):
        return False
    before = [i for i in same if i < at and source.word(i) in CLAUSES]
    after = [i for i in same if i > at + 4 and source.word(i) in CLAUSES - {"left"}]
    clause = before[-1] if before else start
    clause_end = after[0] if after else end
    if source.word(clause) not in ("where", "on") or source.word(at - 1) not in (
        "where",
        "on",
        "and",
    ):
        return False
    if any(source.word(i) == "or" for i in same if clause < i < clause_end):
        return False
    follows = source.word(at + 5)
    if follows not in CLAUSES | SET_OPERATORS | {"and", ")", ";", ""}:
        return False
    return source.word(clause) == "where" or _joins(source, clause, use)


def _joins(source: Source, on: int, use: Reference) -> bool:
    """Whether a condition after this ON keeps rows of the used table out, not just unmatched."""
    join = max(source.find("join", end=on))
    outer = source.word(join - 1) in ("left", "outer")
    return not outer or use.at == join + 1


def _inserts_the_user(source: Source, use: Reference) -> bool:
    at = use.at + 3
    if source.word(at) == "as":
        at += 2
    if not source.has(at, "(", "user_id"):
        return False
    at = source.closing(at) + 1
    if source.word(at) == "select":
        return _is_the_user(source, at + 1)
    if source.word(at) != "values":
        return False
    while source.word(at) in ("values", ","):
        if not _is_the_user(source, at + 2):
            return False
        at = source.closing(at + 1) + 1
    return True


def _is_the_user(source: Source, at: int) -> bool:
    """Whether the value here is the user, or the user_id of a row already read."""
    return source.has(at, USER, ",") or source.has(at + 1, ".", "user_id", ",")


def tied_by_user(source: Source, schema: Schema) -> Iterator[str]:
    """What is joined across all users is joined on user_id, so each shard does its own part."""
    for use in source.references(schema.user_relations):
        if use.inserted:
            continue
        start, end = source.select_around(use.at)
        tied = any(
            source.has(at, use.alias, ".", "user_id", "=")
            or source.has(at, ".", "user_id", "=", use.alias, ".", "user_id")
            or source.has(at, "using", "(", "user_id")
            for at in range(start, end)
        )
        if not tied and _meets_another(source, start, end, source.tokens[use.at].depth):
            yield f"{source.place(use.at)}: {use.alias} is not joined on user_id"


def _meets_another(source: Source, start: int, end: int, depth: int) -> bool:
    """Whether a SELECT joins anything, or speaks of a table of the query around it."""
    same = [i for i in range(start, end) if source.tokens[i].depth == depth]
    words = [source.word(i) for i in same]
    first = words.index("from") if "from" in words else 0
    ends = [i for i, word in enumerate(words) if i > first and word in ("where", "group", "order")]
    last = min(ends, default=len(words))
    if (
        {"join", "using"} & set(words)
        or "," in words[first:last]
        or {"update", "from"} <= set(words)
    ):
        return True
    own = {source.word(i) for i in same[first:last] if source.word(i + 1) != "."} | {"aimemory"}
    qualifiers = {source.word(i) for i in same if source.word(i + 1) == "."}
    return not qualifiers <= own


def calls_alone(source: Source, schema: Schema) -> Iterator[str]:
    """A function over tables cannot run within a statement that itself runs on a shard."""
    uses = [use.at for use in source.references(schema.user_relations)]
    for at, name, _ in source.calls(0, len(source.tokens)):
        if name in schema.over_tables and source.word(at - 1) == ".":
            start, end = source.statement_around(at)
            if any(start <= use < end for use in uses):
                yield f"{source.place(at)}: {name} is called by a statement over user tables"


def flat_values(source: Source, schema: Schema) -> Iterator[str]:
    """INSERT … VALUES holds no sub-select."""
    for use in source.references(schema.user_tables):
        _, end = source.statement_around(use.at)
        if not use.inserted:
            continue
        for values in source.find("values", "(", start=use.at, end=end):
            for at in source.find("select", start=values, end=source.closing(values + 1)):
                yield f"{source.place(at)}: sub-select in VALUES; use a variable or INSERT … SELECT"


def locks_one_user(source: Source, schema: Schema) -> Iterator[str]:
    """Row locks are never taken over the rows of all users at once."""
    uses = [use.at for use in source.references(schema.user_relations)]
    for at in source.find("for"):
        start, end = source.select_around(at)
        if source.word(at + 1) in ("update", "share", "no", "key") and any(
            start <= use < end for use in uses
        ):
            yield f"{source.place(at)}: FOR {source.word(at + 1).upper()} over all users"


def steady_writes(source: Source, schema: Schema) -> Iterator[str]:
    """What UPDATE, DELETE and ON CONFLICT compute does not depend on the node or the moment."""
    for start, end in _writes(source):
        for at, name, close in source.calls(start, end):
            kinds = schema.volatility.get(name, set())
            columns = [i + 1 for i in source.find(".", start=at + 2, end=close)]
            columns = [i for i in columns if source.word(i - 2) != "aimemory"]
            if kinds == {"v"}:
                yield f"{source.place(at)}: {name}() is volatile; pass its value as an argument"
            elif kinds == {"s"} and columns:
                yield f"{source.place(at)}: {name}() over a column depends on the session"
        for at in range(start, end):
            if source.word(at) in schema.time_columns and source.word(at - 1) == ".":
                yield from _time_arithmetic(source, at, schema)


def _writes(source: Source) -> Iterator[tuple[int, int]]:
    for opening in (("update", "aimemory"), ("delete", "from"), ("do", "update", "set")):
        for at in source.find(*opening):
            yield at, source.select_around(at)[1]


def _time_arithmetic(source: Source, at: int, schema: Schema) -> Iterator[str]:
    """What is added to a time or taken from it is an interval, whose days depend on the zone."""
    times = {source.word(i - 1) for i in source.find("timestamptz")} | {"now", "excluded"}
    before, after = source.word(at - 3), source.word(at + 1)
    if after == "::" and source.word(at + 2) != "timestamptz":
        yield f"{source.place(at)}: {source.word(at)} cast to {source.word(at + 2)}"
    elif "+" in (before, after):
        yield f"{source.place(at)}: an interval is added to {source.word(at)}; compare seconds"
    elif after == "-" and not (
        source.word(at + 2) in times
        or (source.word(at + 3) == "." and source.word(at + 4) in schema.time_columns)
    ):
        yield f"{source.place(at)}: an interval is taken from {source.word(at)}"


def upserts_of_excluded(source: Source, schema: Schema) -> Iterator[str]:
    """ON CONFLICT DO UPDATE takes its values from excluded and from the row itself."""
    keywords = {"and", "or", "not", "is", "null", "where", "distinct", "from", "true", "false"}
    for at in source.find("do", "update", "set"):
        _, end = source.select_around(at)
        insert = max(source.find("insert", "into", "aimemory", ".", end=at))
        own = {"excluded", source.word(insert + 4)}
        own |= {source.word(insert + 6)} if source.word(insert + 5) == "as" else set()
        for i in range(at + 3, end):
            word, follows = source.word(i), source.word(i + 1)
            if source.tokens[i].kind != "word" or word in keywords | own:
                continue
            if source.word(i - 1) == "." or follows in ("(", "="):
                continue
            yield f"{source.place(i)}: {word} in an upsert; only excluded.* is the same everywhere"


def plain_statements(source: Source, schema: Schema) -> Iterator[str]:
    """No construct that a cluster refuses, or that is local to one node of it."""
    for at, token in enumerate(source.tokens):
        where = source.place(at)
        if token.kind != "word":
            continue
        # Upkeep runs on one node, the coordinator, and keeps a second worker out.
        if source.folder == "maintenance" and "advisory" in token.text:
            continue
        if token.text.startswith(LOCAL_TO_A_NODE) or token.text in ("notify", "listen"):
            yield f"{where}: {token.text} is local to one node; lock the row of the user"
        elif token.text == "set_config":
            yield f"{where}: set_config does not reach the shards; SET LOCAL does"
        elif source.has(at, "merge", "into"):
            yield f"{where}: MERGE; use INSERT … ON CONFLICT"
        elif token.text in ("rollup", "cube", "grouping"):
            yield f"{where}: {token.text}; group by one list of columns"
        elif source.has(at, "user_id", "=") and source.word(at - 1) in ("set", ","):
            yield f"{where}: user_id is never changed; insert and delete instead"
        elif (
            token.text in TEXT_SEARCH
            and source.word(at + 1) == "("
            and not any(source.find("regconfig", start=at, end=source.closing(at + 1)))
        ):
            yield f"{where}: {token.text} without a configuration depends on the session"


COMMON: list[Rule] = [
    *(steady_writes, plain_statements, upserts_of_excluded, flat_values, calls_alone),
]
REQUEST_PATH: list[Rule] = [names_the_user, *COMMON]
ACROSS_USERS: list[Rule] = [tied_by_user, locks_one_user, *COMMON]


def rules_for(source: Source) -> list[Rule]:
    """The rules of one file: those of one user wherever a user is given, or ought to be."""
    of_one_user = source.folder == "functions" or any(source.find(USER))
    return REQUEST_PATH if of_one_user else ACROSS_USERS
