"""Print for people or for programs.

Stored text comes from users and other programs. It is printed as text and never
read as markup, and characters that steer a terminal are replaced.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and those that turn the direction of text."""


class Output:
    """Where a command's result goes, in the form that was asked for."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.console = Console(highlight=False, markup=False, emoji=False)

    def result(self, document: Any, *rendered: RenderableType) -> None:
        """Print a result: ``document`` as JSON, or what was rendered of it.

        A string is printed without line breaks, so that it can be copied whole.
        """
        if self.as_json:
            readable = (sys.stdout.encoding or "").lower() == "utf-8"
            print(json.dumps(jsonable(document), ensure_ascii=not readable, indent=2))
            return
        for part in rendered:
            if isinstance(part, str):
                self.console.print(plain(part), soft_wrap=True)
            else:
                self.console.print(part)

    def say(self, text: str) -> None:
        """Tell people how it goes; programs are told nothing."""
        if not self.as_json:
            self.console.print(plain(text, "dim"))

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[int, int], None] | None]:
        """Lend a function that moves a bar, or None where nobody would see one."""
        if self.as_json or not sys.stderr.isatty():
            yield None
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, of: bar.update(task, completed=done, total=of)


def jsonable(value: Any) -> Any:
    """Turn records into mappings, times into ISO 8601, and ids into strings."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: jsonable(getattr(value, field.name)) for field in dataclasses.fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)


def plain(text: str, style: str = "") -> Text:
    """Return text that shows as it is, whatever is in it."""
    return Text(STEERING.sub("\N{REPLACEMENT CHARACTER}", text), style=style)


def one_line(text: str) -> str:
    """Join the lines of a text, for a table with a row each."""
    return " ".join(text.split())


def table(
    *columns: str,
    title: str | None = None,
    numbers: Iterable[str] = (),
    narrow: Iterable[str] = (),
) -> Table:
    """Make a table; ``numbers`` are aligned right, and neither they nor ``narrow`` wrap."""
    made = Table(title=title and plain(title), title_justify="left", title_style="bold", box=None)
    made.header_style = "dim"
    made.padding = (0, 2, 0, 0)
    right, whole = set(numbers), {*numbers, *narrow}
    for column in columns:
        made.add_column(
            column,
            justify="right" if column in right else "left",
            no_wrap=column in whole,
            # Chinese has no spaces to wrap at; without this it would be cut off.
            overflow="fold",
        )
    return made


def facts(values: Iterable[tuple[str, RenderableType]]) -> Table:
    """Make a list of names and values."""
    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in values:
        made.add_row(name, plain(value) if isinstance(value, str) else value)
    return made


def stacked(*parts: RenderableType | None) -> Group:
    """Put the parts that are there below each other."""
    return Group(*(part for part in parts if part is not None))


def day(time: datetime | None) -> str:
    """Write the date of a time, here."""
    return "" if time is None else time.astimezone().strftime("%Y-%m-%d")


def minute(time: datetime | None) -> str:
    """Write a time to the minute, here."""
    return "" if time is None else time.astimezone().strftime("%Y-%m-%d %H:%M")
