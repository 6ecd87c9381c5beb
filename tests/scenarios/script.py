"""The scenarios as scenarios.yaml writes them, and their clock."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("scenarios.yaml")
STEPS = ("say", "job", "recall")

_OFFSET = re.compile(r"\+?(\d+)d(?:(\d+)h)?")


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is done, when, and everything else that the file says of it."""

    kind: str
    at: datetime
    values: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(name, default)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One story of a user."""

    scenario_id: str
    category: str
    title: str
    steps: list[Step]


@cache
def document() -> dict[str, Any]:
    """Return the whole file."""
    content: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return content


def scenarios() -> list[Scenario]:
    """Return all scenarios, in the order of the file."""
    return [
        Scenario(
            scenario_id=entry["id"],
            category=entry["category"],
            title=entry["title"],
            steps=[
                Step(kind, moment(values["at"]), values)
                for step in entry["steps"]
                for kind, values in step.items()
            ],
        )
        for entry in document()["scenarios"]
    ]


def offset(text: str) -> timedelta:
    """Return what "+7d1h" or "10d" says."""
    match = _OFFSET.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no offset such as +7d1h")
    return timedelta(days=int(match[1]), hours=int(match[2] or 0))


def moment(text: str) -> datetime:
    """Return the time of an offset from t0."""
    return datetime.fromisoformat(document()["t0"]) + offset(text)


def outcome(item: dict[str, Any]) -> tuple[str, str]:
    """Return what an extracted item has to come to, and the key or the reason with it."""
    expected = item["outcome"]
    if isinstance(expected, str):
        return expected, ""
    ((kind, value),) = expected.items()
    return kind, value
