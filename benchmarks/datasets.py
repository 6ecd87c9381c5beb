"""The retrieval sets, read by path from outside the repository and never copied into it.

`RULES` says for each set what ``created_at`` of a memory is, because a timestamp that
tells nothing about recency would be scored as if it did.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
ONE_TIME = datetime(2024, 6, 1, tzinfo=UTC)
RULES = {
    "memdaily_user": "one time for all: its timestamps restart with every trajectory",
    "mempal_pref_zh": "one time for all: it has no timestamps",
    "madial_zh": "the day of the event",
    "madial_en": "the day of the event",
    "locomo_obs": "the time of the session",
    "locomo_turns": "the time of the session",
    "realmem": "the day of the session, plus seq seconds; a question is asked as of its seq",
}
SETS = tuple(RULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory:
    """A memory of a set, as it will be added."""

    user_id: str
    key: str
    """Its id in the set."""
    content: str
    created_at: datetime
    speaker: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a set, with what has to be found."""

    user_id: str
    text: str
    evidence: tuple[tuple[str, ...], ...]
    """Groups of keys; a group is found when any of its memories is."""
    category: str
    asked_at: datetime | None
    """When it was asked, where the set makes that part of the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSet:
    """The memories of some users and questions about them."""

    name: str
    memories: tuple[StoredMemory, ...]
    questions: tuple[Question, ...]

    def first(self, limit: int | None) -> RetrievalSet:
        """Return every nth question, ``limit`` in all, with the memories of their users."""
        if limit is None or limit >= len(self.questions):
            return self
        questions = self.questions[:: -(-len(self.questions) // limit)]
        users = {question.user_id for question in questions}
        memories = tuple(memory for memory in self.memories if memory.user_id in users)
        return RetrievalSet(name=self.name, memories=memories, questions=questions)

    def last_time(self, user_id: str | None = None) -> datetime:
        """Return when the newest memory was made, of one user or of all."""
        return max(
            memory.created_at for memory in self.memories if user_id in (None, memory.user_id)
        )


def data_folder(given: Path | None) -> Path:
    """Return the folder with the evaluation data, or end the program saying how to name it."""
    named = os.environ.get("AIMEMORY_DATA")
    folder = given or (Path(named) if named else CHECKOUT.parent / "shared" / "data")
    if not (folder / "retrieval").is_dir():
        raise SystemExit(
            f"no evaluation data in {folder}: name the folder that holds retrieval/ with "
            "--data DIR or the environment variable AIMEMORY_DATA"
        )
    return folder


def read_set(folder: Path, name: str) -> RetrievalSet:
    """Read one set; ``folder`` is what `data_folder` returns."""
    place = folder / "retrieval" / name
    memories = list(_lines(place / "memories.jsonl"))
    moments = _moments(name, memories)
    return RetrievalSet(
        name=name,
        memories=tuple(
            StoredMemory(
                user_id=f"{name}/{line['user_id']}",
                key=line["memory_id"],
                content=line["content"],
                created_at=_created_at(name, line, moments),
                speaker=line.get("speaker"),
            )
            for line in memories
        ),
        questions=tuple(
            Question(
                user_id=f"{name}/{line['user_id']}",
                text=line["question"],
                evidence=_groups(line),
                category=line["category"],
                asked_at=_asked_at(line, moments),
            )
            for line in _lines(place / "questions.jsonl")
        ),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _groups(line: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    groups: Iterable[Iterable[str]] = line.get("evidence_groups") or [
        [key] for key in line["evidence"]
    ]
    return tuple(tuple(group) for group in groups)


Moments = dict[str, list[tuple[int, datetime]]]


def _moments(name: str, memories: list[dict[str, Any]]) -> Moments:
    """Return when each session of each realmem user took place, in the order of ``seq``.

    Days alone would tie sessions, and one is dated before its predecessor; ``seq`` decides.
    """
    if name != "realmem":
        return {}
    days: dict[str, dict[int, datetime]] = {}
    for line in memories:
        days.setdefault(line["user_id"], {})[line["seq"]] = _utc(line["timestamp"])
    moments: Moments = {}
    for user_id, by_seq in days.items():
        latest = min(by_seq.values())
        for seq in sorted(by_seq):
            latest = max(latest, by_seq[seq])
            moments.setdefault(user_id, []).append((seq, latest + timedelta(seconds=seq)))
    return moments


def _created_at(name: str, line: dict[str, Any], moments: Moments) -> datetime:
    if name in ("memdaily_user", "mempal_pref_zh"):
        return ONE_TIME
    if name == "realmem":
        return dict(moments[line["user_id"]])[line["seq"]]
    return _utc(line["timestamp"])


def _asked_at(line: dict[str, Any], moments: Moments) -> datetime | None:
    if line["user_id"] not in moments:
        return None
    return max(moment for seq, moment in moments[line["user_id"]] if seq <= line["seq"])


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
