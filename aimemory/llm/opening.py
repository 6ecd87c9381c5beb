"""Open a chat model by its name in the settings."""

from __future__ import annotations

from aimemory.errors import InvalidInput
from aimemory.llm.openai import OpenAIChat
from aimemory.llm.protocol import ChatModel

FORMS = """\
  openai:MODEL    e.g. openai:gpt-4.1-mini, or the name that a local server gives its model
                  (OPENAI_API_KEY and OPENAI_BASE_URL say where)"""


def open_chat_model(spec: str) -> ChatModel:
    """Connect to the model that ``spec`` names; nothing is sent yet."""
    kind, _, name = spec.partition(":")
    if kind == "openai" and name:
        return OpenAIChat(name)
    raise InvalidInput(f"{spec!r} names no language model; it has to be\n{FORMS}")
