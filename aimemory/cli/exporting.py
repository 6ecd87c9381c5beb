"""Write a user's memories to a file and read them back: export, import."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

from rich.console import RenderableType

from aimemory.cli.arguments import Commands
from aimemory.cli.connecting import opened_store
from aimemory.cli.output import Output, plain, table
from aimemory.errors import InvalidInput
from aimemory.records import ImportReport

_OUTCOMES = {
    "inserted": "new",
    "known": "known already",
    "duplicate": "said by an active memory already",
    "vetoed": "not to be learnt again, left out",
    "superseding": "new, in the place of an older one",
    "superseded": "kept as history, a newer one holds its slot",
    "differs": "left out: another turn has its number",
    "skipped": "left out with their memory",
}


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the commands of this group."""
    command = commands.add_parser(
        "export",
        help="write all that is stored of a user as JSON",
        description="Write all that is stored of a user, but the log of recalls, as JSON, one "
        "object a line: memories in every state with their vectors and history, conversations, "
        "candidates, vetoes and aliases. `aimemory import` reads it.",
        parents=[shared],
    )
    command.add_argument("user", metavar="USER")
    command.add_argument("--output", type=Path, metavar="FILE", help="instead of the terminal")
    command.set_defaults(run=export)
    command = commands.add_parser(
        "import",
        help="read what export wrote",
        description="Read what `aimemory export` wrote, all of it or nothing. What is there "
        "already stays as it is, so that a second time changes nothing.",
        parents=[shared],
    )
    command.add_argument("file", metavar="FILE", type=Path)
    command.add_argument("--user", metavar="USER", help="for this user (default: its own)")
    command.add_argument("--dry-run", action="store_true", help="only say what it would do")
    command.set_defaults(run=import_)


def export(arguments: argparse.Namespace, output: Output) -> int:
    """Write the lines; a file appears under its name only when it is whole."""
    with opened_store(arguments) as store:
        lines = store.export(arguments.user)
        if arguments.output is None:
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8")
            for line in lines:
                sys.stdout.write(f"{line}\n")
            return 0
        part = arguments.output.with_name(f"{arguments.output.name}.part")
        count = 0
        with part.open("w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(f"{line}\n")
                count += 1
        part.replace(arguments.output)
    document = {"file": str(arguments.output), "lines": count}
    output.result(document, f"{count:,} lines written to {arguments.output}")
    return 0


def import_(arguments: argparse.Namespace, output: Output) -> int:
    """Read the file and say what became of its records."""
    with opened_store(arguments) as store, arguments.file.open(encoding="utf-8") as file:
        try:
            report = store.import_(file, arguments.user, dry_run=arguments.dry_run)
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{arguments.file} is no text in UTF-8: {error.reason}") from error
    output.result(report, _told(report))
    return 0


def _told(report: ImportReport) -> RenderableType:
    shown = table("what", "outcome", "how many", numbers=["how many"])
    for kind, outcomes in report.counts.items():
        for outcome, number in sorted(outcomes.items()):
            shown.add_row(plain(kind), plain(_OUTCOMES[outcome]), f"{number:,}")
    return shown if shown.row_count else plain("there is nothing in this file")
