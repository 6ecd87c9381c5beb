"""Store, find and look at memories: add, search, list, show."""

from __future__ import annotations

import argparse
from typing import get_args
from uuid import UUID

from rich.console import RenderableType

from aimemory.cli.arguments import (
    Commands,
    add_filter_options,
    metadata_filter,
    metadata_values,
    moment,
    positive,
)
from aimemory.cli.connecting import opened_store
from aimemory.cli.explaining import explanation, hits_table
from aimemory.cli.output import Output, facts, minute, one_line, plain, stacked, table
from aimemory.errors import InvalidInput, NotFound
from aimemory.records import EntityMode, Memory, Page, Revision, Status, WriteResult
from aimemory.store import MemoryStore

SHORTEST_PREFIX = 4
PAGE = 1000


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the commands of this group."""
    _register_add(commands, shared)
    _register_search(commands, shared)
    command = commands.add_parser("list", help="list memories, newest first", parents=[shared])
    command.add_argument("user", metavar="USER")
    command.add_argument("--limit", type=positive, default=20, help="how many (default 20)")
    command.add_argument("--after", metavar="TOKEN", help="go on where the page before ended")
    command.add_argument("--status", choices=get_args(Status), default="active")
    add_filter_options(command)
    command.set_defaults(run=list_memories)
    command = commands.add_parser("show", help="show a memory and its history", parents=[shared])
    command.add_argument("user", metavar="USER")
    command.add_argument("memory", metavar="ID", help="its id, or the first characters of it")
    command.set_defaults(run=show)


def _register_add(commands: Commands, shared: argparse.ArgumentParser) -> None:
    command = commands.add_parser("add", help="store one memory", parents=[shared])
    command.add_argument("user", metavar="USER")
    command.add_argument("text", metavar="TEXT")
    command.add_argument(
        "--type", default="fact", help="fact (the default), preference, event, state or decision"
    )
    command.add_argument("--importance", type=float, help="0 to 1 (default: that of the type)")
    command.add_argument("--scope", default="user", help="such as project:atlas (default: user)")
    command.add_argument(
        "--slot", help="entity.attribute, such as user.city: replaces what the slot held"
    )
    command.add_argument(
        "--entity", action="append", default=[], metavar="NAME[/KIND]", help="what it is about"
    )
    command.add_argument("--tag", action="append", default=[], metavar="NAME")
    command.add_argument("--metadata", action="append", metavar="KEY=VALUE")
    command.add_argument(
        "--idempotency-key", metavar="KEY", help="the same key again stores nothing again"
    )
    command.set_defaults(run=add)


def _register_search(commands: Commands, shared: argparse.ArgumentParser) -> None:
    command = commands.add_parser(
        "search",
        help="find what a question is about",
        description="Find what a question is about. Looking counts as no use: nothing is "
        "touched, nothing is logged.",
        parents=[shared],
    )
    command.add_argument("user", metavar="USER")
    command.add_argument("query", metavar="QUERY")
    command.add_argument("--top-k", type=positive, default=5, help="at most so many (default 5)")
    command.add_argument(
        "--entity-mode",
        choices=get_args(EntityMode),
        default="soft",
        help="how a name in the question limits the answers (default soft)",
    )
    command.add_argument("--profile", default="balanced", help="row of aimemory.scoring_profiles")
    command.add_argument("--as-of", type=moment, metavar="TIME", help="what was known then")
    command.add_argument(
        "--explain", action="store_true", help="show routes, ranks and every part of the score"
    )
    add_filter_options(command)
    command.set_defaults(run=search)


def add(arguments: argparse.Namespace, output: Output) -> int:
    """Store one memory and say what was done."""
    with opened_store(arguments) as store:
        result = store.add(
            arguments.user,
            arguments.text,
            memory_type=arguments.type,
            importance=arguments.importance,
            scope=arguments.scope,
            slot=arguments.slot,
            entities=arguments.entity,
            tags=arguments.tag,
            metadata=metadata_values(arguments.metadata),
            idempotency_key=arguments.idempotency_key,
            changed_by="cli",
        )
    output.result(result, *_told(result))
    return 0


def search(arguments: argparse.Namespace, output: Output) -> int:
    """Print the hits of a question."""
    with opened_store(arguments) as store:
        hits = store.search(
            arguments.user,
            arguments.query,
            arguments.top_k,
            scopes=arguments.scope,
            memory_types=arguments.type,
            tags=arguments.tag,
            metadata=metadata_filter(arguments.metadata),
            entity_mode=arguments.entity_mode,
            profile=arguments.profile,
            as_of=arguments.as_of,
            touch=False,
            log=False,
        )
    rendered: list[RenderableType] = []
    if not hits:
        rendered.append(plain("nothing found"))
    elif arguments.explain:
        rendered.append(explanation(hits, arguments.profile))
    else:
        rendered.append(hits_table(hits, explain=False))
    if hits.degraded:
        rendered.append(plain(f"meaning took no full part: {hits.degraded}", "yellow"))
    document = {
        "query": arguments.query,
        "degraded": hits.degraded,
        "latency_ms": round(hits.latency_ms, 3),
        "hits": list(hits),
    }
    output.result(document, *rendered)
    return 0


def list_memories(arguments: argparse.Namespace, output: Output) -> int:
    """Print a page of memories."""
    with opened_store(arguments) as store:
        page = store.list(
            arguments.user,
            limit=arguments.limit,
            after=arguments.after,
            scopes=arguments.scope,
            memory_types=arguments.type,
            tags=arguments.tag,
            metadata=metadata_filter(arguments.metadata),
            status=arguments.status,
        )
    output.result(page, *listed(page))
    return 0


def show(arguments: argparse.Namespace, output: Output) -> int:
    """Print a memory with all its fields, and what happened to it."""
    with opened_store(arguments) as store:
        memory_id = read_id(store, arguments.user, arguments.memory)
        memory = store.get(arguments.user, memory_id)
        history = store.history(arguments.user, memory_id)
    output.result({"memory": memory, "history": history}, _described(memory), _changes(history))
    return 0


def read_id(store: MemoryStore, user: str, written: str) -> UUID:
    """Return an id, or the one that starts with what was written; raise NotFound."""
    try:
        return UUID(written)
    except ValueError:
        pass
    wanted = written.lower()
    if len(wanted) < SHORTEST_PREFIX:
        raise InvalidInput(f"{written!r} is too short for an id: give {SHORTEST_PREFIX} characters")
    found: list[UUID] = []
    page = store.list(user, limit=PAGE, status="all")
    while True:
        found += [m.memory_id for m in page.memories if str(m.memory_id).startswith(wanted)]
        if page.next is None:
            break
        page = store.list(user, limit=PAGE, status="all", after=page.next)
    if len(found) > 1:
        raise InvalidInput(f"{len(found)} ids start with {written!r}: give more of it")
    if not found:
        raise NotFound(
            f"no id of a memory of user {user!r} starts with {written!r}: "
            f"see `aimemory list {user} --status all`"
        )
    return found[0]


def _told(result: WriteResult) -> list[RenderableType]:
    why = f" ({result.reason})" if result.reason else ""
    lines: list[RenderableType] = [plain(f"{result.action}{why}: {result.memory_id}")]
    if result.replaced:
        lines.append(plain(f"replaces {result.replaced}, which stays as history", "dim"))
    if not result.embedded:
        lines.append(
            plain("without a vector: words find it; `aimemory reembed` adds the vector", "yellow")
        )
    return lines


def listed(page: Page) -> list[RenderableType]:
    """Return a page of memories as a table."""
    if not page.memories:
        return [plain("no memories")]
    shown = table("said", "type", "memory", "id", narrow=("said", "type", "id"))
    for memory in page.memories:
        notes = [memory.scope] if memory.scope != "user" else []
        notes += [f"#{tag}" for tag in memory.tags]
        if memory.archived_at:
            notes.append(f"archived: {memory.archive_reason}")
        elif memory.status != "active":
            notes.append(memory.status)
        shown.add_row(
            minute(memory.created_at),
            memory.memory_type,
            stacked(
                plain(one_line(memory.content)),
                plain(" · ".join(notes), "dim") if notes else None,
            ),
            str(memory.memory_id)[:8],
        )
    lines: list[RenderableType] = [shown]
    if page.next:
        lines.append(f"more: --after {page.next}")
    return lines


def _described(memory: Memory) -> RenderableType:
    values: list[tuple[str, str]] = []
    for name in memory.__dataclass_fields__:
        value = getattr(memory, name)
        if value in (None, [], {}):
            continue
        if name.endswith("_at") or name in ("valid_from", "valid_until"):
            value = minute(value)
        elif isinstance(value, list):
            value = ", ".join(value)
        values.append((name, str(value)))
    return facts(values)


def _changes(history: list[Revision]) -> RenderableType:
    narrow = ("when", "what", "by")
    shown = table("when", "what", "why", "by", "text before", title="history", narrow=narrow)
    for change in history:
        shown.add_row(
            minute(change.changed_at),
            change.action,
            plain(change.reason or ""),
            plain(change.actor or ""),
            plain(one_line(change.content)),
        )
    return stacked(plain(""), shown)
