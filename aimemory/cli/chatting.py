"""Talk to a language model that remembers: the command chat."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rich.console import RenderableType

from aimemory.cli.arguments import Commands
from aimemory.cli.connecting import opened_store, settings
from aimemory.cli.conversations import result_documents, result_lines
from aimemory.cli.memories import listed
from aimemory.cli.output import Output, plain
from aimemory.context import NOTHING_KNOWN, Context
from aimemory.encoding import NONE
from aimemory.errors import ExtractionFailed
from aimemory.records import WriteResult
from aimemory.store import MemoryStore

PROMPT = "> "
LISTED = 50
HELP = "/memories lists what is remembered, /quit or Ctrl-D ends the conversation"
WITHOUT_MODEL = (
    "No chat model is configured, so nobody answers: for every line you see what an assistant "
    "would be given to read, and what rules have learnt. For answers: --llm openai:MODEL or "
    "AIMEMORY_LLM, with OPENAI_BASE_URL and OPENAI_API_KEY."
)


@dataclass(kw_only=True)
class Talk:
    """One conversation at the terminal."""

    store: MemoryStore
    output: Output
    user: str
    session: str
    model: str | None
    """None: nobody answers."""
    learn: bool
    inject: bool
    turns: list[dict[str, Any]] = field(default_factory=list)
    """What happened, for programs."""


def register(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add the command of this group."""
    command = commands.add_parser(
        "chat",
        help="talk to a language model that remembers",
        description="Talk to any model behind an OpenAI-compatible service. Every answer is "
        "given with what is remembered, and every turn is learnt from. Without a model it shows "
        "what one would be given, and what rules learn.",
        parents=[shared],
    )
    command.add_argument("user", metavar="USER")
    command.add_argument(
        "--session", metavar="NAME", help="go on with this conversation (default: a new one)"
    )
    command.add_argument("--no-learn", action="store_true", help="learn nothing from it")
    command.add_argument("--no-inject", action="store_true", help="answer without memory")
    command.set_defaults(run=chat)


def chat(arguments: argparse.Namespace, output: Output) -> int:
    """Hold a conversation until the user ends it, then learn from the rest of it."""
    model = settings(arguments).llm
    with opened_store(arguments, llm=True) as store:
        talk = Talk(
            store=store,
            output=output,
            user=arguments.user,
            session=arguments.session or f"chat-{datetime.now().astimezone():%Y%m%d-%H%M%S}",
            model=None if model == NONE else model,
            learn=not arguments.no_learn,
            inject=not arguments.no_inject,
        )
        if talk.model is None:
            output.say(WITHOUT_MODEL)
        output.say(f"{talk.model or 'no model'} · session {talk.session} · {HELP}")
        for line in _lines(output):
            _take(talk, line)
        ending = _ended(talk)
    document = {
        "session": talk.session,
        "model": talk.model,
        "turns": talk.turns,
        "at_the_end": ending,
    }
    if output.as_json:
        output.result(document)
    return 0


def _lines(output: Output) -> Iterator[str]:
    """Yield what the user types, until /quit or the end of the input."""
    at_terminal = sys.stdin.isatty()
    if at_terminal:
        _edit_lines()
    while True:
        try:
            line = input(PROMPT if at_terminal and not output.as_json else "")
        except EOFError:
            if at_terminal:
                output.console.print()
            return
        except KeyboardInterrupt:
            output.console.print()
            raise
        line = line.strip()
        if line == "/quit":
            return
        if line:
            yield line


def _edit_lines() -> None:
    """Let input() edit lines and keep a history; not every Python can."""
    with suppress(ImportError):
        import readline  # noqa: F401


def _take(talk: Talk, line: str) -> None:
    if line == "/memories":
        page = talk.store.list(talk.user, limit=LISTED)
        _show(talk, *listed(page))
    elif re.fullmatch(r"/[a-z]+", line):
        talk.output.say(f"{line} is no command: {HELP}")
    elif talk.model is None:
        _without_model(talk, line)
    else:
        try:
            _answer(talk, line)
        except ExtractionFailed as error:
            talk.turns.append({"user": line, "error": str(error)})
            print(f"aimemory: {one_line_of(error)}", file=sys.stderr)
        except KeyboardInterrupt:
            talk.output.say("\nstopped")


def _answer(talk: Talk, line: str) -> None:
    reply = talk.store.chat(talk.user, talk.session, line, learn=talk.learn, inject=talk.inject)
    _show(talk, plain(reply.text))
    _note(talk, line, reply.context, reply.learnt, answer=reply.text)


def _without_model(talk: Talk, line: str) -> None:
    known = (
        talk.store.context(talk.user, line, session_id=talk.session)
        if talk.inject
        else NOTHING_KNOWN
    )
    if talk.inject:
        _show(talk, plain(known.text or "  nothing fits: no block at all", "cyan"))
    learnt = talk.store.record(talk.user, talk.session, line, learn=talk.learn)
    _note(talk, line, known, learnt, answer=None)


def _note(
    talk: Talk, line: str, known: Context, learnt: Sequence[WriteResult], *, answer: str | None
) -> None:
    """Say what the turn was based on and what it has changed."""
    if known.tokens:
        whose = "of memory in the prompt" if talk.model else "would go into the prompt"
        talk.output.say(f"  {known.tokens} tokens {whose}")
    if learnt:
        _show(talk, *result_lines(talk.store, talk.user, learnt))
    elif talk.learn and talk.model is None:
        talk.output.say("  nothing learnt")
    talk.turns.append(
        {
            "user": line,
            "assistant": answer,
            "context": known.text,
            "tokens": known.tokens,
            "learnt": result_documents(talk.store, talk.user, learnt),
        }
    )


def _ended(talk: Talk) -> list[dict[str, Any]]:
    """Learn from the turns that no model has read yet."""
    if not talk.learn or not talk.turns:
        return []
    try:
        results = talk.store.end_session(talk.user, talk.session)
    except ExtractionFailed as error:
        print(f"aimemory: {one_line_of(error)}; the turns are kept", file=sys.stderr)
        return []
    _show(talk, *result_lines(talk.store, talk.user, results))
    return result_documents(talk.store, talk.user, results)


def _show(talk: Talk, *rendered: RenderableType) -> None:
    if not talk.output.as_json:
        for part in rendered:
            talk.output.console.print(part)


def one_line_of(error: Exception) -> str:
    """Return what an error says, without its line breaks."""
    return " ".join(str(error).split())
