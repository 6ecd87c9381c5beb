r"""Write the reference in docs/sql.md: functions, views and tables, from a database.

    python tools/reference.py [URL] [--check]

It goes below the marker; the examples above that are written by hand and stay. Every
text in it is a COMMENT of the schema, so it cannot say anything else than ``\df+`` in
psql. URL is that of a database migrated to this version; without one
an embedded server is started for it. ``--check`` compares and changes nothing.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import class_row, dict_row

from aimemory import errors, sqlobjects, statements
from aimemory.embedded import EmbeddedServer
from aimemory.migration import migrate, require_current, schema_state

TARGET = Path(__file__).parent.parent / "docs" / "sql.md"
MARKER = "<!-- Below, tools/reference.py writes the comments of the schema: edit those. -->"
HEADER = """\
## Reference

Everything here is in the schema `aimemory` and works from psql, a BI tool or any driver.

- Name arguments when there are more than two: `aimemory.recall('ann', 'tea', max_results => 3)`.
- The first argument of a function over memories is the user; other users' rows are out of reach.
- `as_of` is the time at which the call counts as made; leave it out and it is now.
- Not found is no row, or false. Arguments that cannot be used raise one of the [errors](#errors).
"""
GROUPS = {
    "Reading": "They change nothing.",
    "Writing": "Each is one step; several in one transaction stand or fall together.",
    "Upkeep": "For operators: they work on all users, one batch a call.",
    "Steps": "What the functions above are made of; call those instead.",
    "Text and numbers": "Pure functions: the result depends on the arguments alone.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function as the catalog describes it."""

    oid: int
    name: str
    language: str
    volatility: str
    result: str | None
    """None for a procedure."""
    body: str
    comment: str


class Argument(NamedTuple):
    """An argument or a result column of a function."""

    name: str
    kind: str
    default: str | None


def rows(connection: psycopg.Connection, query: str, *values: object) -> list[dict[str, Any]]:
    """Return the rows of a query as dictionaries."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), values).fetchall()


def reference(connection: psycopg.Connection) -> str:
    """Return what goes below the marker, for the schema of this database."""
    _shorten_types(connection)
    functions = _functions(connection)
    parts = [HEADER, *_contents(functions)]
    for group, about in GROUPS.items():
        parts += [f"## {group}", about]
        for function in functions:
            if _group(function) == group:
                parts += _describe(connection, function)
    parts += ["## Views", *_relations(connection, "v")]
    parts += ["## Tables", *_relations(connection, "r")]
    parts += ["## Errors", *_errors(functions)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _shorten_types(connection: psycopg.Connection) -> None:
    """Let types of pgvector go without the name of the schema that it is installed in."""
    connection.execute(
        "select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), false)"
        "  from pg_extension e join pg_namespace n on n.oid = e.extnamespace"
        " where e.extname = 'vector'"
    )


def _functions(connection: psycopg.Connection) -> list[Function]:
    with connection.cursor(row_factory=class_row(Function)) as cursor:
        return cursor.execute("""
            select p.oid, p.proname as name, l.lanname as language,
                   p.provolatile::text as volatility, pg_get_function_result(p.oid) as result,
                   p.prosrc as body, coalesce(obj_description(p.oid, 'pg_proc'), '') as comment
              from pg_proc p join pg_language l on l.oid = p.prolang
             where p.pronamespace = 'aimemory'::regnamespace
             order by p.proname""").fetchall()


def _group(function: Function) -> str:
    called = {
        str(re.findall(rb"aimemory\.(\w+)", value)[0], "ascii")
        for name, value in vars(statements).items()
        if name.isupper() and isinstance(value, bytes)
    }
    if (sqlobjects.directory("sql") / "maintenance" / f"{function.name}.sql").exists():
        return "Upkeep"
    if function.volatility == "i":
        return "Text and numbers"
    if function.name not in called:
        return "Steps"
    return "Reading" if function.volatility == "s" else "Writing"


def _contents(functions: list[Function]) -> Iterator[str]:
    lines = [
        f"- [{group}](#{group.lower().replace(' ', '-')}): "
        + ", ".join(f"[{f.name}](#{f.name})" for f in functions if _group(f) == group)
        for group in GROUPS
    ]
    yield "\n".join([*lines, "- [Views](#views), [Tables](#tables), [Errors](#errors)"])


def _describe(connection: psycopg.Connection, function: Function) -> Iterator[str]:
    arguments, columns = _arguments(connection, function)
    yield f"### {function.name}"
    yield function.comment
    yield _signature(function, arguments)
    if columns:
        yield "Result columns: " + ", ".join(f"`{c.name}` {c.kind}" for c in columns) + "."


def _arguments(
    connection: psycopg.Connection, function: Function
) -> tuple[list[Argument], list[Argument]]:
    """Return what a caller passes, and the columns of the result."""
    found = rows(
        connection,
        """
        select a.name, a.mode, format_type(a.kind, null) as kind,
               pg_get_function_arg_default(p.oid, a.nth::integer) as default
          from pg_proc p
         cross join unnest(
               p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargmodes)
               with ordinality as a(name, kind, mode, nth)
         where p.oid = %s
         order by a.nth""",
        function.oid,
    )
    described = [
        (row["mode"], Argument(row["name"], _short(row["kind"]), _plain(row["default"])))
        for row in found
    ]
    return (
        [argument for mode, argument in described if mode != "t"],
        [argument for mode, argument in described if mode == "t"],
    )


def _short(kind: str) -> str:
    return kind.replace("timestamp with time zone", "timestamptz")


def _plain(default: str | None) -> str | None:
    """Write a default as a person would: without its cast, and null in lower case."""
    if default is None:
        return None
    value = re.sub(r"^(NULL|'(?:[^']|'')*')::[\w \[\]]+$", r"\1", default)
    return "null" if value == "NULL" else value


def _signature(function: Function, arguments: list[Argument]) -> str:
    # A procedure has no result, and is called as a statement of its own.
    opening, result = "call ", ""
    if function.result is not None:
        is_table = function.result.startswith("TABLE")
        opening, result = "", f" returns {'table (…)' if is_table else function.result}"
    if not arguments:
        return f"```\naimemory.{function.name}(){result}\n```"
    width = max(len(argument.name) for argument in arguments)
    kinds = max(len(argument.kind) for argument in arguments)
    lines = [
        f"    {a.name:<{width}}  {a.kind:<{kinds}}"
        + (f"  default {a.default}" if a.default is not None else "")
        for a in arguments
    ]
    inside = ",\n".join(line.rstrip() for line in lines)
    return f"```\n{opening}aimemory.{function.name}(\n{inside}\n){result}\n```"


def _relations(connection: psycopg.Connection, kind: str) -> Iterator[str]:
    relations = rows(
        connection,
        """
        select c.oid, c.relname as name, obj_description(c.oid, 'pg_class') as comment
          from pg_class c
         where c.relnamespace = 'aimemory'::regnamespace and c.relkind = %s
           and c.relname <> 'alembic_version'
         order by c.relname""",
        kind,
    )
    for relation in relations:
        yield f"### {relation['name']}"
        yield relation["comment"] or ""
        yield _columns(connection, relation["oid"])
        constraints = _constraints(connection, relation["oid"])
        if constraints:
            yield "\n".join(f"- {line}" for line in constraints)


def _columns(connection: psycopg.Connection, relation: int) -> str:
    """Return the table of columns; one without a comment takes that which it has in memories.

    That is, in the tables whose names begin like this or in users, if they agree.
    """
    columns = rows(
        connection,
        """
        with said as (
            select a.attrelid, a.attname, col_description(a.attrelid, a.attnum) as comment
              from pg_attribute a join pg_class c on c.oid = a.attrelid
             where c.relnamespace = 'aimemory'::regnamespace and c.relkind = 'r' and a.attnum > 0
               and (c.relname = 'users' or c.relname like 'memor%%')
        )
        select a.attname as name, format_type(a.atttypid, a.atttypmod) as kind,
               a.attnotnull or c.relkind = 'v' as never_null,
               case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end as default,
               coalesce(col_description(a.attrelid, a.attnum), (
                   select min(s.comment) from said s
                    where s.attname = a.attname
                   having count(distinct s.comment) = 1), '') as comment
          from pg_attribute a
          join pg_class c on c.oid = a.attrelid
          left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
         where a.attrelid = %s and a.attnum > 0 and not a.attisdropped
         order by a.attnum""",
        relation,
    )
    lines = ["| column | type | meaning |", "|---|---|---|"]
    for column in columns:
        kind = _short(column["kind"]) + ("" if column["never_null"] else ", may be null")
        default = _plain(column["default"])
        kind += f", default `{default}`" if default is not None else ""
        lines.append(f"| `{column['name']}` | {kind} | {column['comment']} |")
    return "\n".join(lines)


def _constraints(connection: psycopg.Connection, relation: int) -> list[str]:
    """Return keys, references, unique indexes and checks as PostgreSQL writes them."""
    found = rows(
        connection,
        """
        select pg_get_constraintdef(k.oid, true) as text, position(k.contype in 'pufc') as nth,
               k.conname::text
          from pg_constraint k where k.conrelid = %s and k.contype in ('p', 'u', 'f', 'c')
        union all
        select regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE UNIQUE INDEX .* USING btree',
                              'UNIQUE'), 2, i.indexrelid::regclass::text
          from pg_index i where i.indrelid = %s and i.indisunique and not i.indisprimary
         order by 2, 3""",
        relation,
        relation,
    )
    return [f"`{row['text']}`" for row in found]


def _errors(functions: list[Function]) -> Iterator[str]:
    yield "Python turns each into the class of that name."
    lines = ["| SQLSTATE | Python | meaning | raised by |", "|---|---|---|---|"]
    for code, kind in errors._BY_SQLSTATE.items():
        if code.startswith("MM"):
            raising = ", ".join(f"`{name}`" for name in _raising(code, functions))
            meaning = (kind.__doc__ or "").partition("\n")[0]
            lines.append(f"| `{code}` | `{kind.__name__}` | {meaning} | {raising} |")
    yield "\n".join(lines)


def _raising(code: str, functions: list[Function]) -> Iterator[str]:
    """Name what raises an error: functions, and the script that sets the privileges."""
    privileges = (sqlobjects.directory("sql") / "privileges.sql").read_text("utf-8")
    bodies = {function.name: function.body for function in functions}
    for name, body in {**bodies, "aimemory migrate": privileges}.items():
        if f"errcode = '{code}'" in body:
            yield name


def read_reference(url: str | None) -> str:
    """Return the reference of a database, or of one made for it in an embedded server."""
    if url is not None:
        with psycopg.connect(url) as connection:
            require_current(schema_state(connection))
            return reference(connection)
    with (
        tempfile.TemporaryDirectory(prefix="aim-reference-") as folder,
        EmbeddedServer.join(Path(folder) / "data") as server,
    ):
        migrate(server.url)
        return read_reference(server.url)


def main(arguments: list[str]) -> int:
    """Write the reference, or with ``--check`` say whether it is stale."""
    urls = [argument for argument in arguments if argument != "--check"]
    page = TARGET.read_text("utf-8")
    examples, marker, _ = page.partition(MARKER)
    if not marker:
        print(f"docs/sql.md has lost the line below which the reference goes:\n{MARKER}")
        return 1
    wanted = f"{examples}{MARKER}\n\n{read_reference(urls[0] if urls else None)}"
    if page == wanted:
        return 0
    if "--check" in arguments:
        print("stale, run python tools/reference.py: docs/sql.md")
        return 1
    TARGET.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
