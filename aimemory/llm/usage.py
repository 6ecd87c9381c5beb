"""Count what answers of a language model cost, however deep in a call they were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Usage:
    """Calls that were answered, and their tokens, in and out."""

    calls: int = 0
    tokens: int = 0

    def add(self, calls: int, tokens: int) -> None:
        """Add what more was spent."""
        self.calls += calls
        self.tokens += tokens


_meter: ContextVar[Usage | None] = ContextVar("aimemory_usage", default=None)


@contextmanager
def metered() -> Iterator[Usage]:
    """Collect what is spent inside, in threads started by ``asyncio.to_thread`` too."""
    usage = Usage()
    token = _meter.set(usage)
    try:
        yield usage
    finally:
        _meter.reset(token)


def spend(calls: int, tokens: int) -> None:
    """Tell the innermost ``metered`` block, if there is one, what an answer cost."""
    usage = _meter.get()
    if usage is not None:
        usage.add(calls, tokens)
