"""What an OpenAI-compatible server understands, found out by asking.

The servers share an address and differ in the rest: many know no JSON schema, some no
JSON mode, newer models take another name for the token limit and no temperature. A
server that refuses says so, and is then asked in the next simpler way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from aimemory.llm.protocol import Message

Mode: TypeAlias = Literal["json_schema", "json_object", "text"]
MODES: tuple[Mode, ...] = ("json_schema", "json_object", "text")
"""How to ask for JSON, the strictest first."""

_ABOUT_FORMAT = re.compile(
    r"response_?format|json_?schema|json_?object|json.mode|structured.?outputs?|guided", re.I
)
_NOT_ABOUT_THE_REQUEST = (401, 403, 408, 409, 413, 429)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How to word a request for one server."""

    mode: Mode = "json_schema"
    pinned: bool = False
    """True if the mode was chosen by the caller and is not to be changed."""
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    takes_temperature: bool = True

    def options(
        self,
        *,
        schema: Mapping[str, Any] | None,
        name: str,
        max_tokens: int | None,
        temperature: float | None,
    ) -> dict[str, Any]:
        """Return the arguments beside model and messages."""
        options: dict[str, Any] = {}
        if schema is not None and self.mode == "json_schema":
            described = {"name": name, "schema": schema, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": described}
        if schema is not None and self.mode == "json_object":
            options["response_format"] = {"type": "json_object"}
        if max_tokens is not None:
            options[self.limit_name] = max_tokens
        if temperature is not None and self.takes_temperature:
            options["temperature"] = temperature
        return options

    def messages(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None
    ) -> list[Message]:
        """Return the messages; a server that takes no schema reads it in the first of them.

        Not in a message of its own: some chat templates allow one system message only.
        """
        if schema is None or self.mode == "json_schema":
            return list(messages)
        shown = "\n\nJSON Schema:\n" + json.dumps(schema, ensure_ascii=False)
        first, *others = messages
        return [{"role": first["role"], "content": first["content"] + shown}, *others]

    def after_refusal(self, status: int, complaint: str) -> Dialect | None:
        """Return how to ask instead, or None if asking otherwise would not help."""
        if status in _NOT_ABOUT_THE_REQUEST:
            return None
        if self.mode != "text" and not self.pinned and _ABOUT_FORMAT.search(complaint):
            return replace(self, mode=MODES[MODES.index(self.mode) + 1])
        if self.limit_name == "max_tokens" and "max_completion_tokens" in complaint:
            return replace(self, limit_name="max_completion_tokens")
        if self.takes_temperature and "temperature" in complaint:
            return replace(self, takes_temperature=False)
        return None
