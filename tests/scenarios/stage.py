"""Where a scenario is played: a store, its database, and a clock that the steps set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row, scalar_row

from aimemory import MemoryRepository, MemoryStore
from aimemory.context import Context
from aimemory.records import WriteResult
from script import Step, document, offset

WORD_FOR_WORD = ("turns", "recall_log")
"""Tables that hold what was said and asked, and are no memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One stored memory, live or archived."""

    memory_id: UUID
    user_id: str
    content: str
    memory_type: str
    importance: float
    slot: str | None
    entities: list[str]
    evidence: str | None
    metadata: dict[str, Any]
    status: str
    superseded_by: UUID | None
    standing: bool
    archived: bool

    @property
    def is_live(self) -> bool:
        return self.status == "active" and not self.archived


def messages(turns: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """Return turns as a chat API writes them."""
    return [{"role": turn["role"], "content": turn["text"]} for turn in turns]


class Stage:
    """Does what the steps say, and looks at what came of it."""

    def __init__(self, store: MemoryStore, url: str) -> None:
        self.store = store
        self._connection = psycopg.connect(url, autocommit=True)
        self._repository = MemoryRepository(self._connection)
        self._warm: list[tuple[datetime, str, UUID]] = []
        self._users: set[str] = set()

    def close(self) -> None:
        self._connection.close()

    def user(self, step: Step) -> str:
        """Return who speaks; every user lives in the time zone of the file."""
        user = str(step.get("user", "user"))
        if user not in self._users:
            self._repository.set_user(user, time_zone=document()["timezone"])
            self._users.add(user)
        return user

    # --- what a step does ------------------------------------------------------------------

    def say(self, step: Step) -> list[WriteResult]:
        self._keep_warm(step.at)
        return self.store.remember(
            self.user(step), messages(step["turns"]), session_id=step["session"], at=step.at
        )

    def add_bulk(self, step: Step) -> dict[str, UUID]:
        """Store the numbered memories of a step; return their ids by key."""
        bulk = step["bulk_insert"]
        numbers = range(1, bulk["count"] + 1)
        items = [
            {
                "content": bulk["content"].format(i=number),
                "memory_type": bulk["type"],
                "importance": bulk["importance"],
                "entities": bulk["entities"],
                "slot": bulk["slot"].format(i=number),
                "created_at": step.at,
            }
            for number in numbers
        ]
        results = self.store.add_many(self.user(step), items)
        return {
            f"{bulk['prefix']}{number}": result.memory_id
            for number, result in zip(numbers, results, strict=True)
            if result.action == "inserted" and result.memory_id
        }

    def keep_warm(self, step: Step, memory_id: UUID) -> None:
        """Note when a memory will be used; that happens as the clock gets there."""
        every, until = offset(step["keep_warm"]["every"]), offset(step["keep_warm"]["until"])
        for time in range(1, until // every + 1):
            self._warm.append((step.at + time * every, self.user(step), memory_id))

    def upkeep(self, at: datetime) -> None:
        """Run the job that archives, until nothing is due."""
        self._keep_warm(at)
        with self._connection.cursor(row_factory=scalar_row) as cursor:
            while cursor.execute("select aimemory.archive_due(as_of => %s)", [at]).fetchone():
                pass

    def recall(self, step: Step, entities: Iterable[str] | None = None) -> Context:
        """Ask; this writes nothing but the recall log."""
        self._keep_warm(step.at)
        user = self.user(step)
        if step.get("recent"):
            recent = messages(step["recent"])
            self.store.record(user, step["session"], recent, at=step.at, learn=False)
        return self.store.context(
            user, step["query"], session_id=step["session"], entities=entities, as_of=step.at
        )

    def use(self, step: Step, context: Context) -> None:
        """Count the use of what was given, as a store does that runs by the real clock."""
        used = [memory.memory_id for memory in context.profile]
        used += [hit.memory_id for hit in context.hits if hit.content in context.text]
        self._repository.touch(self.user(step), used, as_of=step.at)

    def _keep_warm(self, until: datetime) -> None:
        due = [use for use in self._warm if use[0] <= until]
        self._warm = [use for use in self._warm if use[0] > until]
        for at, user, memory_id in due:
            self._repository.touch(user, [memory_id], as_of=at)

    # --- what is in the database -----------------------------------------------------------

    def rows(self, user: str | None = None) -> dict[UUID, Row]:
        """Return all memories by id, those of one user if one is named."""
        with self._connection.cursor(row_factory=dict_row) as cursor:
            found = cursor.execute(
                "select memory_id, user_id, content, memory_type, importance, slot, entities,"
                " evidence, metadata, status, superseded_by, standing,"
                " archived_at is not null as archived"
                " from aimemory.all_memories where user_id = %s or %s::text is null",
                [user, user],
            ).fetchall()
        return {row["memory_id"]: Row(**row) for row in found}

    def live(self, user: str) -> list[Row]:
        return [row for row in self.rows(user).values() if row.is_live]

    def memory_state(self) -> list[str]:
        """Return all that a recall must not change."""
        return self._texts(["memories", "memory_access", "archive", "memory_revisions"])

    def everything(self, *, words_too: bool) -> str:
        """Return every row of every table as text, with or without what was said and asked."""
        with self._connection.cursor(row_factory=scalar_row) as cursor:
            tables = cursor.execute(
                "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                " where n.nspname = 'aimemory' and c.relkind in ('r', 'p')"
            ).fetchall()
        return "\n".join(
            self._texts(table for table in tables if words_too or table not in WORD_FOR_WORD)
        )

    def _texts(self, tables: Iterable[str]) -> list[str]:
        with self._connection.cursor(row_factory=scalar_row) as cursor:
            return [
                text
                for table in tables
                for text in cursor.execute(
                    f"select t::text from aimemory.{table} t order by 1".encode()
                ).fetchall()
            ]
