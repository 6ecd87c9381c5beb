"""Somebody at a terminal: commands, what is typed into them, and what they leave."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

from aimemory import MemoryStore
from aimemory.cli import main
from roles import MAINTAINER, as_role

CAT = "我家的猫叫年糕，今年三岁了"
CITY = "我住在杭州"
LOG = [
    {"session_id": "cat", "timestamp": "2026-01-05", "messages": [("user", CAT)]},
    {"session_id": "city", "timestamp": "2026-01-07", "messages": [("user", CITY)]},
    {"session_id": "tea", "timestamp": "2026-01-06", "messages": [("user", "I like green tea")]},
]


@dataclass
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class Typed(io.StringIO):
    """What somebody types; a line ``^C`` is Ctrl-C."""

    def __init__(self, *lines: str, at_terminal: bool = False) -> None:
        super().__init__("".join(f"{line}\n" for line in lines))
        self._at_terminal = at_terminal

    def isatty(self) -> bool:
        return self._at_terminal

    def readline(self, *arguments: Any) -> str:
        line = super().readline(*arguments)
        if line == "^C\n":
            raise KeyboardInterrupt
        return line


@dataclass
class Run:
    """Runs commands in this process, on the database of the test, without an embedder."""

    url: str
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch
    options: list[str] = field(default_factory=list)

    def __call__(self, *arguments: str, stdin: Typed | None = None) -> Ran:
        self.monkeypatch.setattr(sys, "stdin", stdin or Typed())
        code = main([*arguments, "--url", self.url, "--embedder", "none", *self.options])
        return Ran(code, *self.capsys.readouterr())


def contents(store: MemoryStore, user: str) -> list[str]:
    return sorted(memory.content for memory in store.list(user).memories)


def memory(content: str, quoted: str, **fields: object) -> dict[str, object]:
    item = {"content": content, "type": "fact", "class": "ordinary", "evidence": quoted}
    empty = {"entities": [], "slot": None, "event_at": None, "valid_until": None}
    return {"memories": [{**item, **empty, "standing": False, **fields}]}


def written(path: Path, conversations: list[dict[str, Any]]) -> str:
    lines = [
        {**c, "messages": [{"role": role, "content": text} for role, text in c["messages"]]}
        for c in conversations
    ]
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    return str(path)


def turns(url: str, user: str) -> list[tuple[str, str]]:
    with psycopg.connect(as_role(url, MAINTAINER)) as connection:
        return connection.execute(
            "select session_id, content from aimemory.turns where user_id = %s order by 1, turn_no",
            [user],
        ).fetchall()
