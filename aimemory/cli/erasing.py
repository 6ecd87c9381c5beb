"""Erase memories for good: the command forget."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from rich.console import RenderableType

from aimemory.cli.arguments import Commands, moment
from aimemory.cli.connecting import opened_store
from aimemory.cli.memories import read_id
from aimemory.cli.output import Output, plain, table
from aimemory.errors import InvalidInput
from aimemory.records import Receipt
from aimemory.store import MemoryStore

_WORDS = {
    "memories": "memories",
    "archived": "memories in the archive",
    "revisions": "entries of their history",
    "vectors": "vectors",
    "terms": "postings",
    "candidates": "candidates",
    "aliases": "aliases",
    "turns": "turns of conversations",
    "sessions": "conversations",
    "recalls": "log entries",
    "vetoes": "vetoes",
    "users": "users",
}


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the command of this group."""
    command = commands.add_parser(
        "forget",
        help="erase memories for good, with every trace of them",
        description="Erase memories that pass all the filters, with their history, the turns "
        "they came from and what the log says of them. There is no way back. First it shows "
        "what would go, and asks; without a terminal --yes has to say so.",
        parents=[shared],
    )
    command.add_argument("user", metavar="USER")
    command.add_argument("ids", metavar="ID", nargs="*", help="ids, or their first characters")
    group = command.add_argument_group("what to forget")
    group.add_argument(
        "--scope", action="append", metavar="NAME", help="of this scope; again for more"
    )
    group.add_argument(
        "--type", action="append", metavar="NAME", help="of this type; again for more"
    )
    group.add_argument(
        "--tag", action="append", metavar="NAME", help="with this tag; again: with all of them"
    )
    group.add_argument(
        "--about", action="append", metavar="NAME[/KIND]", help="about this; again for more"
    )
    group.add_argument("--session", metavar="NAME", help="what came from this conversation")
    group.add_argument("--containing", metavar="TEXT", help="what has this text in it")
    group.add_argument("--before", type=moment, metavar="TIME", help="what was said before then")
    group.add_argument("--everything", action="store_true", help="all there is of the user")
    command.add_argument("--veto", action="store_true", help="never learn it again")
    command.add_argument("--dry-run", action="store_true", help="only show what would go")
    command.add_argument("--yes", action="store_true", help="do not ask")
    command.set_defaults(run=forget)


def forget(arguments: argparse.Namespace, output: Output) -> int:
    """Show what would go, ask, and erase it."""
    with opened_store(arguments) as store:
        chosen = _chosen(store, arguments)
        receipt = rehearsal = store.forget(arguments.user, **chosen, dry_run=True)
        found = any(getattr(rehearsal, name) for name in _WORDS)
        if found and not arguments.dry_run:
            if not arguments.yes and not _agreed(rehearsal, output):
                output.say("nothing was erased")
                return 1
            receipt = store.forget(arguments.user, **chosen)
    output.result(receipt, *_told(receipt, done=receipt.erasure_id is not None))
    return 0


def _chosen(store: MemoryStore, arguments: argparse.Namespace) -> dict[str, Any]:
    ids = [read_id(store, arguments.user, written) for written in arguments.ids]
    return {
        "memory_ids": ids or None,
        "scopes": arguments.scope,
        "memory_types": arguments.type,
        "tags": arguments.tag,
        "entities": arguments.about,
        "session_id": arguments.session,
        "containing": arguments.containing,
        "before": arguments.before,
        "everything": arguments.everything,
        "veto": arguments.veto,
    }


def _agreed(rehearsal: Receipt, output: Output) -> bool:
    """Ask at the terminal; elsewhere nobody can answer."""
    if output.as_json or not sys.stdin.isatty():
        raise InvalidInput("nothing was erased: say --yes to erase, or --dry-run to see what")
    output.console.print(*_told(rehearsal, done=False))
    try:
        return input("erase this for good? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _told(receipt: Receipt, *, done: bool) -> list[RenderableType]:
    shown = table("erased" if done else "would be erased", "rows", numbers=["rows"])
    for name, words in _WORDS.items():
        if name != "vetoes" and getattr(receipt, name):
            shown.add_row(plain(words), f"{getattr(receipt, name):,}")
    if receipt.vetoes:
        made = "everything" not in receipt.filters
        shown.add_row(plain("vetoes, made" if made else "vetoes"), f"{receipt.vetoes:,}")
    if not shown.row_count:
        return [plain("nothing found")]
    return [shown, plain(f"receipt {receipt.erasure_id}", "dim")] if done else [shown]
