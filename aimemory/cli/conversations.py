"""Learn from conversations and prepare answers: remember, context, digest."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from aimemory.chatlogs import Conversation, Imported, read_chat_log
from aimemory.cli.arguments import Commands, moment
from aimemory.cli.connecting import opened_store
from aimemory.cli.output import Output, jsonable, one_line, plain, table
from aimemory.errors import InvalidInput, NotFound
from aimemory.records import WriteResult
from aimemory.store import MemoryStore

_STYLES = {"inserted": "green", "superseded": "yellow", "rejected": "dim", "duplicate": "dim"}
_STATUSES = {
    "learnt": "conversations learnt from",
    "known": "known from an earlier import",
    "differs": "left out, see below",
}


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the commands of this group."""
    _register_remember(commands, shared)
    command = commands.add_parser(
        "context",
        help="print the block that goes into a prompt",
        description="Print exactly what an assistant would be given to read before it answers "
        "the question, and how many tokens that is.",
        parents=[shared],
    )
    command.add_argument("user", metavar="USER")
    command.add_argument("query", metavar="QUERY")
    command.add_argument("--session", metavar="NAME", help="understand it in this conversation")
    command.set_defaults(run=context)
    command = commands.add_parser(
        "digest", help="print what is remembered of a user, for the user to read", parents=[shared]
    )
    command.add_argument("user", metavar="USER")
    command.set_defaults(run=digest)


def _register_remember(commands: Commands, shared: argparse.ArgumentParser) -> None:
    command = commands.add_parser(
        "remember",
        help="learn from a chat log",
        description="Learn from exported conversations: OpenAI messages (JSONL, or a JSON list), "
        "or the conversations.json of ChatGPT. Safe to stop and to run again: what is recorded "
        "already is not recorded twice, and what was not learnt from yet comes next.",
        parents=[shared],
    )
    command.add_argument("user", metavar="USER")
    command.add_argument("file", metavar="FILE", type=Path)
    command.add_argument(
        "--session", metavar="NAME", help="name of the session, if the file holds only one"
    )
    command.add_argument(
        "--at",
        type=moment,
        metavar="TIME",
        help="when messages without a time were said (default: when the file was changed)",
    )
    command.add_argument("--scope", default="user", help="such as project:atlas (default: user)")
    command.add_argument(
        "--review", action="store_true", help="store nothing before `aimemory review` says yes"
    )
    command.set_defaults(run=remember)


def remember(arguments: argparse.Namespace, output: Output) -> int:
    """Import a log, the oldest conversation first, and say what came of it."""
    conversations = _conversations(arguments)
    done: list[Imported] = []
    with opened_store(arguments, llm=True) as store, output.progress("remembering") as progress:
        for conversation in conversations:
            done.append(
                store.remember_conversation(
                    arguments.user,
                    conversation,
                    scope=arguments.scope,
                    review=arguments.review or None,
                )
            )
            if progress:
                progress(len(done), len(conversations))
    results = [result for imported in done for result in imported.results]
    counted = {
        "conversations": {
            status: sum(imported.status == status for imported in done) for status in _STATUSES
        },
        "actions": Counter(result.action for result in results),
        "rejected": Counter(
            result.reason for result in results if result.action == "rejected" and result.reason
        ),
    }
    differing = [imported.session_id for imported in done if imported.status == "differs"]
    output.result(counted | {"differing": differing}, *_summary(counted, differing))
    return 0


def context(arguments: argparse.Namespace, output: Output) -> int:
    """Print the block for a question."""
    with opened_store(arguments, llm=True) as store:
        known = store.context(arguments.user, arguments.query, session_id=arguments.session)
    document = {
        "text": known.text,
        "tokens": known.tokens,
        "profile": list(known.profile),
        "hits": list(known.hits),
        "degraded": known.hits.degraded,
    }
    output.result(document, known.text or plain("nothing fits: no block at all", "dim"))
    if known.text:
        output.say(f"{known.tokens} tokens")
    return 0


def digest(arguments: argparse.Namespace, output: Output) -> int:
    """Print the digest, in Markdown."""
    with opened_store(arguments) as store:
        found = store.digest(arguments.user)
    output.result(found, found.text or plain("nothing is remembered of this user"))
    return 0


def result_lines(
    store: MemoryStore, user: str, results: Sequence[WriteResult]
) -> list[RenderableType]:
    """Return one line for each thing that was learnt, or refused, and why."""
    lines: list[RenderableType] = []
    for result in results:
        why = f" ({result.reason})" if result.reason else ""
        content = _content(store, user, result)
        told = f"{result.action}{why}{f': {one_line(content)}' if content else ''}"
        lines.append(plain(f"  {told}", _STYLES.get(result.action, "")))
    return lines


def result_documents(
    store: MemoryStore, user: str, results: Sequence[WriteResult]
) -> list[dict[str, Any]]:
    """Return the same for programs."""
    return [
        {**jsonable(result), "content": _content(store, user, result) or None} for result in results
    ]


def _content(store: MemoryStore, user: str, result: WriteResult) -> str:
    if result.memory_id is None:
        return ""
    try:
        return store.get(user, result.memory_id).content
    except NotFound:  # Somebody has deleted it since.
        return ""


def _conversations(arguments: argparse.Namespace) -> list[Conversation]:
    """Read the whole log before anything is stored; later words must not come before earlier."""
    read = read_chat_log(arguments.file, at=arguments.at)
    found = sorted(read, key=lambda conversation: conversation.said_at)
    if arguments.session is None:
        return found
    if len(found) > 1:
        raise InvalidInput(
            f"{arguments.file} holds {len(found)} conversations: leave --session out"
        )
    return [replace(conversation, session_id=arguments.session) for conversation in found]


def _summary(counted: dict[str, Any], differing: list[str]) -> list[RenderableType]:
    shown = table("what", "how many", numbers=["how many"])
    for status, words in _STATUSES.items():
        if counted["conversations"][status]:
            shown.add_row(plain(words), f"{counted['conversations'][status]:,}")
    for action, count in counted["actions"].most_common():
        shown.add_row(plain(f"memories {action}", _STYLES.get(action, "")), f"{count:,}")
    for reason, count in counted["rejected"].most_common():
        shown.add_row(plain(f"  {reason}", "dim"), f"{count:,}")
    if not shown.row_count:
        return [plain("there is no conversation in this file")]
    lines: list[RenderableType] = [shown]
    if differing:
        lines.append(
            plain(
                f"! something else was said in {', '.join(differing[:5])}"
                f"{' …' if len(differing) > 5 else ''} before: give it a name of its own "
                "with --session",
                "yellow",
            )
        )
    return lines
