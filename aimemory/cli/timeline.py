"""Tell what happened to a user's memories: the command timeline."""

from __future__ import annotations

import argparse

from rich.console import RenderableType

from aimemory.cli.arguments import Commands, moment, positive
from aimemory.cli.connecting import opened_store
from aimemory.cli.output import Output, minute, one_line, plain, stacked, table
from aimemory.records import TimelineEntry


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the command of this group."""
    command = commands.add_parser(
        "timeline",
        help="tell what happened to memories, in the order of time",
        description="Tell what was added, changed, replaced, archived and brought back, in the "
        "order of time. What was erased is not told.",
        parents=[shared],
    )
    command.add_argument("user", metavar="USER")
    command.add_argument("--since", type=moment, metavar="TIME", help="from then on")
    command.add_argument("--until", type=moment, metavar="TIME", help="until then")
    command.add_argument(
        "--limit", type=positive, default=100, help="the latest so many (default 100)"
    )
    command.set_defaults(run=timeline)


def timeline(arguments: argparse.Namespace, output: Output) -> int:
    """Print what happened."""
    with opened_store(arguments) as store:
        entries = store.timeline(
            arguments.user, since=arguments.since, until=arguments.until, limit=arguments.limit
        )
    output.result({"timeline": entries}, _told(entries) if entries else plain("nothing happened"))
    return 0


def _told(entries: list[TimelineEntry]) -> RenderableType:
    shown = table("when", "what", "memory", "id", narrow=("when", "what", "id"))
    for entry in entries:
        notes = [f"before: {one_line(entry.text_before)}"] if entry.text_before else []
        notes += [f"event: {minute(entry.event_at)}"] if entry.event_at else []
        why = ", ".join(filter(None, (entry.reason, entry.actor and f"by {entry.actor}")))
        notes += [why] if why else []
        shown.add_row(
            minute(entry.happened_at),
            entry.action,
            stacked(plain(one_line(entry.content)), *(plain(one_line(n), "dim") for n in notes)),
            str(entry.memory_id)[:8],
        )
    return shown
