"""The SQL page: an analyst can run every example, and the reference says what the comments say."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg.types.json import Jsonb

import catalog
import dumps
from aimemory import migrate
from memories import at_cosine, call, remember, text_of

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ANALYST = "aimemory_analyst"
BLOCK = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
READING, CHANGING = (DOCS / "sql.md").read_text("utf-8").split("\n## Changing things\n")


def examples(name: str, text: str) -> list[object]:
    return [
        pytest.param(block, id=f"{name}-{number}")
        for number, block in enumerate(BLOCK.findall(text), 1)
    ]


READS = examples("reading", READING)
CHANGES = examples("changing", CHANGING)
TUNING = examples("parameters", (DOCS / "parameters.md").read_text("utf-8"))
# Columns of views that need no description.
SPEAKING_NAMES = {
    *("memory_id", "content", "memory_type", "tags", "metadata", "session_id", "turn_no"),
    *("created_at", "updated_at", "superseded_at", "last_confirmed_at", "idempotency_key"),
    *("run_id", "job", "started_at", "finished_at", "users", "archived_memories"),
}
MAKE_ANALYST = f"""
do $$
begin
    if to_regrole('{ANALYST}') is null then
        create role {ANALYST} nologin;
        grant usage on schema aimemory to {ANALYST};
        grant select on all tables in schema aimemory to {ANALYST};
        grant execute on all functions in schema aimemory to {ANALYST};
    end if;
end
$$;
set local role {ANALYST};
"""


def fill(db: psycopg.Connection) -> None:
    """Ann's memories in every state, what they were used for, and a row that is damaged."""
    at = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 10)]
    call(db, "register_model", new_model="tiny", vector_size=3)
    near = {"vectors": [text_of(at_cosine(1))], "vector_model": "tiny"}
    cat = remember(db, "我家猫叫年糕", about=["年糕/pet"], at=at[0])
    remember(db, "lives in Berlin", in_slot="user.city", at=at[1], **near)
    remember(db, "lives in Paris", in_slot="user.city", at=at[2], **near)
    remember(db, "lives with a cat", at=at[3], **near)
    remember(db, "lives with a cat", at=at[4])
    call(db, "archive_memory", for_user="ann", target=remember(db, "saw a film", at=at[5]))
    tea = remember(db, "likes tea", as_type="preference", at=at[6])
    call(
        db,
        "update_memory",
        for_user="ann",
        target=tea,
        new_content="likes green tea",
        why="as the user said",
        changed_by="support",
        as_of=at[7],
    )
    db.execute(
        "update aimemory.memory_access set due_at = %s where memory_id = %s",
        [at[6] + timedelta(days=16), tea],
    )
    call(db, "touch_memories", for_user="ann", targets=[cat], as_of=at[8])
    for candidates in ([{"memory_id": str(cat), "score": 0.5, "routes": ["keyword"]}], []):
        call(
            db,
            "log_recall",
            for_user="ann",
            asked="年糕怎么了",
            what_came=Jsonb(candidates),
            given=[cat] if candidates else [],
            tokens_used=40 if candidates else None,
            took_ms=3.5,
            as_of=at[8],
        )
    db.execute(
        "insert into aimemory.maintenance_runs"
        " (run_id, job, status, started_at, finished_at, rows_changed)"
        " values (gen_random_uuid(), 'archive_due', 'done', %s, %s, 3)",
        [at[8], at[8] + timedelta(seconds=2)],
    )
    lost = remember(db, "likes milk", "bob", at=at[8])
    db.execute("delete from aimemory.memory_access where memory_id = %s", [lost])


@pytest.fixture
def analysts_database(db: psycopg.Connection) -> psycopg.Connection:
    fill(db)
    return db


def run(db: psycopg.Connection, block: str) -> None:
    """Run the statements of a block; each has to show or change something."""
    cursor = db.execute(block.encode())
    results = [cursor.rowcount]
    while cursor.nextset():
        results.append(cursor.rowcount)
    assert len(results) == len(re.findall(r";$", block, re.MULTILINE))
    assert all(count > 0 for count in results)


@pytest.mark.parametrize("block", READS)
def test_an_analyst_can_run_an_example_and_it_shows_something(
    analysts_database: psycopg.Connection, block: str
) -> None:
    analysts_database.execute(MAKE_ANALYST.encode())

    run(analysts_database, block)


@pytest.mark.parametrize("block", CHANGES + TUNING)
def test_an_example_that_changes_something_does(
    analysts_database: psycopg.Connection, block: str
) -> None:
    run(analysts_database, block)


@pytest.mark.parametrize("block", CHANGES)
def test_what_changes_something_is_not_for_analysts(
    analysts_database: psycopg.Connection, block: str
) -> None:
    analysts_database.execute(MAKE_ANALYST.encode())

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run(analysts_database, block)


def test_psql_alone_runs_every_example_for_an_analyst(fresh_database: str, tmp_path: Path) -> None:
    with psycopg.connect(fresh_database) as connection:
        fill(connection)
    page = tmp_path / "examples.sql"
    # The role goes with the transaction, so that the next test finds the server as it was.
    page.write_text("\n".join([MAKE_ANALYST, *BLOCK.findall(READING), "rollback;"]), "utf-8")

    shown = dumps.psql(fresh_database, "-f", str(page)).stdout

    assert "我家猫叫年糕" in shown
    assert shown.count(" rows)") + shown.count(" row)") == len(
        re.findall(r";$", "".join(BLOCK.findall(READING)), re.MULTILINE)
    )
    assert "(0 rows)" not in shown


@pytest.mark.parametrize("kind", ["views", "history"])
def test_everything_made_for_analysts_has_an_example(db: psycopg.Connection, kind: str) -> None:
    views = db.execute(
        "select relname from pg_class"
        " where relnamespace = 'aimemory'::regnamespace and relkind = 'v'"
    ).fetchall()
    wanted = {
        "views": {name for (name,) in views},
        "history": {"timeline", "memories_as_of", "recall", "similar_to"},
    }

    assert wanted[kind] <= set(re.findall(r"aimemory\.(\w+)", "".join(BLOCK.findall(READING))))


def test_every_column_of_a_view_is_described(db: psycopg.Connection) -> None:
    """By a comment of its own, by that of the table it comes from, or by its name."""
    text = (DOCS / "sql.md").read_text("utf-8")
    views = text.split("\n## Views\n")[1].split("\n## Tables\n")[0]

    silent = set(re.findall(r"^\| `(\w+)` \| [^|]+ \|  \|$", views, re.MULTILINE))
    assert silent <= SPEAKING_NAMES


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


@pytest.mark.parametrize("page", ["sql.md", "parameters.md"])
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
