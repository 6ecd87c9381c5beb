"""What the nightly job reads and how it disturbs recall, with one in a hundred memories due.

``python -m benchmarks.upkeep --rows 1000000``: pages that the job touches, beside a pass
over all memories that asks of each whether it is due; and the p95 of recall while the
job runs, beside the p95 without it, in turns.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
from rich.console import Console
from rich.table import Table

from aimemory import MemoryRepository
from benchmarks.databases import new_database, throwaway_server
from benchmarks.measures import p50, p95, timed, write_results
from benchmarks.synthetic import AS_OF, BIG, MIDDLE, MODEL, Corpus, load

# All were used yesterday, but for one in a hundred, which was not used since it was said.
USES = """
update aimemory.memory_access a
   set last_access_at = case when m.due then m.created_at else %(as_of)s - interval '1 day' end,
       due_at = case when m.due then %(as_of)s - interval '1 hour'
                     else %(as_of)s + interval '33 days' end
  from (select m.user_id, m.memory_id, m.created_at,
               row_number() over (order by m.memory_id) %% 100 = %(which)s
                   and m.created_at < %(as_of)s - interval '40 days' as due
          from aimemory.memories m) m
 where a.user_id = m.user_id and a.memory_id = m.memory_id
   and (m.due or %(which)s = 0)
"""
# What the job would have to ask without a stored date.
FULL_PASS = """
select count(*)
  from aimemory.memories m
  join aimemory.memory_types t on t.memory_type = m.memory_type
  left join aimemory.memory_access a on a.user_id = m.user_id and a.memory_id = m.memory_id
 where not m.pinned
   and aimemory.effective_importance(
           m.importance, t.decay_factor,
           case when m.importance >= t.decay_floor_from then t.decay_floor end,
           greatest(m.last_confirmed_at, m.created_at, m.event_at, a.last_access_at), %s) < 0.3
"""
# How the job chooses a batch.
FINDING = """
select count(d.user_id || d.memory_id)
  from (select a.user_id, a.memory_id from aimemory.memory_access a
         where a.due_at <= %s order by a.due_at) d
"""
PAGES = """
select relname,
       heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
  from pg_statio_user_tables where schemaname = 'aimemory'
"""
JOB = f"call aimemory.maintain('archive_due', as_of => '{AS_OF.isoformat()}')"
WORKER = "import psycopg, sys; psycopg.connect(sys.argv[1], autocommit=True).execute(sys.argv[2])"


def pages(connection: psycopg.Connection, work: Callable[[], object]) -> Counter[str]:
    """Return how many pages of each table and its indexes some work touches."""

    def read() -> Counter[str]:
        connection.execute("select pg_stat_force_next_flush()")
        connection.execute("select 1")
        return Counter(dict(connection.execute(PAGES).fetchall()))

    before = read()
    work()
    return read() - before


def scalar(connection: psycopg.Connection, query: str, *values: object) -> int:
    row = connection.execute(query.encode(), values).fetchone()
    return int(row[0]) if row else 0


def recalls(
    connection: psycopg.Connection, corpus: Corpus, more: Callable[[], bool]
) -> list[float]:
    """Return the milliseconds of recalls of two users, in turns, for as long as ``more`` says."""
    repository = MemoryRepository(connection)

    def recall(user_id: str) -> object:
        return repository.recall(
            user_id, corpus.question(), vector=corpus.vector(), model=MODEL, as_of=AS_OF
        )

    taken: list[float] = []
    while more():
        user_id = (MIDDLE, BIG)[len(taken) % 2][0]
        taken.append(timed(partial(recall, user_id))[1])
    return taken


def reading(connection: psycopg.Connection) -> dict[str, Any]:
    """Return the pages that a run touches, with nothing due and with one in a hundred."""

    def run() -> None:
        connection.execute(JOB.encode())

    # It reads pages too, and the counters do not tell whose.
    connection.execute("alter system set autovacuum = off")
    connection.execute("select pg_reload_conf()")
    result: dict[str, Any] = {
        "pages_full_pass": pages(connection, lambda: scalar(connection, FULL_PASS, AS_OF)).total(),
        "pages_nothing_due": pages(connection, run).total(),
    }
    connection.execute(USES.encode(), {"as_of": AS_OF, "which": 1})
    connection.execute("vacuum analyze")
    result["due"] = scalar(connection, "select aimemory.archive_due(null, true, %s)", AS_OF)
    result["pages_finding"] = pages(connection, lambda: scalar(connection, FINDING, AS_OF)).total()
    moves, milliseconds = timed(lambda: pages(connection, run))
    result["pages_run"] = moves.total()
    result["pages_run_by_table"] = dict(moves.most_common())
    result["seconds"] = milliseconds / 1000
    return result


def disturbing(connection: psycopg.Connection, url: str, seconds: float) -> dict[str, Any]:
    """Return how long recall takes without the job and beside it, before, between and after."""
    corpus = Corpus(seed=3)
    recalls(connection, corpus, until(5))
    alone = recalls(connection, corpus, until(seconds))
    worker = subprocess.Popen([sys.executable, "-c", WORKER, url, JOB])
    beside = recalls(connection, corpus, lambda: worker.poll() is None)
    alone += recalls(connection, corpus, until(seconds))
    return {
        "recalls_alone": len(alone),
        "recalls_beside": len(beside),
        "p50_alone_ms": p50(alone),
        "p95_alone_ms": p95(alone),
        "p50_beside_ms": p50(beside),
        "p95_beside_ms": p95(beside),
    }


def until(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() < end


def measure(url: str, rows: int, seconds: float) -> dict[str, Any]:
    with psycopg.connect(url, autocommit=True) as connection:
        load(connection, rows)
        _, refresh_ms = timed(
            lambda: connection.execute(
                b"call aimemory.maintain('refresh_due_dates', as_of => %s)", [AS_OF]
            )
        )
        connection.execute(USES.encode(), {"as_of": AS_OF, "which": 0})
        connection.execute("vacuum analyze")
        beside = disturbing(connection, url, seconds)
        return {
            "rows": rows,
            "refresh_seconds": refresh_ms / 1000,
            **beside,
            **reading(connection),
        }


def table(result: dict[str, Any]) -> Table:
    whole = result["pages_full_pass"]
    drawn = Table(title=f"upkeep of {result['rows']:,} memories, {result['due']:,} of them due")
    drawn.add_column("")
    drawn.add_column("", justify="right")
    drawn.add_column("ratio", justify="right")
    drawn.add_row("pages read by a pass over all", f"{whole:,}", "1")
    for name, key in (
        ("pages of a run with nothing due", "pages_nothing_due"),
        ("pages read to find what is due", "pages_finding"),
        ("pages of the whole run, moves included", "pages_run"),
    ):
        drawn.add_row(name, f"{result[key]:,}", f"{result[key] / whole:.4f}")
    each = result["pages_run"] / result["due"]
    drawn.add_row("pages of the run, by memory that moved", f"{each:.0f}")
    drawn.add_row("seconds to archive them", f"{result['seconds']:.1f}")
    drawn.add_row("seconds to renew every due date", f"{result['refresh_seconds']:.1f}")
    for share in ("p50", "p95"):
        alone, beside = result[f"{share}_alone_ms"], result[f"{share}_beside_ms"]
        drawn.add_row(f"recall {share} without the job, ms", f"{alone:.1f}", "1")
        drawn.add_row(
            f"recall {share} beside the job, ms", f"{beside:.1f}", f"{beside / alone:.2f}"
        )
    return drawn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=30, help="of recalls without the job")
    arguments = parser.parse_args()
    with throwaway_server() as server:
        url = new_database(server, "upkeep")
        result = measure(url, arguments.rows, arguments.seconds)
    Console().print(table(result))
    Console().print(f"written to {write_results('upkeep', result)}")


if __name__ == "__main__":
    main()
