"""Make every public method of a class an operation that is observed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from aimemory.observing import described, is_observed, operation

C = TypeVar("C", bound=type)


def observed(decorated: C) -> C:
    """Observe the public methods of a class, those it inherits included, but for close.

    A method that yields works at the pace of its caller, so its time would say nothing.
    """
    for name, method in inspect.getmembers(decorated, inspect.isfunction):
        yields = inspect.isgeneratorfunction(method) or inspect.isasyncgenfunction(method)
        if not name.startswith("_") and name != "close" and not yields:
            setattr(decorated, name, _observed(name, method))
    return decorated


def _observed(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(*args: Any, **kwargs: Any) -> Any:
        if not is_observed():
            return await method(*args, **kwargs)
        with operation(name) as seen:
            result = await method(*args, **kwargs)
            seen.attributes.update(described(result))
            return result

    return call
