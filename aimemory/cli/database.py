"""Look after the database: migrate and status."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from rich.console import RenderableType

from aimemory.cli.arguments import Commands
from aimemory.cli.connecting import any_database, embedded_directory, observed_database
from aimemory.cli.output import Output, facts, plain, stacked, table
from aimemory.migration import SchemaState, migrate, schema_state
from aimemory.status import LARGE, DatabaseStatus, Relation, UpkeepState, database_status

WORTH_TELLING = 1_000_000
"""Bytes from which on an index that nobody uses is named."""


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the commands of this group."""
    command = commands.add_parser(
        "migrate",
        help="install the schema, or bring it up to date",
        description="Install the schema or bring it up to date, in one transaction. Safe to run "
        "twice, and from several machines at once.",
        parents=[shared],
    )
    command.set_defaults(run=bring_up_to_date)
    command = commands.add_parser(
        "status",
        help="tell what the database holds and what is wrong with it",
        parents=[shared],
    )
    command.set_defaults(run=status)


def bring_up_to_date(arguments: argparse.Namespace, output: Output) -> int:
    """Migrate the database and say from where to where."""
    with any_database(arguments) as url:
        before = _schema(url)
        migrate(url)
        after = _schema(url)
    document = {
        "changed": before != after,
        "revision": {"before": before.revision, "after": after.revision},
        "objects": {"before": before.fingerprint, "after": after.fingerprint},
    }
    if before == after:
        told = f"up to date: revision {after.revision}, objects {after.fingerprint}"
    else:
        told = (
            f"migrated from {_version(before)} to {_version(after)}"
            if before.revision
            else f"installed: {_version(after)}"
        )
    output.result(document, plain(told))
    return 0


def status(arguments: argparse.Namespace, output: Output) -> int:
    """Print what there is and what to do about it; wrong or not, the exit code is 0."""
    directory = embedded_directory(arguments)
    if directory is not None and not (directory / "pgdata").exists():
        missing = f"there is no embedded database in {directory} yet: the first command makes one"
        output.result({"embedded": str(directory), "database": None}, plain(missing))
        return 0
    with observed_database(arguments) as url:
        found = database_status(url)
    # The embedded server has no passwords; the URL of another one may hold one.
    document = {
        "embedded": None if directory is None else str(directory),
        "database": found.database,
        "url": url if directory is not None else None,
        "server_version": found.schema.server_version,
        "pgvector_version": found.schema.pgvector_version,
        "schema": {
            "current": found.schema.is_current,
            "revision": found.schema.revision,
            "newest_revision": found.schema.newest_revision,
            "objects": found.schema.fingerprint,
            "newest_objects": found.schema.newest_fingerprint,
        },
        "counts": found.counts,
        "upkeep": found.upkeep,
        "storage": found.storage,
        "warnings": found.warnings,
    }
    rendered = _rendered(
        found, found.database if directory is None else f"embedded, in {directory}"
    )
    if directory is not None:
        rendered.append(f"\nWhile a store is open: {url}")
    output.result(document, *rendered)
    return 0


def _rendered(found: DatabaseStatus, place: str) -> list[RenderableType]:
    values: list[tuple[str, RenderableType]] = [
        ("database", place),
        ("server", f"PostgreSQL {found.schema.server_version}"),
        ("pgvector", found.schema.pgvector_version or "not installed in this database"),
        ("schema", _compared(found.schema)),
    ]
    if found.counts is not None:
        counts = found.counts
        values += [
            ("users", f"{counts.users:,}"),
            (
                "memories",
                f"{counts.active_memories:,} active, {counts.superseded_memories:,} "
                f"superseded, {counts.archived_memories:,} archived",
            ),
        ]
        values += [("model", _model(model)) for model in counts.models]
    if found.upkeep is not None:
        values.append(("waiting", _waiting(found.upkeep)))
    if found.storage:
        values.append(("storage", _size(sum(relation.bytes for relation in found.storage))))
    return [
        facts(values),
        *([""] if found.upkeep else []),
        *([_jobs(found.upkeep)] if found.upkeep else []),
        *(["", _storage(found.storage)] if found.storage else []),
        *([""] if found.warnings else []),
        *(plain(f"! {warning}", "yellow") for warning in found.warnings),
    ]


def _waiting(state: UpkeepState) -> str:
    parked = f" ({state.parked_turns:,} more given up)" if state.parked_turns else ""
    overdue = f", {state.overdue_memories:,} of them overdue" if state.overdue_memories else ""
    return (
        f"{state.pending_turns:,} turns to learn from{parked}; "
        f"{state.due_memories:,} memories for the archive{overdue}"
    )


def _jobs(state: UpkeepState) -> RenderableType:
    shown = table("upkeep", "last run", "outcome", "rows", numbers=("rows",), narrow=("upkeep",))
    for run in state.jobs:
        started = run["started_at"]
        if started is None:
            shown.add_row(run["job"], "never", "", "")
            continue
        age = datetime.now(UTC) - datetime.fromisoformat(started)
        shown.add_row(run["job"], f"{_span(age)} ago", run["status"], f"{run['rows']:,}")
    return shown


def _storage(storage: list[Relation]) -> RenderableType:
    columns = ("rows", "size", "indexes", "dead", "vacuumed")
    shown = table("table", *columns, numbers=columns[:4], narrow=("table", "vacuumed"))
    for relation in storage:
        if relation.kind != "table" or not relation.live_rows:
            continue
        own = [other.bytes for other in storage if other.of_table == relation.relation]
        shown.add_row(
            relation.relation,
            f"{relation.live_rows:,}",
            _size(relation.bytes),
            _size(sum(own)),
            # Of a handful of rows a few dead ones are nothing, and no autovacuum comes.
            f"{relation.dead_share:.0%}" if relation.live_rows >= LARGE else "",
            f"{_span(datetime.now(UTC) - relation.vacuumed_at)} ago"
            if relation.vacuumed_at
            else "never",
        )
    unused = [
        f"{relation.relation} ({_size(relation.bytes)})"
        for relation in storage
        if relation.scans == 0 and not relation.is_constraint and relation.bytes >= WORTH_TELLING
    ]
    told = f"never used since statistics began: {', '.join(unused)}" if unused else None
    return stacked(shown, plain(told, "dim") if told else None)


def _size(number: float) -> str:
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def _span(span: timedelta) -> str:
    seconds = max(0, span.total_seconds())
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * length:
            return f"{seconds // length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _model(model: Mapping[str, Any]) -> RenderableType:
    lines = [
        f"{model['model']}{' (active)' if model['active'] else ''}",
        f"{model['dimensions']:,} dimensions, {model['memories']:,} memories",
    ]
    for script, scale in sorted(model["scales"].items()):
        measured = scale["calibrated_at"]
        source = f"measured {measured[:10]}" if measured else "as shipped"
        lines.append(
            f"{script}: cosine {scale['floor']:.3f} is 0, {scale['ceiling']:.3f} is 1; {source}"
        )
    return stacked(*(plain(line) for line in lines))


def _compared(schema: SchemaState) -> str:
    if schema.revision is None:
        return f"not installed; this library brings revision {schema.newest_revision}"
    if schema.is_current:
        return f"{_version(schema)}, up to date"
    return (
        f"{_version(schema)}; this library brings revision {schema.newest_revision}, "
        f"objects {schema.newest_fingerprint}"
    )


def _version(schema: SchemaState) -> str:
    return f"revision {schema.revision}, objects {schema.fingerprint or 'not recorded'}"


def _schema(url: str) -> SchemaState:
    with psycopg.connect(url, autocommit=True) as connection:
        return schema_state(connection)
