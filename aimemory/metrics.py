"""Metrics for Prometheus: times of operations, what jobs did, and what waits for upkeep.

    from aimemory import metrics

    metrics.observe()  # once in a process; prometheus_client then serves them

Needs the extra ``metrics``. No label has a user in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from aimemory.errors import MissingDependency
from aimemory.observing import Operation, add_observer

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


def observe(registry: CollectorRegistry | None = None) -> Callable[[], None]:
    """Count every operation of this process; return a function that ends that.

    Without ``registry`` the default one of prometheus_client is used, in which a second
    call raises ValueError. Raises MissingDependency without prometheus_client.
    """
    return add_observer(_Counting(registry or _prometheus().REGISTRY))


def watch_database(
    read: Callable[[], dict[str, Any]], registry: CollectorRegistry | None = None
) -> None:
    """Add gauges of what waits in a database, read anew for every scrape.

    ``read`` returns the row of ``aimemory.upkeep_status``; when it raises, the gauge
    ``aimemory_database_up`` is 0 and the others are missing.
    """
    (registry or _prometheus().REGISTRY).register(_Waiting(read))


def serve(port: int, host: str, registry: CollectorRegistry | None = None) -> Callable[[], None]:
    """Serve /metrics from a thread; return a function that ends that."""
    client = _prometheus()
    server, thread = client.start_http_server(port, addr=host, registry=registry or client.REGISTRY)

    def close() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return close


class _Counting:
    """Observes operations into metrics."""

    def __init__(self, registry: CollectorRegistry) -> None:
        client = _prometheus()
        self._seconds = client.Histogram(
            "aimemory_operation_seconds",
            "Operations of a store and upkeep jobs, by name and outcome.",
            ["operation", "outcome"],
            buckets=BUCKETS,
            registry=registry,
        )
        self._model_seconds = client.Counter(
            "aimemory_model_seconds",
            "Seconds spent in embedding and language models, by operation.",
            ["operation"],
            registry=registry,
        )
        self._degraded = client.Counter(
            "aimemory_degraded_searches",
            "Searches that were answered without the embedding model.",
            registry=registry,
        )
        self._rows = client.Counter(
            "aimemory_job_rows",
            "Rows that upkeep jobs have changed.",
            ["job"],
            registry=registry,
        )
        self._runs = client.Counter(
            "aimemory_job_runs", "Runs of upkeep jobs.", ["job", "status"], registry=registry
        )

    def begin(self, operation: Operation) -> None:
        """Nothing to do before the end."""

    def end(self, operation: Operation, begun: None) -> None:
        """Count what an operation was."""
        outcome = "ok" if operation.error is None else "failed"
        self._seconds.labels(operation.name, outcome).observe(operation.seconds)
        if operation.within is None and operation.model_seconds:
            self._model_seconds.labels(operation.name).inc(operation.model_seconds)
        if operation.attributes.get("degraded") and operation.name == "search":
            self._degraded.inc()
        job = operation.name.removeprefix("upkeep.")
        if job != operation.name and "status" in operation.attributes:
            self._rows.labels(job).inc(float(operation.attributes["rows"]))
            self._runs.labels(job, str(operation.attributes["status"])).inc()


class _Waiting:
    """Collects the gauges of a database when they are asked for."""

    def __init__(self, read: Callable[[], dict[str, Any]]) -> None:
        self._read = read

    def describe(self) -> Iterable[Metric]:
        """Nothing, so that registering does not ask the database."""
        return []

    def collect(self) -> Iterable[Metric]:
        """Read the database."""
        gauge = _core().GaugeMetricFamily
        try:
            row = self._read()
        except Exception:
            yield gauge("aimemory_database_up", "Whether the database answered.", value=0)
            return
        yield gauge("aimemory_database_up", "Whether the database answered.", value=1)
        for name, text in (
            ("pending_turns", "Turns that nothing has been learnt from yet."),
            ("parked_turns", "Turns that learning from has failed too often."),
            ("due_memories", "Live memories that are due for the archive."),
            ("overdue_memories", "Of these, due for more than two days."),
        ):
            yield gauge(f"aimemory_{name}", text, value=row[name])
        age = gauge("aimemory_job_age_seconds", "Time since a job last succeeded.", labels=["job"])
        for job in row["jobs"]:
            if job["done_at"] is not None:
                done = datetime.fromisoformat(job["done_at"])
                age.add_metric([job["job"]], (datetime.now(done.tzinfo) - done).total_seconds())
        yield age


def _prometheus() -> Any:
    try:
        import prometheus_client
    except ImportError as error:
        raise MissingDependency(
            "prometheus-client is not installed: pip install 'aimemory[metrics]'"
        ) from error
    return prometheus_client


def _core() -> Any:
    import prometheus_client.core

    return prometheus_client.core
