"""The command line: ``aimemory COMMAND``.

Every command prints tables for people or, with ``--json``, one JSON document.
What goes wrong is one line on the standard error output that says what to do;
the exit code is 1 then, 2 for a command line that cannot be understood, and 130
after Ctrl-C. ``--debug`` shows the traceback.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version

import psycopg

from aimemory.cli import (
    chatting,
    conversations,
    database,
    demo,
    erasing,
    exporting,
    memories,
    reviewing,
    timeline,
    upkeep,
    vectors,
)
from aimemory.cli.arguments import add_global_options
from aimemory.cli.output import Output
from aimemory.errors import WHICH_ROLE, AimemoryError, EmbeddedUnavailable

_GROUPS = (
    demo,
    chatting,
    memories,
    timeline,
    conversations,
    reviewing,
    erasing,
    exporting,
    database,
    upkeep,
    vectors,
)
INTERRUPTED = 130
BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; argparse exits by itself on bad usage."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if arguments.url is not None and arguments.data_dir is not None:
        parser.error("--url names a server, --data-dir the embedded one: give one of them")
    # Warnings of the library are told by what a command prints; an error is one line.
    handler = logging.StreamHandler() if arguments.debug else logging.NullHandler()
    logging.getLogger("aimemory").addHandler(handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that knows no Chinese shows escapes instead of ending the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = arguments.run(arguments, Output(as_json=arguments.json))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as `head`, has enough. Python flushes once more at exit
        # and would complain, so that goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as error:
        if arguments.debug:
            traceback.print_exc()
        else:
            print(f"aimemory: {explained(error)}", file=sys.stderr)
        return 1
    finally:
        # Whoever calls this from a program keeps its own logging.
        logging.getLogger("aimemory").removeHandler(handler)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="aimemory",
        description="Long-term memory for AI assistants in one PostgreSQL database.",
        epilog="Without --url and AIMEMORY_DATABASE_URL the embedded server is used. "
        "`aimemory demo` shows what it does.",
    )
    parser.add_argument("--version", action="version", version=f"aimemory {version('aimemory')}")
    add_global_options(parser)
    # No defaults here, or they would undo what was given before the name of the command.
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    add_global_options(shared)
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )
    for group in _GROUPS:
        group.register(commands, shared)
    return parser


def explained(error: Exception) -> str:
    """Say in one line what happened and what to do."""
    cause = getattr(error, "orig", None) or error  # SQLAlchemy wraps what the driver raises
    match cause:
        case AimemoryError():
            message = str(cause)
        case psycopg.errors.InsufficientPrivilege():
            message = f"{cause.diag.message_primary}; {WHICH_ROLE}"
        case psycopg.Error() if cause.diag.message_primary:
            hint = cause.diag.message_hint
            message = (
                f"the database says: {cause.diag.message_primary}{f' ({hint})' if hint else ''}"
            )
        case psycopg.Error():
            problem = str(cause).strip()
            message = f"cannot use the database: {problem}; check --url or AIMEMORY_DATABASE_URL"
        case OSError():
            message = str(cause)
        case _:
            message = (
                f"unexpected {type(cause).__name__}: {cause}; run it again with --debug and "
                "report what it prints"
            )
    if isinstance(error, EmbeddedUnavailable):
        # The log of the server may follow, line by line; --debug shows it whole.
        message = message.split("; the end of its log:")[0]
    return "; ".join(" ".join(line.split()) for line in message.splitlines() if line.strip())
