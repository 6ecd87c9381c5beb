"""What two places say is the same: records and result columns, calls and arguments, lists."""

from __future__ import annotations

import ast
import dataclasses
import re
import types
import typing
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import psycopg
import pytest

import aimemory
import catalog
from aimemory import records, statements
from aimemory.records import (
    Candidate,
    Hit,
    Memory,
    Nominee,
    PastMemory,
    Receipt,
    Replaced,
    Revision,
    Similar,
    StandingMemory,
    StoredTurn,
    TimelineEntry,
    UserState,
    WriteResult,
)

RECORDS: dict[str, tuple[type, set[str]]] = {
    # function: its record, and the fields that Python adds
    "recall": (Hit, set()),
    "get_memories": (Memory, set()),
    "list_memories": (Memory, set()),
    "memory_history": (Revision, set()),
    "timeline": (TimelineEntry, set()),
    "memories_as_of": (PastMemory, set()),
    "similar_to": (Similar, set()),
    "add_memory": (WriteResult, {"embedded"}),
    "recent_turns": (StoredTurn, {"attempts"}),
    "pending_turns": (StoredTurn, set()),
    "probe_memories": (Nominee, set()),
    "standing_memories": (StandingMemory, set()),
    "list_candidates": (Candidate, set()),
    "get_user": (UserState, set()),
    "forget": (Receipt, set()),
}
WITHOUT_RECORD = {
    "pieces": "used by other functions only",
    "shared_entities": "used by other functions only",
    "missing_vectors": "a work list, read by reembed as plain rows",
    "refresh_due_dates": "a step of a job, with the place to go on from",
    "run_batch": "a step of a job, with the place to go on from",
    "runs_of_worker": "read by upkeep, whose record knows durations as well",
    "idle_sessions": "a work list, read by the extraction job as plain rows",
    "export_user": "records as JSON, written as they are",
    "import_records": "counts of one batch, gathered into ImportReport",
    "count_usage": "two sums, compared with the limits at once",
}
# Arguments that Python never passes. A new one must be passed or be given a reason.
LEFT_OUT = {
    "register_model": {
        "as_of"
    },  # a model is registered when it is opened, not at a time in the past
    "calibrate_model": {"as_of"},
    # Python locks a user who is about to be written to, now.
}
SQL_TYPES: dict[Any, str] = {
    str: "text",
    UUID: "uuid",
    int: "integer",
    float: "double precision",
    bool: "boolean",
    datetime: "timestamp with time zone",
    list[str]: "text[]",
    dict[str, Any]: "jsonb",
    list[Replaced]: "jsonb",
}


def result_types(db: psycopg.Connection, function: str) -> dict[str, str]:
    """The result columns of a function and their types, in order; Python has one int."""
    rows = db.execute(
        "select r.name, format_type(r.kind, null)"
        "  from pg_proc p,"
        "       unnest(p.proargnames, p.proargmodes, p.proallargtypes)"
        "       with ordinality as r(name, mode, kind, nth)"
        " where p.pronamespace = 'aimemory'::regnamespace and p.proname = %s and r.mode = 't'"
        " order by r.nth",
        [function],
    ).fetchall()
    return {name: kind.replace("bigint", "integer") for name, kind in rows}


def sql_type(annotation: Any) -> str:
    """The PostgreSQL type of a field; None in a union says nothing about it."""
    if get_origin(annotation) in (types.UnionType, typing.Union):
        (annotation,) = (part for part in get_args(annotation) if part is not types.NoneType)
    if get_origin(annotation) is Literal:
        return "text"
    return SQL_TYPES[annotation]


@pytest.mark.parametrize("function", RECORDS)
def test_a_record_has_the_result_columns_of_its_function(
    db: psycopg.Connection, function: str
) -> None:
    record, added = RECORDS[function]
    hints = typing.get_type_hints(record)
    fields = [f.name for f in dataclasses.fields(record) if f.name not in added]

    assert result_types(db, function) == {name: sql_type(hints[name]) for name in fields}
    assert list(result_types(db, function)) == fields
    assert added <= {f.name for f in dataclasses.fields(record)}


def test_every_function_that_returns_a_table_has_a_record_or_a_reason(
    db: psycopg.Connection,
) -> None:
    returning = {f.name for f in catalog.functions(db) if f.result_columns}

    assert returning == RECORDS.keys() | WITHOUT_RECORD.keys()


def calls() -> dict[str, tuple[str, dict[str, str]]]:
    """Each constant of statements.py: the function, and the cast of each argument."""
    found = {}
    for name, value in vars(statements).items():
        if name.isupper() and isinstance(value, bytes):
            match = re.fullmatch(r"(?:select \* from|call) aimemory\.(\w+)\((.*)\)", value.decode())
            assert match is not None, f"{name} is no call of a function"
            written = re.findall(
                r"(\w+) => (?:coalesce\()?%\((\w+)\)s(?:::([\w\[\]:]+))?", match.group(2)
            )
            assert all(argument == value for argument, value, _ in written)
            found[name] = (match.group(1), {argument: cast for argument, _, cast in written})
    return found


@pytest.mark.parametrize("constant", calls())
def test_a_call_passes_every_argument_in_its_type(db: psycopg.Connection, constant: str) -> None:
    function, written = calls()[constant]
    declared = dict(
        db.execute(
            "select a.name, format_type(a.kind, null)"
            "  from pg_proc p, unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[])"
            "       as a(name, kind)"
            " where p.pronamespace = 'aimemory'::regnamespace and p.proname = %s",
            [function],
        ).fetchall()
    )

    assert written.keys() == declared.keys() - LEFT_OUT.get(function, set())
    for argument, cast in written.items():
        full = cast.rpartition("::")[2].replace("timestamptz", "timestamp with time zone")
        assert full in ("", declared[argument])


def test_what_a_call_leaves_out_is_there_and_has_a_default(db: psycopg.Connection) -> None:
    for function, names in LEFT_OUT.items():
        defaults = db.execute(
            "select p.proargnames[p.pronargs - p.pronargdefaults + 1 : p.pronargs] from pg_proc p"
            " where p.pronamespace = 'aimemory'::regnamespace and p.proname = %s",
            [function],
        ).fetchone()
        assert defaults is not None
        assert names <= set(defaults[0])


def test_every_call_is_used() -> None:
    """A statement that nobody sends is a function that Python users cannot reach."""
    package = Path(statements.__file__).parent
    texts = [path.read_text("utf-8") for path in package.rglob("*.py")]

    assert {n for text in texts for n in re.findall(r"statements\.([A-Z_]+)\b", text)} == {*calls()}


def refusal(db: psycopg.Connection, call: str, value: str) -> str | None:
    """The SQLSTATE with which a call refuses a value."""
    try:
        with db.transaction():
            db.execute(call.encode(), [value])
    except psycopg.DatabaseError as error:
        return error.sqlstate
    return None


def accepted(db: psycopg.Connection, call: str, values: list[str]) -> set[str]:
    """Those values that a call takes; all others it must refuse with MM001."""
    refusals = {value: refusal(db, call, value) for value in values}
    assert set(refusals.values()) == {None, "MM001"}
    return {value for value in values if refusals[value] is None}


def checked_values(db: psycopg.Connection, constraint: str) -> set[str]:
    """The values that a CHECK constraint lists."""
    row = db.execute(
        "select pg_get_constraintdef(oid) from pg_constraint"
        " where conname = %s and connamespace = 'aimemory'::regnamespace",
        [constraint],
    ).fetchone()
    assert row is not None
    return set(re.findall(r"'(\w+)'::text", row[0]))


def test_the_values_of_status_are_those_that_listing_accepts(db: psycopg.Connection) -> None:
    values = [*get_args(records.Status), "pending", "deleted", ""]

    taken = accepted(db, "select aimemory.list_memories('ann', with_status => %s)", values)

    assert taken == set(get_args(records.Status))
    assert checked_values(db, "memories_status_check") == taken - {"archived", "all"}


def test_the_values_of_entity_mode_are_those_that_recall_accepts(db: psycopg.Connection) -> None:
    values = [*get_args(records.EntityMode), "on", "strict", ""]

    taken = accepted(db, "select aimemory.recall('ann', 'tea', entity_mode => %s)", values)

    assert taken == set(get_args(records.EntityMode))


def test_every_action_of_add_memory_is_a_value_of_action(db: psycopg.Connection) -> None:
    body = next(f.body for f in catalog.functions(db) if f.name == "add_memory")
    returned = " ".join(re.findall(r"return query select (.*?),", body, re.DOTALL))
    actions = set(re.findall(r"'(\w+)'", returned))

    assert {"inserted", "duplicate", "superseded"} == actions
    assert actions <= set(get_args(records.Action))


def test_every_reason_of_add_memory_is_in_the_documentation_of_its_record(
    db: psycopg.Connection,
) -> None:
    body = next(f.body for f in catalog.functions(db) if f.name == "add_memory")
    reasons = set(re.findall(r"select 'duplicate', '(\w+)'", body)) | {"slot"}
    text = Path(records.__file__).read_text("utf-8")
    documented = re.search(r"reason: str \| None\s+\"\"\"Such as (.*?);", text)

    assert documented is not None
    assert reasons == set(documented.group(1).split(", "))


def test_no_literal_of_the_records_goes_untested() -> None:
    literals = {name for name, value in vars(records).items() if get_origin(value) is Literal}

    assert literals == {"Action", "EntityMode", "Status"}


def test_the_public_names_are_those_that_the_package_imports() -> None:
    tree = ast.parse(Path(aimemory.__file__).read_text("utf-8"))
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    assert set(aimemory.__all__) == imported
    assert all(hasattr(aimemory, name) for name in aimemory.__all__)
    assert len(aimemory.__all__) == len(set(aimemory.__all__))


def test_every_error_and_every_record_is_public() -> None:
    """One that cannot be imported from aimemory cannot be caught or annotated."""
    defined = {
        name
        for module in (aimemory.errors, records)
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    }

    assert defined <= set(aimemory.__all__)


def test_the_tree_of_errors_in_the_documentation_is_the_real_one() -> None:
    drawn = re.findall(r"[├└]── (\w+)", aimemory.errors.__doc__ or "")
    defined = [
        name
        for name, value in vars(aimemory.errors).items()
        if isinstance(value, type)
        and value.__base__ is not Exception
        and value.__module__ == "aimemory.errors"
    ]

    assert sorted(drawn) == sorted(defined)
