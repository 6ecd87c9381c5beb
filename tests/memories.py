"""Short ways to call the SQL functions, for tests that are about one of them.

Every function goes through `call`: names and values as PostgreSQL sees them, rows
as dictionaries. Vectors are written as tuples and belong to the model "tiny", whose
scale is the plain cosine (floor 0, ceiling 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from math import sqrt
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row, scalar_row
from psycopg.types.json import Jsonb

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MODEL = "tiny"
# What the driver would not send as the type that the function takes.
CASTS = {
    "vectors": "text[]::halfvec[]",
    "query_vector": "halfvec",
    "near_vector": "halfvec",
    "embedding": "halfvec",
    "metadata_filter": "jsonpath",
    "wanted": "uuid[]",
    "targets": "uuid[]",
    "given": "uuid[]",
    "about": "text[]",
    "entities": "text[]",
    "of_memory": "text[]",
    "of_question": "text[]",
    "old_words": "tsvector",
    "new_words": "tsvector",
    "older_than": "timestamptz",
}

Row = dict[str, Any]
Vector = Sequence[float]


def call(db: psycopg.Connection, function: str, **named: Any) -> list[Row]:
    """Return the rows of ``select * from aimemory.function(name => value, …)``."""
    arguments = sql.SQL(", ").join(
        sql.SQL("{} => {}{}").format(
            sql.Identifier(name),
            sql.Placeholder(name),
            sql.SQL(f"::{CASTS[name]}" if name in CASTS else ""),
        )
        for name in named
    )
    statement = sql.SQL("select * from aimemory.{}({})").format(sql.Identifier(function), arguments)
    values = {name: Jsonb(v) if isinstance(v, dict) else v for name, v in named.items()}
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement, values).fetchall()


def value(db: psycopg.Connection, function: str, **named: Any) -> Any:
    """Return the one value that a function returns."""
    (row,) = call(db, function, **named)
    (only,) = row.values()
    return only


def ask(db: psycopg.Connection, query: str, *parameters: Any) -> list[Any]:
    """Return the one column of a query as a list."""
    with db.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(query.encode(), parameters).fetchall()


def rows(db: psycopg.Connection, query: str, *parameters: Any) -> list[Row]:
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), parameters).fetchall()


def row(db: psycopg.Connection, table: str, memory_id: UUID, user: str = "ann") -> Row:
    """Return the one row of a memory in a table."""
    query = f"select * from aimemory.{table} where user_id = %s and memory_id = %s"
    (found,) = rows(db, query, user, memory_id)
    return found


def count(db: psycopg.Connection, table: str, user: str = "ann") -> int:
    (number,) = ask(db, f"select count(*) from aimemory.{table} where user_id = %s", user)
    return int(number)


def text_of(vector: Vector) -> str:
    return f"[{','.join(map(str, vector))}]"


def at_cosine(cosine: float) -> Vector:
    """A vector with this cosine to (1, 0, 0)."""
    return (cosine, sqrt(1 - cosine * cosine), 0)


def know_model(db: psycopg.Connection, model: str = MODEL, size: int = 3, **named: Any) -> bool:
    return bool(value(db, "register_model", new_model=model, vector_size=size, **named))


def add(
    db: psycopg.Connection,
    content: str,
    user: str = "ann",
    *,
    vector: Vector | None = None,
    at: datetime = NOW,
    **named: Any,
) -> Row:
    """Store one memory; return the row that add_memory returns."""
    if vector is not None:
        know_model(db, size=len(vector))
        named |= {"vectors": [text_of(vector)], "vector_model": MODEL}
    (done,) = call(db, "add_memory", for_user=user, new_content=content, as_of=at, **named)
    return done


def remember(db: psycopg.Connection, content: str, user: str = "ann", **named: Any) -> UUID:
    """Store one memory; return its id."""
    memory_id: UUID = add(db, content, user, **named)["memory_id"]
    return memory_id


def recall(
    db: psycopg.Connection,
    question: str | None = None,
    user: str = "ann",
    *,
    vector: Vector | None = None,
    at: datetime | None = NOW,
    **named: Any,
) -> list[Row]:
    if vector is not None:
        named["query_vector"] = text_of(vector)
    return call(db, "recall", for_user=user, query_text=question, as_of=at, **named)


def contents(found: list[Row]) -> list[str]:
    return [hit["content"] for hit in found]


def ids(found: list[Row]) -> list[UUID]:
    return [hit["memory_id"] for hit in found]


def snapshot(db: psycopg.Connection, *without: str) -> dict[str, list[str]]:
    """Everything in every table of the schema."""
    tables = ask(
        db,
        "select relname from pg_class where relkind = 'r' and relnamespace ="
        " 'aimemory'::regnamespace order by 1",
    )
    return {
        table: sorted(
            ask(
                db,
                f"select (to_jsonb(t) - %s::text[])::text from aimemory.{table} t",
                list(without),
            )
        )
        for table in tables
    }


@contextmanager
def refused(db: psycopg.Connection, sqlstate: str, match: str | None = None) -> Iterator[None]:
    """Expect an error of that SQLSTATE, and undo what led to it."""
    with pytest.raises(psycopg.Error, match=match) as caught, db.transaction():
        yield
    assert caught.value.sqlstate == sqlstate


def forget(db: psycopg.Connection, user: str = "ann", **named: Any) -> Row:
    """Erase; return the receipt."""
    (receipt,) = call(db, "forget", for_user=user, **named)
    return receipt


def erase(db: psycopg.Connection, memory_id: UUID, user: str = "ann") -> bool:
    """Erase one memory; return whether there was one."""
    receipt = forget(db, user, wanted=[memory_id])
    return bool(receipt["memories"] + receipt["archived"])


def fill_all(db: psycopg.Connection, model: str, vector: Vector) -> None:
    """Give every memory that lacks one a vector of a model: what reembed does."""
    for lacking in call(db, "missing_vectors", for_model=model):
        filled = value(
            db,
            "fill_vectors",
            for_user=lacking["user_id"],
            target=lacking["memory_id"],
            embedded_text=lacking["content"],
            vectors=[text_of(vector)],
            vector_model=model,
        )
        assert filled


def clock(db: psycopg.Connection) -> datetime:
    """What now() is in this transaction: views have no other time."""
    (moment,) = ask(db, "select now()")
    return moment.astimezone(UTC)


def view(db: psycopg.Connection, name: str, order: str = "1", **equal: Any) -> list[Row]:
    """Return the rows of a view that have these values, in an order."""
    conditions = " and ".join(f"{column} = %({column})s" for column in equal) or "true"
    query = f"select * from aimemory.{name} where {conditions} order by {order}"
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), equal).fetchall()


def columns_of(found: list[Row], *names: str) -> list[tuple[Any, ...]]:
    """Return some columns of rows as tuples."""
    return [tuple(row[name] for name in names) for row in found]
