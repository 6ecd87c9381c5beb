"""Vectors in their own table or in the row of the memory: ``python -m benchmarks.storage``.

For docs/decisions/0001. The same memories twice in one database: as the library keeps
them (aimemory.memories and aimemory.memory_vectors) and in one wide table, each with an
index that covers a scan of one user's vectors.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import psycopg
from rich.console import Console
from rich.table import Table

from benchmarks.databases import new_database, throwaway_server
from benchmarks.measures import p50, timed, write_results
from benchmarks.synthetic import BIG, MODEL, Corpus, load

NEXT_MODEL = "synthetic-next"
WARMING_UP = 5
WIDE = """
    create schema bench;
    create table bench.memories (like aimemory.memories including all);
    alter table bench.memories add column model_id text, add column embedding halfvec;
    insert into bench.memories
    select m.*, v.model_id, v.embedding
      from aimemory.memories m
      join aimemory.memory_vectors v using (user_id, memory_id)
     order by m.ctid;
    create index memories_scan_idx on bench.memories (user_id, model_id, memory_id)
        include (embedding);
    vacuum analyze;
"""
UPDATE = """
    update {memories} m
       set confirm_count = m.confirm_count + 1, last_confirmed_at = now()
     where m.user_id = %(user_id)s and m.memory_id = %(memory_id)s
"""
SCAN = """
    select v.memory_id
      from {vectors} v
     where v.user_id = %(user_id)s and v.model_id = %(model)s {live}
     order by v.embedding <=> %(vector)s::halfvec
     limit 50
"""
WITH_CONTENT = """
    select n.memory_id, m.content
      from ({scan}) n
     cross join lateral (
           select m.content from {memories} m
            where m.user_id = %(user_id)s and m.memory_id = n.memory_id limit 1) m
"""
NEW_VECTORS = """
    insert into aimemory.memory_vectors (user_id, model_id, cold, memory_id, chunk, embedding)
    select v.user_id, '{model}', v.cold, v.memory_id, v.chunk, v.embedding
      from aimemory.memory_vectors v
"""
NEW_VECTORS_IN_ROWS = """
    update bench.memories m
       set model_id = '{model}', embedding = v.embedding
      from aimemory.memory_vectors v
     where v.user_id = m.user_id and v.memory_id = m.memory_id and v.model_id = m.model_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where memories and vectors are."""

    name: str
    memories: str
    vectors: str
    live: str
    """What tells live vectors from archived ones."""

    def statement(self, template: str) -> bytes:
        scan = SCAN.format(vectors=self.vectors, live=self.live)
        return template.format(memories=self.memories, scan=scan).encode()


APART = Layout(
    name="own table",
    memories="aimemory.memories",
    vectors="aimemory.memory_vectors",
    live="and not v.cold and v.indexable",
)
TOGETHER = Layout(name="in the row", memories="bench.memories", vectors="bench.memories", live="")
LAYOUTS = (APART, TOGETHER)
Lines = dict[str, dict[str, float]]
"""What was measured, by name and layout."""


class Bench:
    """Both layouts in one database."""

    def __init__(self, connection: psycopg.Connection, rows: int) -> None:
        self._connection = connection
        self._corpus = Corpus(seed=7)
        load(connection, rows)
        for statement in WIDE.split(";"):
            if statement.strip():
                connection.execute(statement.encode())
        for table in ("aimemory.memories", "aimemory.memory_vectors", "bench.memories"):
            connection.execute(f"alter table {table} set (autovacuum_enabled = off)".encode())
        found = connection.execute(
            "select memory_id from aimemory.memories where user_id = %s order by random()",
            (BIG[0],),
        )
        self._ids: list[UUID] = [row[0] for row in found]
        self._rows = rows

    def bytes_per_memory(self) -> Lines:
        apart = self._size("aimemory.memories"), self._size("aimemory.memory_vectors")
        wide = self._size("bench.memories")
        return {
            "bytes per memory": {
                APART.name: sum(apart) / self._rows,
                TOGETHER.name: wide / self._rows,
            },
            "of them without the vectors": {APART.name: apart[0] / self._rows},
        }

    def scans(self, title: str, rounds: int) -> Lines:
        """Return milliseconds of the exact scan, and of the scan with the texts it found."""
        times: dict[tuple[str, str], list[float]] = {}
        for number in range(rounds + WARMING_UP):
            vector = str(self._corpus.vector().astype("f2").tolist())
            given = {"user_id": BIG[0], "model": MODEL, "vector": vector}
            for name, template in ((title, "{scan}"), (f"{title}, with texts", WITH_CONTENT)):
                for layout in LAYOUTS:
                    _, taken = timed(partial(self._fetch, layout.statement(template), given))
                    if number >= WARMING_UP:
                        times.setdefault((name, layout.name), []).append(taken)
        lines: Lines = {}
        for (name, layout_name), taken_all in times.items():
            lines.setdefault(f"{name}, ms", {})[layout_name] = p50(taken_all)
        return lines

    def updates(self, count: int) -> Lines:
        """Confirm memories one by one, right after a checkpoint as most pages are when changed."""
        written: dict[str, list[float]] = {}
        taken: dict[str, list[float]] = {}
        chosen, self._ids = self._ids[:count], self._ids[count:]
        self._connection.execute("checkpoint")
        for memory_id in chosen:
            given = {"user_id": BIG[0], "memory_id": memory_id}
            for layout in LAYOUTS:
                update = partial(self._connection.execute, layout.statement(UPDATE), given)
                started = self._lsn()
                taken.setdefault(layout.name, []).append(timed(update)[1])
                written.setdefault(layout.name, []).append(self._lsn() - started)
        return {
            "an update, bytes of WAL": {name: sum(each) / count for name, each in written.items()},
            "an update, ms": {name: p50(each) for name, each in taken.items()},
        }

    def switch_of_model(self) -> Lines:
        """Give every memory a vector of another model and make that model the active one."""
        run = self._connection.execute
        run("select aimemory.register_model(%s, 384::integer)", (NEXT_MODEL,))
        added = self._cost(NEW_VECTORS.format(model=NEXT_MODEL))
        run("vacuum analyze aimemory.memory_vectors")
        switched = self._cost(f"select aimemory.activate_model('{NEXT_MODEL}')")
        rewritten = self._cost(NEW_VECTORS_IN_ROWS.format(model=NEXT_MODEL))
        lines: Lines = {}
        for name, apart in (("new vectors for all", added), ("the switch", switched)):
            for unit, own, wide in zip(("ms", "WAL kB"), apart, rewritten, strict=True):
                lines[f"{name}, {unit}"] = {APART.name: own, TOGETHER.name: wide}
        return lines

    def _cost(self, statement: str) -> tuple[float, float]:
        """Return the milliseconds of a statement, and the kB of WAL that it wrote."""
        self._connection.execute("checkpoint")
        started = self._lsn()
        _, taken = timed(lambda: self._connection.execute(statement.encode()))
        return taken, (self._lsn() - started) / 1e3

    def _fetch(self, statement: bytes, given: Mapping[str, object]) -> list[object]:
        return list(self._connection.execute(statement, given).fetchall())

    def _lsn(self) -> float:
        return self._number("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn")

    def _size(self, table: str) -> float:
        return self._number(f"select pg_total_relation_size('{table}')")

    def _number(self, query: str) -> float:
        row = self._connection.execute(query.encode()).fetchone()
        assert row is not None
        return float(row[0])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.storage", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000, help="memories in the database")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--updates", type=int, default=1000)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    console = Console()
    with (
        throwaway_server() as server,
        psycopg.connect(new_database(server, "storage"), autocommit=True) as connection,
    ):
        bench = Bench(connection, options.rows)
        lines = {
            **bench.bytes_per_memory(),
            **bench.scans("scan of 10,000", options.rounds),
            **bench.updates(options.updates),
            **bench.scans("scan after the updates", options.rounds),
            **bench.switch_of_model(),
        }
    drawn = Table(
        title=f"{options.rows:,} memories, vectors of 384 dimensions",
        caption="read times as ratios; they belong to this run",
    )
    drawn.add_column("")
    for head in (APART.name, TOGETHER.name, "ratio"):
        drawn.add_column(head, justify="right")
    for name, values in lines.items():
        first, second = values[APART.name], values.get(TOGETHER.name)
        cells = ["", ""] if second is None else [f"{second:,.1f}", f"{second / first:.2f}"]
        drawn.add_row(name, f"{first:,.1f}", *cells)
    console.print(drawn)
    path = write_results("storage", {"options": vars(options), "lines": lines})
    console.print(f"written to {path}")


if __name__ == "__main__":
    main()
