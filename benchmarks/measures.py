"""What is counted, and how it is written down."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

RESULTS = Path(__file__).resolve().parent / "results"
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well one list of results answers one question."""

    recall_5: float
    """Share of the evidence groups with a memory among the first five."""
    recall_10: float
    first: float
    """1 / place of the first memory that is evidence; 0 if there is none."""
    complete_5: float
    """1 when no group is missing from the first five."""
    count: int
    """How many results there were."""


def score(found: Sequence[Hashable], groups: Sequence[Collection[Hashable]]) -> Score:
    """Score a list of results, best first."""

    def recall(depth: int) -> float:
        top = set(found[:depth])
        return sum(not top.isdisjoint(group) for group in groups) / len(groups)

    wanted = {item for group in groups for item in group}
    places = [place for place, item in enumerate(found, start=1) if item in wanted]
    return Score(
        recall_5=recall(5),
        recall_10=recall(10),
        first=1 / places[0] if places else 0.0,
        complete_5=float(recall(5) == 1),
        count=len(found),
    )


def reciprocal_rank_fusion(*lists: Sequence[T], k: int = 60) -> list[T]:
    """Merge ranked lists as most memory libraries do: sum of 1 / (k + place)."""
    total: dict[T, float] = {}
    for ranked in lists:
        for place, item in enumerate(ranked, start=1):
            total[item] = total.get(item, 0.0) + 1 / (k + place)
    return sorted(total, key=lambda item: -total[item])


def interval(differences: Sequence[float], *, draws: int = 2000) -> tuple[float, float]:
    """Return the 95 % bootstrap confidence interval of a mean, resampling the questions."""
    values = np.asarray(differences, dtype=np.float64)
    generator = np.random.default_rng(0)
    means = [float(generator.choice(values, size=len(values)).mean()) for _ in range(draws)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def timed(run: Callable[[], T]) -> tuple[T, float]:
    """Return what a call returns, and the milliseconds it took."""
    started = time.perf_counter()
    result = run()
    return result, (time.perf_counter() - started) * 1000


def p50(values: Sequence[float]) -> float:
    return float(np.percentile(values, 50))


def p95(values: Sequence[float]) -> float:
    return float(np.percentile(values, 95))


def write_results(name: str, results: dict[str, Any]) -> Path:
    """Write JSON beside what it was measured with; return its path."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    about = {
        "aimemory": version("aimemory"),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    path.write_text(json.dumps({"about": about, **results}, indent=1, ensure_ascii=False), "utf-8")
    return path
