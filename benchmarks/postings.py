"""What ranking by words costs in SQL, from three stores: ``python -m benchmarks.postings``.

For docs/decisions/0003. The same BM25 over the same 10,000 memories of one user, whose
words are read from aimemory.memory_terms, from the tsvectors of all memories of the
user, or from the tsvectors that a GIN index finds. The index holds the user in every
lexeme, because PostgreSQL would else read the posting lists of all users.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
from rich.console import Console
from rich.progress import track
from rich.table import Table

from aimemory import MemoryRepository
from benchmarks.databases import new_database, throwaway_server
from benchmarks.measures import p50, p95, timed, write_results
from benchmarks.synthetic import AS_OF, BIG, Corpus, load

WARMING_UP = 5
SALTED = """
    create schema bench;
    create table bench.salted as
    select m.user_id, m.memory_id,
           regexp_replace(m.keywords::text, '''(w)', '''' || substr(md5(m.user_id), 1, 4) || '=\\1',
                          'g')::tsvector as words
      from aimemory.memories m;
    create index salted_words_idx on bench.salted using gin (words) with (fastupdate = off);
    vacuum analyze bench.salted;
"""
RANKED = """
    with asked as (
        select unnest(%(terms)s::text[]) as term
    ), postings as materialized ({source}
    ), frequencies as (
        select p.term, count(*)::double precision as memories from postings p group by p.term
    ), telling as (
        select f.term, ln(1 + (%(size)s - f.memories + 0.5) / (f.memories + 0.5)) as idf
          from frequencies f
         where f.memories <= %(most)s
            or not exists (select from frequencies o where o.memories <= %(most)s)
    )
    select p.memory_id
      from postings p
      join telling g on g.term = p.term
     group by p.memory_id
     order by sum(g.idf * 2.2 * p.frequency / (p.frequency + 0.3 + 0.9 * p.words / 14)) desc,
              p.memory_id
     limit 50
"""
POSTINGS = """
    select a.term, p.memory_id, p.frequency, p.words
      from asked a
     cross join lateral (
           select t.memory_id, t.frequency, t.words
             from aimemory.memory_terms t
            where t.user_id = %(user_id)s and not t.cold and t.term = a.term
            limit %(most)s + 1) p
"""
# All have 14 words; with tsvectors a column of memories would have to hold the number.
UNNESTED = """
    select w.lexeme as term, m.memory_id, cardinality(w.positions) as frequency,
           14 as words
      from aimemory.memories m
     cross join lateral unnest(m.keywords) w
     where m.user_id = %(user_id)s and w.lexeme = any (%(terms)s)
"""
FOUND_BY_INDEX = """
    select split_part(w.lexeme, '=', 2) as term, s.memory_id,
           cardinality(w.positions) as frequency, 14 as words
      from bench.salted s
     cross join lateral unnest(s.words) w
     where s.words @@ %(salted)s::tsquery and split_part(w.lexeme, '=', 2) = any (%(terms)s)
"""
MATCHED = """
    select s.memory_id from bench.salted s where s.words @@ %(salted)s::tsquery
"""
EVERYTHING = 1_000_000
"""Postings of a word to be read at most: all of them."""
WAYS = {
    "postings table": (RANKED.format(source=POSTINGS), EVERYTHING),
    "postings table, rare words": (RANKED.format(source=POSTINGS), BIG[1] // 5),
    "all tsvectors of the user": (RANKED.format(source=UNNESTED), EVERYTHING),
    "tsvectors found by GIN": (RANKED.format(source=FOUND_BY_INDEX), EVERYTHING),
    "GIN alone, not ranked": (MATCHED, EVERYTHING),
}
SIZES = {
    "memory_terms, with its index": "pg_total_relation_size('aimemory.memory_terms')",
    "tsvectors": "(select sum(pg_column_size(m.keywords)) from aimemory.memories m)",
    "GIN on salted lexemes": "pg_relation_size('bench.salted_words_idx')",
    "GIN on plain lexemes": "pg_relation_size('bench.keywords_idx')",
}


def measure(connection: psycopg.Connection, rounds: int) -> dict[str, list[float]]:
    """Time every way, and recall itself by words alone, in turns; return milliseconds."""
    corpus = Corpus(seed=6)
    times: dict[str, list[float]] = {}
    for number in track(range(rounds + WARMING_UP), description="measuring", transient=True):
        answers = {}
        for name, way in ways(connection, sorted(set(corpus.words(12)))).items():
            answers[name], taken = timed(way)
            if number >= WARMING_UP:
                times.setdefault(name, []).append(taken)
        agree(answers)
    return times


def ways(connection: psycopg.Connection, terms: list[str]) -> dict[str, Callable[[], list[Any]]]:
    """Return what is timed, for one question."""
    user_id, size = BIG
    salt = hashlib.md5(user_id.encode()).hexdigest()[:4]
    given = {
        "user_id": user_id,
        "terms": terms,
        "size": size,
        "salted": " | ".join(f"'{salt}={term}'" for term in terms),
    }

    def ask(statement: str, most: int) -> list[Any]:
        return connection.execute(statement.encode(), {**given, "most": most}).fetchall()

    repository = MemoryRepository(connection)
    return {
        **{name: partial(ask, *way) for name, way in WAYS.items()},
        "aimemory.recall, words only": lambda: repository.recall(
            user_id, " ".join(terms), as_of=AS_OF
        ),
    }


def agree(answers: dict[str, list[Any]]) -> None:
    """End the program if the stores do not give the same ranking: then times mean nothing."""
    whole = [rows for name, rows in answers.items() if name.endswith(("table", "user", "GIN"))]
    if any({*rows[:20]} != {*whole[0][:20]} for rows in whole):
        raise SystemExit("the three stores of words do not give the same best twenty memories")


def sizes(connection: psycopg.Connection, rows: int) -> dict[str, float]:
    """Return bytes per memory."""
    connection.execute("create table bench.plain as select m.keywords from aimemory.memories m")
    connection.execute("create index keywords_idx on bench.plain using gin (keywords)")
    found = {}
    for name, expression in SIZES.items():
        row = connection.execute(f"select {expression}".encode()).fetchone()
        assert row is not None
        found[name] = float(row[0]) / rows
    return found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.postings", description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000, help="memories in the database")
    parser.add_argument("--rounds", type=int, default=40)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    console = Console()
    with (
        throwaway_server() as server,
        psycopg.connect(new_database(server, "postings"), autocommit=True) as connection,
    ):
        load(connection, options.rows)
        for statement in SALTED.split(";"):
            if statement.strip():
                connection.execute(statement.encode())
        times = measure(connection, options.rounds)
        bytes_each = sizes(connection, options.rows)
    base = p50(times["postings table"])
    costs = Table(
        title="BM25 of 12 Zipf words over 10,000 memories, as a ratio",
        caption=f"1.0 is {base:.1f} ms, p50 of the postings table",
    )
    for head in ("words come from", "p50", "p95"):
        costs.add_column(head, justify="left" if head.startswith("w") else "right")
    for name, taken in times.items():
        costs.add_row(name, f"{p50(taken) / base:.2f}", f"{p95(taken) / base:.2f}")
    console.print(costs)
    storage = Table(title=f"bytes per memory of 14 words, {options.rows:,} memories")
    storage.add_column("")
    storage.add_column("bytes", justify="right")
    for name, size in bytes_each.items():
        storage.add_row(name, f"{size:,.0f}")
    console.print(storage)
    ratios = {name: {"p50": p50(t) / base, "p95": p95(t) / base} for name, t in times.items()}
    path = write_results(
        "postings",
        {"options": vars(options), "base_ms": base, "ratios": ratios, "bytes": bytes_each},
    )
    console.print(f"written to {path}")


if __name__ == "__main__":
    main()
