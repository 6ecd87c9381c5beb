"""A span of OpenTelemetry for every operation: ``aimemory.search`` and so on.

    from aimemory import telemetry

    telemetry.observe()  # once in a process, whose tracer provider is then used

Needs the extra ``telemetry``. Spans carry counts and times, and nothing of a user.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aimemory.errors import MissingDependency
from aimemory.observing import Operation, add_observer

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider


def observe(provider: TracerProvider | None = None) -> Callable[[], None]:
    """Make a span of every operation from now on; return a function that ends that.

    Raises MissingDependency without opentelemetry-api.
    """
    return add_observer(_Tracing(provider))


class _Tracing:
    """Observes operations as spans, each the current one while its operation lasts."""

    def __init__(self, provider: TracerProvider | None) -> None:
        try:
            from opentelemetry import context, trace
        except ImportError as error:
            raise MissingDependency(
                "opentelemetry-api is not installed: pip install 'aimemory[telemetry]'"
            ) from error
        self._context = context
        self._trace = trace
        self._tracer = trace.get_tracer("aimemory", tracer_provider=provider)

    def begin(self, operation: Operation) -> tuple[Any, Any]:
        """Start a span below the one that is current."""
        span = self._tracer.start_span(f"aimemory.{operation.name}")
        return span, self._context.attach(self._trace.set_span_in_context(span))

    def end(self, operation: Operation, begun: tuple[Any, Any] | None) -> None:
        """End the span, with what the operation was."""
        if begun is None:
            return
        span, token = begun
        self._context.detach(token)
        for name, value in operation.attributes.items():
            span.set_attribute(f"aimemory.{name}", value)
        span.set_attribute("aimemory.model_seconds", operation.model_seconds)
        if operation.error is not None:
            span.set_attribute("error.type", operation.error)
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR))
        span.end()
