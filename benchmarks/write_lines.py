"""How well the rules tell what to remember from what to ignore, line by line.

Every line is one message of a user: cleaned, cut into clauses, read by the rule extractor,
and checked. A proposal that passes makes it "remember". The rules were tuned on the even
lines of each file; the odd lines measure them. Lines labelled unsure are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterable, Sequence
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
from benchmarks.datasets import CHECKOUT, data_folder

RESULTS = CHECKOUT / "benchmarks" / "results" / "write_lines.json"
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


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a file in order, unsure ones included as None would shift halves."""
    lines = []
    with path.open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row["label"] != "unsure":
                lines.append(Line(ADDED.sub("", row["text"]), row["label"] == "remember"))
    return lines


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
    files = {path.stem.removeprefix("lines_"): read_lines(path) for path in sorted(folder.glob("lines_*.jsonl"))}
    scores: list[Score] = []
    start = time.perf_counter()
    for name, lines in files.items():
        scores.append(score(name, "tuned", lines[1::2], funnel))
        scores.append(score(name, "measured", lines[::2], funnel))
    seconds = time.perf_counter() - start
    for language in ("_zh", "_en", ""):
        scores += [summed(language, half, scores[: 2 * len(files)]) for half in ("tuned", "measured")]
    count = sum(map(len, files.values()))
    console = Console()
    console.print(table(scores))
    console.print(f"{count} lines in {seconds:.1f} s: {count / seconds:.0f} lines a second")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(
        json.dumps(
            {
                "lines_per_second": round(count / seconds),
                "scores": [
                    asdict(row)
                    | {
                        "precision": row.precision,
                        "recall": row.recall,
                        "f1": row.f1,
                        "false_alarm_rate": row.false_alarm_rate,
                    }
                    for row in scores
                ],
            },
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
