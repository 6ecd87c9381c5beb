"""How long it takes to erase a user of 10,000 memories, and parts of one.

``python -m benchmarks.erasure``: among other users, with vectors of 384 dimensions,
postings, a log of recalls and turns. A rehearsal is timed too: it does the same work.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import psycopg
from rich.console import Console
from rich.table import Table

from aimemory import MemoryRepository
from benchmarks.databases import new_database, throwaway_server
from benchmarks.measures import timed, write_results
from benchmarks.synthetic import BIG, MIDDLE, load

TALK = """
insert into aimemory.sessions (user_id, session_id, started_at, last_turn_at, turn_count)
select user_id, 's', now(), now(), 1 from aimemory.users;
insert into aimemory.turns (user_id, session_id, turn_no, role, content, said_at)
select user_id, 's', row_number() over (partition by user_id), 'user', 'I said: ' || content, now()
  from aimemory.memories;
insert into aimemory.memory_revisions (user_id, memory_id, revision, action, content, changed_at)
select user_id, memory_id, 1, 'added', content, now() from aimemory.memories;
insert into aimemory.recall_log (user_id, recall_id, recalled_at, query, candidates, injected_ids)
select user_id, gen_random_uuid(), now(), 'about ' || content,
       jsonb_build_array(jsonb_build_object('memory_id', memory_id)), array[memory_id]
  from aimemory.memories;
update aimemory.memories set tags = array['half']
 where memory_id < '80000000-0000-0000-0000-000000000000';
"""


def cases(connection: psycopg.Connection) -> dict[str, dict[str, Any]]:
    """Return what is forgotten, each from the whole of the user."""
    row = connection.execute(
        "select memory_id from aimemory.memories where user_id = %s limit 1", [BIG[0]]
    ).fetchone()
    assert row is not None
    return {
        "one memory of 10,000": {"user_id": BIG[0], "memory_ids": [row[0]]},
        "by two words, of 1,000": {"user_id": MIDDLE[0], "containing": "w00001 w00002"},
        "half of 1,000, by tag": {"user_id": MIDDLE[0], "tags": ["half"]},
        "half of 10,000, by tag": {"user_id": BIG[0], "tags": ["half"]},
        "everything of 10,000": {"user_id": BIG[0], "everything": True},
    }


def measure(connection: psycopg.Connection) -> list[dict[str, Any]]:
    lines = []
    repository = MemoryRepository(connection)
    for name, filters in cases(connection).items():
        _, rehearsed = timed(partial(repository.forget, **filters, dry_run=True))
        with connection.transaction(force_rollback=True):
            receipt, taken = timed(partial(repository.forget, **filters))
        lines.append(
            {
                "what": name,
                "memories": receipt.memories,
                "terms": receipt.terms,
                "turns": receipt.turns,
                "rehearsal_ms": rehearsed,
                "ms": taken,
            }
        )
    return lines


def table(lines: list[dict[str, Any]], rows: int) -> Table:
    drawn = Table(title=f"milliseconds to erase, among {rows:,} memories")
    for head in ("", "memories", "postings", "turns", "rehearsal", "run"):
        drawn.add_column(head, justify="right" if head else "left", no_wrap=True)
    for line in lines:
        numbers = (line["memories"], line["terms"], line["turns"])
        times = (line["rehearsal_ms"], line["ms"])
        drawn.add_row(line["what"], *(f"{n:,}" for n in numbers), *(f"{t:,.0f}" for t in times))
    return drawn


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.erasure", description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000, help="memories of the database")
    options = parser.parse_args()
    console = Console()
    with throwaway_server() as server:
        url = new_database(server, "erasure")
        with psycopg.connect(url, autocommit=True) as connection:
            _, taken = timed(partial(load, connection, options.rows))
            console.print(f"loaded {options.rows:,} memories in {taken / 1000:.0f} s")
            connection.execute(TALK.encode())
            connection.execute("vacuum analyze")
            lines = measure(connection)
    console.print(table(lines, options.rows))
    path = write_results("erasure", {"options": vars(options), "lines": lines})
    console.print(f"written to {path}")


if __name__ == "__main__":
    main()
