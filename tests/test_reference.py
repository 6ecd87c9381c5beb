"""The SQL pages: the reference says what the comments say, and every example runs."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from psycopg.types.json import Jsonb

import catalog
from aimemory import migrate
from memories import call, know_model, remember

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
EXAMPLES = [
    pytest.param(block, id=f"{page}-{number}")
    for page in ("sql-examples.md", "parameters.md")
    for number, block in enumerate(
        re.findall(r"^```sql\n(.*?)^```$", (DOCS / page).read_text("utf-8"), re.M | re.S), 1
    )
]


@pytest.fixture
def analysts_database(db: psycopg.Connection) -> psycopg.Connection:
    """Ann's memories in every state, and two questions in the log."""
    at = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 8)]
    know_model(db, "tiny", 3)
    near = {"vectors": ["[1,0,0]"], "vector_model": "tiny"}
    cat = remember(db, "我家猫叫年糕", about=["年糕/pet"], at=at[0])
    remember(db, "lives in Berlin", in_slot="user.city", at=at[1], **near)
    remember(db, "lives in Paris", in_slot="user.city", at=at[2], **near)
    remember(db, "lives with a cat", at=at[3], **near)
    remember(db, "lives with a cat", at=at[4])
    call(db, "archive_memory", for_user="ann", target=remember(db, "saw a film", at=at[5]))
    for candidates in ([{"memory_id": str(cat), "score": 0.5, "routes": ["keyword"]}], []):
        call(
            db,
            "log_recall",
            for_user="ann",
            asked="年糕怎么了",
            what_came=Jsonb(candidates),
            given=[cat] if candidates else [],
            took_ms=3.5,
        )
    return db


@pytest.mark.parametrize("block", EXAMPLES)
def test_an_example_runs_and_shows_something(
    analysts_database: psycopg.Connection, block: str
) -> None:
    cursor = analysts_database.execute(block.encode())

    results = [cursor.rowcount]
    while cursor.nextset():
        results.append(cursor.rowcount)
    assert len(results) == len(re.findall(r";$", block, re.MULTILINE))
    assert all(count > 0 for count in results)


def reference(*arguments: str) -> subprocess.CompletedProcess[str]:
    tool = ROOT / "tools" / "reference.py"
    return subprocess.run(
        [sys.executable, tool, "--check", *arguments], capture_output=True, text=True
    )


def test_the_reference_is_not_stale(database: str) -> None:
    done = reference(database)

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_comment_makes_the_reference_stale(wiped_database: str) -> None:
    migrate(wiped_database)
    with psycopg.connect(wiped_database) as connection:
        connection.execute("comment on view aimemory.all_memories is 'Something else.'")

    done = reference(wiped_database)

    assert (done.returncode, done.stdout) == (
        1,
        "stale, run python tools/reference.py: docs/sql.md\n",
    )


def test_the_reference_is_not_written_from_another_version(
    wiped_database: str,
) -> None:
    done = reference(wiped_database)

    assert done.returncode == 1
    assert "aimemory migrate" in done.stderr


@pytest.mark.heavy
def test_the_reference_can_be_made_without_a_database() -> None:
    done = reference()

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_object_has_a_heading(db: psycopg.Connection) -> None:
    headings = re.findall(r"^### (\w+)$", (DOCS / "sql.md").read_text("utf-8"), re.MULTILINE)
    relations = db.execute(
        "select relname from pg_class where relnamespace = 'aimemory'::regnamespace"
        " and relkind in ('r', 'v') and relname <> 'alembic_version'"
    ).fetchall()

    expected = [f.name for f in catalog.functions(db)] + [name for (name,) in relations]
    assert sorted(headings) == sorted(expected)


@pytest.mark.parametrize("page", ["sql.md", "sql-examples.md", "parameters.md"])
def test_links_of_the_pages_lead_somewhere(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    anchors = {
        heading.lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }

    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors
        else:
            assert (DOCS / target).exists(), target
