"""Tell observers what was done, how long it took and how it ended.

Every operation of a store and every upkeep job is one `Operation`. Observers are told
of it for the whole process, for example by `aimemory.metrics` or `aimemory.telemetry`;
while there are none, an operation costs one look at an empty tuple. Nothing of a user
is in it: no id, no text.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Operation:
    """What is being done; complete when an observer's ``end`` is called."""

    name: str
    """The method of the store (``search``), or ``upkeep.`` and a job."""
    seconds: float = 0.0
    model_seconds: float = 0.0
    """Of these, in calls of embedding and language models."""
    error: str | None = None
    """The class of the exception that ended it; None if it succeeded."""
    attributes: dict[str, str | bool | int | float] = field(default_factory=dict)
    """Such as hits, degraded, results; rows and batches of a job."""
    within: Operation | None = None
    """The operation that this one is a part of: a search of a context."""


class Observer(Protocol):
    """Somebody who wants to know. What it raises is logged and changes nothing."""

    def begin(self, operation: Operation) -> Any:
        """Note that an operation begins; what is returned comes back in ``end``."""
        ...

    def end(self, operation: Operation, begun: Any) -> None:
        """Note that it is over, on the thread or task that began it."""
        ...


_observers: tuple[Observer, ...] = ()
_current: ContextVar[Operation | None] = ContextVar("aimemory_operation", default=None)


def add_observer(observer: Observer) -> Callable[[], None]:
    """Tell an observer of every operation from now on; return a function that ends that."""
    global _observers
    _observers = (*_observers, observer)

    def remove() -> None:
        global _observers
        _observers = tuple(other for other in _observers if other is not observer)

    return remove


def is_observed() -> bool:
    """Whether anybody wants to know."""
    return bool(_observers)


@contextmanager
def operation(name: str) -> Iterator[Operation]:
    """Observe what is done in a block; attributes may be set until it ends."""
    seen = Operation(name=name, within=_current.get())
    begun = [(observer, _told(observer.begin, seen)) for observer in _observers]
    token = _current.set(seen)
    started = time.perf_counter()
    try:
        yield seen
    except BaseException as error:
        seen.error = type(error).__name__
        raise
    finally:
        seen.seconds = time.perf_counter() - started
        _current.reset(token)
        for observer, state in reversed(begun):
            _told(observer.end, seen, state)


@contextmanager
def model_call() -> Iterator[None]:
    """Count the time of a block as spent in a model."""
    innermost = _current.get()
    if innermost is None:
        yield
        return
    started = time.perf_counter()
    try:
        yield
    finally:
        spent = time.perf_counter() - started
        seen: Operation | None = innermost
        while seen is not None:
            seen.model_seconds += spent
            seen = seen.within


def described(result: object) -> dict[str, str | bool | int | float]:
    """Return the attributes of what a method of the store returned."""
    hits = getattr(result, "hits", None)
    if isinstance(hits, list):
        return described(hits)
    if not isinstance(result, list):
        return {}
    if hasattr(result, "degraded"):
        return {"hits": len(result), "degraded": result.degraded is not None}
    return {"results": len(result)}


def _told(tell: Callable[..., Any], *about: Any) -> Any:
    try:
        return tell(*about)
    except Exception:
        logger.exception("an observer of operations failed")
        return None
