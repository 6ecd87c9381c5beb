"""A database for each file of this folder, and a user of its own for each test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from aimemory import MemoryStore
from roles import as_role
from scripted_llm import ScriptedLLM
from terminal import Run


@pytest.fixture(scope="module")
def url(template: str, empty_database: Callable[..., str]) -> str:
    return as_role(empty_database(template))


@pytest.fixture
def run(url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in [name for name in os.environ if name.startswith(("AIMEMORY_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    return Run(url, capsys, monkeypatch)


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A user of this test's own, in the database of the module."""
    return str(request.node.name)


@pytest.fixture
def store(url: str) -> Iterator[MemoryStore]:
    with MemoryStore.open(url, embedder="none") as opened:
        yield opened


@pytest.fixture
def llm(run: Run) -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        run.monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        run.monkeypatch.setenv("OPENAI_API_KEY", "any")
        run.options = ["--llm", "openai:scripted"]
        yield server
