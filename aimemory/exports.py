"""Read the lines of an export: one JSON object each, the first of them the header."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from aimemory.errors import InvalidInput
from aimemory.text import storable_json

VERSION = 1
"""Of the format that this library writes and reads."""
LINES_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One record of an export."""

    number: int
    kind: str
    record: Mapping[str, Any]
    text: str
    """The JSON as it was written, for numbers that Python would round."""


def written(kind: str, record: str) -> str:
    """Return a line, without a line break, for a record in JSON."""
    inside = record.strip()[1:]
    return f'{{"kind": "{kind}"{"" if inside.strip() == "}" else ", "}{inside}'


def read_header(lines: Iterator[Line]) -> Mapping[str, Any]:
    """Take the first line; raise InvalidInput if this library cannot read what follows."""
    first = next(lines, None)
    if first is None or first.kind != "header" or first.record.get("format") != "aimemory":
        raise InvalidInput(
            "this is no export of aimemory: its first line is no header such as "
            f'{{"kind": "header", "format": "aimemory", "version": {VERSION}}}'
        )
    version = first.record.get("version")
    if version != VERSION:
        raise InvalidInput(
            f"the export has format version {version!r}, and this library reads version "
            f"{VERSION}: install the aimemory that wrote it, or a newer one"
        )
    models = first.record.get("models", [])
    if not isinstance(models, list) or not all(map(_is_model, models)):
        raise InvalidInput("line 1: models must be a list of models, as the export wrote it")
    return first.record


def read_lines(lines: Iterable[str]) -> Iterator[Line]:
    """Yield the records; raise InvalidInput that names the line that is none."""
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            record = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse)
            kept = storable_json(record)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"line {number} is no JSON: {error}") from error
        if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
            raise InvalidInput(f'line {number} is no JSON object with a "kind"')
        if kept != record:
            raise InvalidInput(f"line {number} has a NUL or half a surrogate pair in a text")
        yield Line(
            number=number,
            kind=record["kind"],
            record=record,
            text=text.removeprefix("\ufeff").strip(),
        )


def in_batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Yield as many lines together as go into one statement."""
    while batch := list(islice(lines, LINES_AT_ONCE)):
        yield batch


def _is_model(model: Any) -> bool:
    return (
        isinstance(model, dict)
        and isinstance(model.get("model_id"), str)
        and isinstance(model.get("dimensions"), int)
        and isinstance(model.get("scales", {}), dict)
    )


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number in JSON")
