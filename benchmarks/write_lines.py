"""What the rules remember and what they ignore: ``python -m benchmarks.write_lines``.

Every line is one message of a user: cleaned, cut into clauses, read by the rule extractor,
and checked. A proposal that passes makes it "remember". The rules were tuned on the even
lines of each file; the odd lines measure them. Lines labelled unsure are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from aimemory.writing.cleaning import read_messages
from aimemory.writing.grounding import problem
from aimemory.writing.proposals import Proposal, Window
from aimemory.writing.rule_extractor import RuleExtractor
from aimemory.writing.vocabulary import Vocabulary
from benchmarks.datasets import data_folder
from benchmarks.measures import write_results

NOW = datetime(2026, 1, 5, 1, tzinfo=UTC)
# What the set adds to a message: who says it, and what a picture shows.
ADDED = re.compile(r"^[A-Z][a-z]+: (?=.)|\[shares a photo: [^\]]*\]")


@dataclass(frozen=True, slots=True)
class Line:
    """One message and whether people would keep something of it."""

    text: str
    remember: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts of one half of one file."""

    name: str
    half: str
    hits: int
    false_alarms: int
    misses: int
    rejections: int

    @property
    def precision(self) -> float | None:
        """Share of what was kept that was to be kept."""
        kept = self.hits + self.false_alarms
        return self.hits / kept if kept and self.hits + self.misses else None

    @property
    def recall(self) -> float | None:
        """Share of what was to be kept that was."""
        wanted = self.hits + self.misses
        return self.hits / wanted if wanted else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of the two."""
        if self.precision is None or self.recall is None:
            return None
        return 2 * self.hits / (2 * self.hits + self.false_alarms + self.misses)

    @property
    def false_alarm_rate(self) -> float | None:
        """Share of what was to be ignored that was kept."""
        ignorable = self.false_alarms + self.rejections
        return self.false_alarms / ignorable if ignorable else None


class Funnel:
    """The rules from the message to the proposals that pass."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary.load()
        self._extractor = RuleExtractor(self._vocabulary)

    def proposals(self, text: str) -> list[Proposal]:
        """Return what would be stored."""
        turns = read_messages(text, NOW, self._vocabulary)
        window = Window(turns=turns, now=NOW, time_zone="Asia/Shanghai")
        return [
            proposal
            for proposal in self._extractor.extract(window).proposals
            if problem(proposal, window, self._vocabulary) is None
        ]


def read_halves(path: Path) -> Mapping[str, list[Line]]:
    """Return the even lines, which the rules were tuned on, and the odd ones."""
    halves: dict[str, list[Line]] = {"tuned": [], "measured": []}
    with path.open(encoding="utf-8") as file:
        for number, row in enumerate(map(json.loads, file), start=1):
            if row["label"] != "unsure":
                line = Line(ADDED.sub("", row["text"]), row["label"] == "remember")
                halves["measured" if number % 2 else "tuned"].append(line)
    return halves


def score(name: str, half: str, lines: Sequence[Line], funnel: Funnel) -> Score:
    """Run the lines through the funnel and count."""
    outcomes = [(line.remember, bool(funnel.proposals(line.text))) for line in lines]
    return Score(
        name=name,
        half=half,
        hits=outcomes.count((True, True)),
        false_alarms=outcomes.count((False, True)),
        misses=outcomes.count((True, False)),
        rejections=outcomes.count((False, False)),
    )


def summed(name: str, half: str, scores: Iterable[Score]) -> Score:
    """Add the counts of several files."""
    chosen = [score for score in scores if score.half == half and score.name.endswith(name)]
    return Score(
        name=f"all {name.strip('_')}".strip(),
        half=half,
        hits=sum(score.hits for score in chosen),
        false_alarms=sum(score.false_alarms for score in chosen),
        misses=sum(score.misses for score in chosen),
        rejections=sum(score.rejections for score in chosen),
    )


def table(scores: Sequence[Score]) -> Table:
    """Return one row for each half of each file."""
    shown = Table(title="remember or ignore, by rules alone")
    for column in ("lines", "half", "n", "precision", "recall", "F1", "false alarms"):
        shown.add_column(column, justify="left" if column in ("lines", "half") else "right")
    for row in scores:
        count = row.hits + row.false_alarms + row.misses + row.rejections
        numbers = (row.precision, row.recall, row.f1, row.false_alarm_rate)
        shown.add_row(
            row.name,
            row.half,
            str(count),
            *("–" if number is None else f"{number:.3f}" for number in numbers),
            end_section=row.half == "measured",
        )
    return shown


def main(arguments: Sequence[str] | None = None) -> None:
    """Score every file; print a table and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder that holds write/")
    options = parser.parse_args(arguments)
    folder = data_folder(options.data) / "write"
    funnel = Funnel()
    files = [
        (path.stem.removeprefix("lines_"), half, lines)
        for path in sorted(folder.glob("lines_*.jsonl"))
        for half, lines in read_halves(path).items()
    ]
    start = time.perf_counter()
    scores = [score(name, half, lines, funnel) for name, half, lines in files]
    seconds = time.perf_counter() - start
    for language in ("_zh", "_en", ""):
        scores += [summed(language, half, scores[: len(files)]) for half in ("tuned", "measured")]
    count = sum(len(lines) for _, _, lines in files)
    console = Console()
    console.print(table(scores))
    console.print(f"{count} lines in {seconds:.1f} s: {count / seconds:.0f} lines a second")
    rates = ("precision", "recall", "f1", "false_alarm_rate")
    rows = [asdict(row) | {rate: getattr(row, rate) for rate in rates} for row in scores]
    path = write_results(
        "write_lines", {"lines_per_second": round(count / seconds), "scores": rows}
    )
    console.print(f"written to {path}")


if __name__ == "__main__":
    main()
