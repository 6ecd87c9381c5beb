"""Show what the memory does: the command demo."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from rich.console import RenderableType

from aimemory.cli.arguments import Commands
from aimemory.cli.explaining import explanation
from aimemory.cli.output import Output, day, plain, stacked, table
from aimemory.demo import USER, Asked, Told, ask, demo_store, new_directory, tell
from aimemory.errors import InvalidInput


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the command of this group."""
    command = commands.add_parser(
        "demo",
        help="tell a story, ask about it, and show how the answer was found",
        description="Start an embedded PostgreSQL, store what a user said yesterday, and ask "
        "about it today. Needs no API key and no network. The exit code is 1 unless the right "
        "memory comes first.",
        parents=[shared],
    )
    command.add_argument(
        "--keep", action="store_true", help="leave the database there, to look at it"
    )
    command.set_defaults(run=demo)


def demo(arguments: argparse.Namespace, output: Output) -> int:
    """Run the demo; return 1 unless the cat is recalled first."""
    if arguments.url is not None:
        raise InvalidInput("the demo runs on an embedded server: leave --url out")
    place = Path(arguments.data_dir).expanduser() if arguments.data_dir else new_directory()
    started = time.perf_counter()
    output.say("Starting PostgreSQL …")
    with demo_store(place, embedder=arguments.embedder, keep=arguments.keep) as store:
        told = tell(store)
        asked = ask(store)
        seconds = time.perf_counter() - started
    flagship = asked[0]
    document = {
        "user": USER,
        "told": told,
        "asked": [
            {
                "question": line.question,
                "expected": line.expected,
                "answered": line.answered,
                "hits": line.hits,
            }
            for line in asked
        ],
        "recalled": flagship.answered,
        "seconds": round(seconds, 3),
        "data_dir": str(place) if arguments.keep else None,
    }
    output.result(document, *_rendered(told, asked, seconds))
    if arguments.keep:
        output.say(f"Look around: aimemory --data-dir {place} list {USER}")
    return 0 if flagship.answered else 1


def _rendered(told: list[Told], asked: list[Asked], seconds: float) -> list[RenderableType]:
    flagship = asked[0]
    verdict = (
        plain(f"✓ {flagship.question} → {flagship.expected}", "bold green")
        if flagship.answered
        else plain(f"✗ expected first: {flagship.expected}", "bold red")
    )
    return [
        _told_table(told),
        plain(""),
        _asked_table(asked),
        plain(""),
        plain(f"How “{flagship.question}” was answered", "bold"),
        explanation(flagship.hits, "balanced"),
        plain(""),
        verdict,
        plain(f"{seconds:.1f} s in all: server, schema, model, {len(told)} memories.", "dim"),
    ]


def _told_table(told: list[Told]) -> RenderableType:
    contents = {line.result.memory_id: line.item.content for line in told}
    shown = table("said", "memory", "type", title=f"What {USER} said", narrow=("said", "type"))
    for line in told:
        replaced = line.result.replaced
        shown.add_row(
            day(line.item.created_at),
            stacked(
                plain(line.item.content),
                plain(f"replaces: {contents[replaced]}", "dim") if replaced else None,
            ),
            line.item.memory_type,
        )
    return shown


def _asked_table(asked: list[Asked]) -> RenderableType:
    shown = table("question", "first answer", "score", title="Asked today", numbers=["score"])
    for line in asked:
        first = line.hits[0] if line.hits else None
        before = [plain(f"before: {old.content}", "dim") for old in first.history] if first else []
        shown.add_row(
            line.question,
            stacked(plain(first.content), *before) if first else "nothing",
            f"{first.score:.3f}" if first else "",
        )
    return shown
