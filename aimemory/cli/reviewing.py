"""Let the user decide what is stored: the command review."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from rich.console import RenderableType

from aimemory.cli.arguments import Commands
from aimemory.cli.connecting import opened_store
from aimemory.cli.conversations import result_documents, result_lines
from aimemory.cli.output import Output, minute, one_line, plain, stacked, table
from aimemory.errors import InvalidInput, NotFound
from aimemory.records import Candidate
from aimemory.store import MemoryStore

SHORTEST_PREFIX = 4
MOST = 10_000
ALL = "all"


@dataclass(kw_only=True)
class Decisions:
    """What the user wants of each candidate; nobody is in more than one."""

    approved: list[Candidate] = field(default_factory=list)
    rejected: list[Candidate] = field(default_factory=list)
    edited: list[tuple[Candidate, str]] = field(default_factory=list)


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the command of this group."""
    command = commands.add_parser(
        "review",
        help="list what waits for a yes or no, and decide",
        description="List what waits for a yes or no. ID is a number of that list, the first "
        "characters of an id, or `all`. What is rejected is never learnt again. At a terminal "
        "and without options it asks about one after the other.",
        parents=[shared],
    )
    command.add_argument("user", metavar="USER")
    command.add_argument("--approve", nargs="+", default=[], metavar="ID", help="store these")
    command.add_argument("--reject", nargs="+", default=[], metavar="ID", help="never store these")
    command.add_argument(
        "--edit",
        nargs=2,
        action="append",
        default=[],
        metavar=("ID", "TEXT"),
        help="store this one in other words; again for more",
    )
    command.set_defaults(run=review)


def review(arguments: argparse.Namespace, output: Output) -> int:
    """List the candidates, or decide about them."""
    with opened_store(arguments, llm=True) as store:
        waiting = store.pending(arguments.user, limit=MOST)
        if arguments.approve or arguments.reject or arguments.edit:
            decisions = _read(arguments, waiting)
        elif waiting and not output.as_json and sys.stdin.isatty():
            output.console.print(_listed(waiting))
            decisions = _asked(waiting, output)
        else:
            rendered = _listed(waiting) if waiting else plain("nothing waits for a decision")
            output.result({"pending": waiting}, rendered)
            return 0
        document, lines = _carry_out(store, arguments.user, decisions)
    left = len(waiting) - len(decisions.approved) - len(decisions.rejected) - len(decisions.edited)
    output.result(document | {"left": left}, *lines, plain(f"still waiting: {left}", "dim"))
    return 0


def _read(arguments: argparse.Namespace, waiting: list[Candidate]) -> Decisions:
    """Find every candidate before anything is decided."""
    made = Decisions(
        approved=_found(arguments.approve, waiting),
        rejected=_found(arguments.reject, waiting),
        edited=[(_one(written, waiting), text) for written, text in arguments.edit],
    )
    chosen = [c.candidate_id for c in (*made.approved, *made.rejected)]
    chosen += [c.candidate_id for c, _ in made.edited]
    if len(chosen) != len(set(chosen)):
        raise InvalidInput("the same memory is named twice: nothing was decided")
    return made


def _found(written: list[str], waiting: list[Candidate]) -> list[Candidate]:
    return [*waiting] if written == [ALL] else [_one(name, waiting) for name in written]


def _one(written: str, waiting: list[Candidate]) -> Candidate:
    if written.isdecimal() and 1 <= int(written) <= len(waiting):
        return waiting[int(written) - 1]
    try:
        prefix = str(UUID(written))
    except ValueError:
        prefix = written.lower()
    matching = [c for c in waiting if str(c.candidate_id).startswith(prefix)]
    if len(prefix) < SHORTEST_PREFIX or len(matching) != 1:
        raise NotFound(
            f"{written!r} is not a number from 1 to {len(waiting)}, nor the beginning of one id "
            "that waits: see the list of `aimemory review`"
        )
    return matching[0]


def _asked(waiting: list[Candidate], output: Output) -> Decisions:
    """Ask about one after the other; what was decided before the end of the input counts."""
    made = Decisions()
    output.say("y: store it, n: never store it, e: in other words, Enter: later, q: stop")
    for number, candidate in enumerate(waiting, 1):
        output.console.print(plain(f"{number}. {one_line(candidate.content)}", "bold"))
        try:
            answer = input("[y/n/e/q] ").strip().lower()
            if answer == "e" and (text := input("instead: ").strip()):
                made.edited.append((candidate, text))
        except EOFError:
            break
        if answer == "q":
            break
        if answer in ("y", "yes"):
            made.approved.append(candidate)
        elif answer in ("n", "no"):
            made.rejected.append(candidate)
    return made


def _carry_out(
    store: MemoryStore, user: str, made: Decisions
) -> tuple[dict[str, Any], list[RenderableType]]:
    wanted: list[tuple[Candidate, str | None]] = [(c, None) for c in made.approved]
    results = [
        store.approve(user, candidate.candidate_id, content=text)
        for candidate, text in [*wanted, *made.edited]
    ]
    for candidate in made.rejected:
        store.reject(user, candidate.candidate_id)
    lines = result_lines(store, user, results)
    lines += [plain(f"  rejected: {one_line(c.content)}", "dim") for c in made.rejected]
    document = {
        "approved": result_documents(store, user, results),
        "rejected": [candidate.candidate_id for candidate in made.rejected],
    }
    return document, lines


def _listed(waiting: list[Candidate]) -> RenderableType:
    shown = table("#", "said", "type", "memory", "id", numbers="#", narrow=("said", "type", "id"))
    for number, candidate in enumerate(waiting, 1):
        said = candidate.proposal.get("evidence")
        shown.add_row(
            str(number),
            minute(candidate.created_at),
            candidate.memory_type,
            stacked(
                plain(one_line(candidate.content)),
                plain(f"“{one_line(str(said))}”", "dim") if said else None,
            ),
            str(candidate.candidate_id)[:8],
        )
    return shown
