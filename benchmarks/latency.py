"""How long the statements take, beside an exact scan of the same vectors.

``python -m benchmarks.latency``: the same two users, of 1,000 and 10,000 memories, in a
small database and in a large one. The cost should follow the user, so the last column
should be near 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
from rich.console import Console
from rich.progress import track
from rich.table import Table

from aimemory import MemoryRepository, MemoryStore
from aimemory.embedding import Vector
from benchmarks.asking import EXACT_SCAN
from benchmarks.databases import new_database, throwaway_server
from benchmarks.measures import RESULTS, p50, p95, timed, write_results
from benchmarks.synthetic import AS_OF, BIG, DIMENSIONS, MIDDLE, MODEL, Corpus, load
from benchmarks.tracing import plan_of_recall, round_trips

WARMING_UP = 8
SCAN = "exact scan, 50 nearest"
Times = dict[tuple[str, str, str], list[float]]
"""Milliseconds by database, user and action."""


def actions(
    connection: psycopg.Connection, user_id: str, corpus: Corpus
) -> dict[str, Callable[[], object]]:
    """Return what is timed, with arguments that no earlier round has used."""
    repository = MemoryRepository(connection)
    question, vector = corpus.question(), corpus.vector()
    text = " ".join(corpus.words(14))
    given = {"user_id": user_id, "model": MODEL, "vector": vector.astype("f2").tolist()}

    def scan() -> list[UUID]:
        rows = connection.execute(EXACT_SCAN.encode(), {**given, "vector": str(given["vector"])})
        return [row[0] for row in rows]

    used = scan()[:5]
    return {
        SCAN: scan,
        "recall": lambda: repository.recall(
            user_id, question, vector=vector, model=MODEL, as_of=AS_OF
        ),
        "recall, meaning only": lambda: repository.recall(
            user_id, None, vector=vector, model=MODEL, as_of=AS_OF
        ),
        "recall, words only": lambda: repository.recall(user_id, question, as_of=AS_OF),
        "add_memory": lambda: repository.add(
            user_id, text, vectors=[corpus.vector()], model=MODEL, created_at=AS_OF
        ),
        "touch_memories, 5": lambda: repository.touch(user_id, used, as_of=AS_OF),
    }


def measure(urls: dict[str, str], rounds: int) -> Times:
    """Time every action on both databases in turns, so that a busy moment meets all."""
    times: Times = {}
    connections = {
        database: psycopg.connect(url, autocommit=True) for database, url in urls.items()
    }
    corpora = {database: Corpus(seed=2) for database in urls}
    for number in track(range(rounds + WARMING_UP), description="measuring", transient=True):
        for user_id, _ in (MIDDLE, BIG):
            # Whoever comes second finds warmer caches, so they take turns at it.
            for database in list(urls)[:: 1 if number % 2 else -1]:
                made = actions(connections[database], user_id, corpora[database])
                for name, action in made.items():
                    _, milliseconds = timed(action)
                    if number >= WARMING_UP:
                        times.setdefault((database, user_id, name), []).append(milliseconds)
    for connection in connections.values():
        connection.close()
    return times


def summary(times: Times) -> list[dict[str, Any]]:
    """Return a line per user and action."""
    small, large = dict.fromkeys(database for database, _, _ in times)
    lines = []
    for user_id, name in dict.fromkeys((user_id, name) for _, user_id, name in times):
        line: dict[str, Any] = {"user": user_id, "action": name}
        for size, database in (("small", small), ("large", large)):
            taken = times[database, user_id, name]
            scan = p50(times[database, user_id, SCAN])
            line[f"{size}_p50_ms"] = p50(taken)
            line[f"{size}_p95_ms"] = p95(taken)
            line[f"{size}_by_scan"] = p50(taken) / scan
        line["large_by_small"] = line["large_p50_ms"] / line["small_p50_ms"]
        lines.append(line)
    return lines


def table(lines: list[dict[str, Any]], small: int, large: int) -> Table:
    drawn = Table(
        title="milliseconds, and ratios to the exact scan",
        caption=f"small: {small:,} memories in the database, large: {large:,}; "
        "by scan: p50 by that of the exact scan of the same user",
    )
    drawn.add_column("", no_wrap=True)
    heads = ("small p50", "p95", "by scan", "large p50", "p95", "by scan", "large / small")
    for head in heads:
        drawn.add_column(head.replace(" ", "\n", 1), justify="right", vertical="bottom")
    user_id = None
    for line in lines:
        if line["user"] != user_id:
            user_id = line["user"]
            drawn.add_section()
            drawn.add_row(f"[bold]{user_id}")
        cells = [
            f"{line[f'{size}_{key}']:.{digits}f}"
            for size in ("small", "large")
            for key, digits in (("p50_ms", 2), ("p95_ms", 2), ("by_scan", 1))
        ]
        drawn.add_row(line["action"], *cells, f"{line['large_by_small']:.2f}")
    return drawn


class FixedEmbedder:
    """An embedder for counting statements, where no meaning is needed."""

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._corpus = Corpus(seed=4)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return list(self._corpus.vectors(len(texts)))

    def embed_query(self, text: str) -> Vector:
        return self._corpus.vector()


def trips_of_methods(url: str) -> dict[str, int]:
    """Return how often each method of a store waits for the server, as a service does."""
    user_id = MIDDLE[0]
    corpus = Corpus(seed=5)
    question = corpus.question()
    service = f"{url}&options=-c%20role%3Daimemory_app"
    with MemoryStore.open(service, embedder=FixedEmbedder(), pool_size=1) as store:
        added = store.add(user_id, "w00001 w00002 first")  # registers the model
        assert added.memory_id is not None
        memory_id = added.memory_id
        methods: dict[str, Callable[[], object]] = {
            "search": lambda: store.search(user_id, question),
            "search(touch=False, log=False)": lambda: store.search(
                user_id, question, touch=False, log=False
            ),
            "add": lambda: store.add(user_id, "w00003 w00004 second"),
            "add_many of 10": lambda: store.add_many(
                user_id, [f"w00005 number{number}" for number in range(10)]
            ),
            "update": lambda: store.update(user_id, memory_id, importance=0.7),
            "delete": lambda: store.delete(user_id, memory_id),
        }
        with store._database.connection() as connection:
            pass  # It is the only one of the pool, so the methods use it as well.
        counted = {}
        for name, method in methods.items():
            with round_trips(connection) as made:
                method()
            counted[name] = made()
    return counted


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000, help="memories of the large database")
    parser.add_argument("--small-rows", type=int, default=20_000, help="of the small one")
    parser.add_argument("--rounds", type=int, default=60)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    console = Console()
    with throwaway_server() as server:
        urls = {}
        for name, rows in (("small", options.small_rows), ("large", options.rows)):
            urls[name] = new_database(server, name)
            with psycopg.connect(urls[name], autocommit=True) as connection:
                _, taken = timed(partial(load, connection, rows))
            console.print(f"{name}: loaded {rows:,} memories in {taken / 1000:.0f} s")
        lines = summary(measure(urls, options.rounds))
        console.print(table(lines, options.small_rows, options.rows))
        plan = plan_of_recall(urls["large"], BIG[0])
        counted = trips_of_methods(urls["small"])
    trips = Table(title="round trips of a method of the store")
    trips.add_column("method")
    trips.add_column("round trips", justify="right")
    for method, number in counted.items():
        trips.add_row(method, str(number))
    console.print(trips)
    path = write_results("latency", {"options": vars(options), "lines": lines, "trips": counted})
    (RESULTS / "recall_plan.txt").write_text(plan, "utf-8")
    console.print(f"written to {path} and recall_plan.txt")


if __name__ == "__main__":
    main()
