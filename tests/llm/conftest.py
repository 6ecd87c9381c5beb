"""A scripted server, and the real client in front of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from aimemory.llm import OpenAIChat
from scripted_llm import ScriptedLLM


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        yield server


@pytest.fixture
def connect(server: ScriptedLLM) -> Callable[..., OpenAIChat]:
    """Connect to the scripted server; without retries unless asked for."""

    def make(**options: object) -> OpenAIChat:
        given = {"base_url": server.base_url, "api_key": "any", "max_retries": 0, **options}
        return OpenAIChat("scripted", **given)  # type: ignore[arg-type]

    return make


@pytest.fixture
def chat(connect: Callable[..., OpenAIChat]) -> OpenAIChat:
    return connect()
