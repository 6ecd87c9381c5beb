"""Words without a dictionary, and what a rare word is: ``python -m benchmarks.words``.

For docs/decisions/0002 and 0003. Quality only; ``python -m benchmarks.postings`` has the
cost of ranking in SQL.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from rich.console import Console
from rich.table import Table

from benchmarks.bm25 import Bm25, postings
from benchmarks.databases import new_database, throwaway_server
from benchmarks.datasets import SETS, RetrievalSet, data_folder, read_set
from benchmarks.measures import Score, score, write_results

PIECES = """
    select t.nth, p.piece, p.spaced, p.glued,
           case when p.spaced then (ts_lexize('english_stem', p.piece))[1] end as stem
      from unnest(%s::text[]) with ordinality as t(text, nth)
     cross join lateral aimemory.pieces(t.text) p
     order by t.nth, p.place
"""
TOKENS = "select aimemory.tokens(t.text) from unnest(%s::text[]) with ordinality as t(text, nth)"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text, as aimemory.pieces returns it, and the stem of a word."""

    text: str
    spaced: bool
    glued: bool
    stem: str | None


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as the database cuts it."""

    tokens: list[str]
    pieces: list[Piece]

    @property
    def stems(self) -> list[str]:
        return [piece.stem for piece in self.pieces if piece.stem]

    def characters(self) -> set[str]:
        return {piece.text for piece in self.pieces if not piece.spaced}

    def pairs(self) -> list[str]:
        return [
            before.text + piece.text
            for before, piece in zip(self.pieces, self.pieces[1:], strict=False)
            if piece.glued
        ]

    def runs(self) -> list[str]:
        """Return what stands between spaces and punctuation, in scripts without spaces."""
        runs: list[str] = []
        for piece in self.pieces:
            if piece.spaced:
                continue
            if piece.glued:
                runs[-1] += piece.text
            else:
                runs.append(piece.text)
        return runs


def cut(connection: psycopg.Connection, texts: Sequence[str]) -> list[Cut]:
    """Cut texts with the functions of the database."""
    tokens = [row[0] for row in connection.execute(TOKENS.encode(), (list(texts),))]
    pieces: list[list[Piece]] = [[] for _ in texts]
    for nth, *columns in connection.execute(PIECES.encode(), (list(texts),)):
        pieces[nth - 1].append(Piece(*columns))
    return [Cut(words, of) for words, of in zip(tokens, pieces, strict=True)]


def as_stored(text: Cut) -> list[str]:
    return text.tokens


def only_pairs(text: Cut) -> list[str]:
    characters = text.characters()
    return [token for token in text.tokens if token not in characters]


def only_characters(text: Cut) -> list[str]:
    pairs = set(text.pairs())
    return [token for token in text.tokens if token not in pairs]


def no_stop_characters(text: Cut) -> list[str]:
    singles = [piece.text for piece in text.pieces if not piece.spaced]
    return text.stems + singles + text.pairs()


def whole_runs(text: Cut) -> list[str]:
    return text.stems + text.runs()


def with_jieba(text: Cut) -> list[str]:
    import jieba

    return text.stems + [word for run in text.runs() for word in jieba.lcut(run)]


Tokeniser = Callable[[Cut], list[str]]


def tokenisers() -> dict[str, Tokeniser]:
    """Return the ways that are compared; the dictionary only where it is installed."""
    ways: dict[str, Tokeniser] = {
        "aimemory.tokens": as_stored,
        "pairs only": only_pairs,
        "single characters only": only_characters,
        "no stop characters": no_stop_characters,
        "whole runs (stock PostgreSQL)": whole_runs,
    }
    if find_spec("jieba"):
        ways["a dictionary (jieba)"] = with_jieba
    return ways


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """What `Bm25.rank` is asked for, and the coverage that is demanded of a memory."""

    common: float | None = None
    at_least: int = 0
    rare_words: float = np.inf
    min_coverage: float = 0.0


WEIGHINGS = {
    "plain BM25": Weighing(),
    "without words of over a fifth": Weighing(common=0.2),
    "coverage 0.2 of all words": Weighing(min_coverage=0.2),
    "coverage 0.2 of 3 rare words": Weighing(min_coverage=0.2, rare_words=3),
    "the same, as if 100 memories": Weighing(min_coverage=0.2, rare_words=3, at_least=100),
    "the same, as if 1,000 memories": Weighing(min_coverage=0.2, rare_words=3, at_least=1000),
}


@dataclass(slots=True, kw_only=True)
class Outcome:
    """How well one way finds the evidence of one set."""

    scores: list[Score]
    kept: float
    """Share of a user's memories that pass, averaged over the questions."""
    postings: float

    def summary(self) -> dict[str, float]:
        return {
            "recall_5": float(np.mean([one.recall_5 for one in self.scores])),
            "recall_10": float(np.mean([one.recall_10 for one in self.scores])),
            "mrr": float(np.mean([one.first for one in self.scores])),
            "empty": float(np.mean([one.count == 0 for one in self.scores])),
            "kept": self.kept,
            "postings_per_memory": self.postings,
        }


def evaluate(
    data: RetrievalSet, cuts: dict[str, Cut], words: Tokeniser, weighing: Weighing
) -> Outcome:
    """Rank the memories of every question's user with BM25."""
    by_user: dict[str, dict[str, list[str]]] = {}
    for memory in data.memories:
        by_user.setdefault(memory.user_id, {})[memory.key] = words(cuts[memory.content])
    indexes = {user_id: Bm25(documents) for user_id, documents in by_user.items()}
    scores, kept = [], []
    for question in data.questions:
        if question.category == "adversarial":
            continue
        ranked = indexes[question.user_id].rank(
            words(cuts[question.text]),
            common=weighing.common,
            at_least=weighing.at_least,
            rare_words=weighing.rare_words,
        )
        passed = [one.key for one in ranked if one.coverage >= weighing.min_coverage]
        scores.append(score(passed[:50], question.evidence))
        kept.append(len(passed) / len(by_user[question.user_id]))
    documents = [text for mine in by_user.values() for text in mine.values()]
    return Outcome(scores=scores, kept=float(np.mean(kept)), postings=postings(documents))


def table(title: str, outcomes: dict[str, dict[str, float]]) -> Table:
    drawn = Table(
        title=title,
        caption="pass: share of the user's memories that do; words: different ones of a memory",
    )
    drawn.add_column("", no_wrap=True)
    for head in ("@5", "@10", "MRR", "empty", "pass", "words"):
        drawn.add_column(head, justify="right", no_wrap=True)
    for name, means in outcomes.items():
        drawn.add_row(
            name,
            *(f"{means[key]:.3f}" for key in ("recall_5", "recall_10", "mrr")),
            f"{means['empty']:.1%}",
            f"{means['kept']:.0%}",
            f"{means['postings_per_memory']:.1f}",
        )
    return drawn


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.words", description=__doc__)
    parser.add_argument(
        "--sets", nargs="+", default=["memdaily_user", "madial_zh", "locomo_obs"], choices=SETS
    )
    parser.add_argument("--limit", type=int, help="questions per set, spread evenly")
    parser.add_argument("--data", type=Path, help="folder of the evaluation data (AIMEMORY_DATA)")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    folder = data_folder(options.data)
    console = Console()
    results: dict[str, Any] = {}
    with (
        throwaway_server() as server,
        psycopg.connect(new_database(server, "words"), autocommit=True) as connection,
    ):
        for name in options.sets:
            data = read_set(folder, name).first(options.limit)
            texts = [memory.content for memory in data.memories]
            texts = list(dict.fromkeys(texts + [question.text for question in data.questions]))
            cuts = dict(zip(texts, cut(connection, texts), strict=True))
            by_words = {
                way: evaluate(data, cuts, words, Weighing()).summary()
                for way, words in tokenisers().items()
            }
            by_weight = {
                way: evaluate(data, cuts, as_stored, weighing).summary()
                for way, weighing in WEIGHINGS.items()
            }
            console.print(table(f"{name}: ways to cut a text into words (BM25)", by_words))
            console.print(table(f"{name}: ways to weigh them (aimemory.tokens)", by_weight))
            results[name] = {"tokenisers": by_words, "weighings": by_weight}
    console.print(f"written to {write_results('words', {'sets': results})}")


if __name__ == "__main__":
    main()
