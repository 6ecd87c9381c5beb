"""What the rest of the library asks of a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

from aimemory.errors import ExtractionFailed


class Message(TypedDict):
    """One message of a request."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model wrote, and what it cost."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    cut: bool = False
    """True if the model had more to say and reached its limit."""

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Structured:
    """A JSON value that a model wrote, and what it cost."""

    value: Any
    """It may still break the schema: small models do not keep to one."""
    tokens: int = 0
    calls: int = 1
    repaired: bool = False
    """True if it was no plain JSON and had to be dug out or mended."""
    truncated: bool = False
    """True if the reply ended early; the value then lacks what was not complete."""
    text: str = ""
    """The reply itself, to show it to the model again."""


class UnreadableReply(ExtractionFailed):
    """The model answered, but not in JSON that can be read in one way.

    ``problem`` says why, ``text`` is the reply; ``calls`` and ``tokens`` are what was
    spent all the same.
    """

    def __init__(
        self, message: str, *, problem: str, text: str = "", calls: int = 1, tokens: int = 0
    ) -> None:
        super().__init__(message)
        self.problem = problem
        self.text = text
        self.calls = calls
        self.tokens = tokens


@runtime_checkable
class ChatModel(Protocol):
    """A model that answers messages. Raises ExtractionFailed if its service does not."""

    @property
    def model(self) -> str:
        """Name of the model, for messages and logs."""
        ...

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Completion:
        """Return the model's answer, never an empty one."""
        ...

    def structured(
        self, messages: Sequence[Message], schema: Mapping[str, Any], name: str
    ) -> Structured:
        """Return the JSON value that the model answers, asked to follow the JSON schema.

        ``schema`` is an object schema of the strict kind: every property required, no
        others allowed. ``name`` names it, in letters, digits and underscores. Raises
        UnreadableReply for an answer that is no JSON.
        """
        ...
