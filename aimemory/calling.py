"""Call blocking code from asynchronous code, and from its generated synchronous twin."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


async def in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a blocking function in a worker thread, so that the event loop goes on."""
    return await asyncio.to_thread(function, *args, **kwargs)


def in_place(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run the function here: what ``in_thread`` becomes in synchronous code."""
    return function(*args, **kwargs)
