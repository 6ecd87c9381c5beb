"""Every way a database can come to the current schema ends with the same one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError

import dumps
from aimemory import migrate, migration, sqlobjects

ROOT = Path(__file__).parent.parent
REVISIONS = [
    script.revision
    for script in ScriptDirectory(str(sqlobjects.directory("migrations"))).walk_revisions()
][::-1]


def installed(url: str) -> migration.SchemaState:
    with psycopg.connect(url) as connection:
        return migration.schema_state(connection)


@pytest.fixture
def migrated(wiped_database: str) -> str:
    """The URL of a database at the newest revision."""
    migrate(wiped_database)
    return wiped_database


@pytest.fixture
def current(database: str) -> dict[str, str]:
    """The dump, with data, of a database that went straight to the newest revision."""
    return dumps.dump(database)


def test_up_down_to_nothing_and_up_again_ends_where_it_began(
    migrated: str, current: dict[str, str]
) -> None:
    migrate(migrated, "base")

    assert (
        dumps.rows(
            migrated,
            "select relname from pg_class where relnamespace = 'aimemory'::regnamespace"
            " and relkind in ('r', 'v', 'S') and relname <> 'alembic_version'"
            " union all select proname from pg_proc where pronamespace = 'aimemory'::regnamespace",
        )
        == []
    )

    migrate(migrated)

    assert dumps.dump(migrated) == current


def test_migrating_twice_changes_nothing(migrated: str, current: dict[str, str]) -> None:
    migrate(migrated)

    assert dumps.dump(migrated) == current
    assert installed(migrated).is_current


def test_each_revision_can_be_undone_and_done_again(migrated: str, current: dict[str, str]) -> None:
    for revision in reversed(["base", *REVISIONS[:-1]]):
        migrate(migrated, revision)
        assert not installed(migrated).is_current
        migrate(migrated)
        assert dumps.dump(migrated) == current


def test_a_step_down_drops_the_functions_which_need_what_is_not_there(migrated: str) -> None:
    migrate(migrated, REVISIONS[-2])

    assert dumps.rows(
        migrated,
        "select count(*) from pg_proc where pronamespace = 'aimemory'::regnamespace",
    ) == [(0,)]


OLD_ROWS = """
insert into aimemory.users (user_id, created_at) values ('ann', '2024-05-01Z');
insert into aimemory.memory_types (memory_type, decay_factor, default_importance)
values ('custom', 0.5, 0.5);
insert into aimemory.embedding_models (model_id, dimensions, active, created_at)
values ('test', 3, true, '2024-05-01Z');
insert into aimemory.memories
    (user_id, memory_id, content, memory_type, importance, keywords, content_hash, created_at,
     updated_at, last_confirmed_at)
values ('ann', '00000000-0000-0000-0000-000000000001', '我家猫叫年糕', 'custom', 0.7, '''年糕'':1D',
        'x', '2024-05-01Z', '2024-05-01Z', '2024-05-01Z');
insert into aimemory.memory_vectors (user_id, model_id, cold, memory_id, chunk, embedding)
values ('ann', 'test', false, '00000000-0000-0000-0000-000000000001', 0, '[1,0,0]');
"""


def contents(url: str) -> dict[str, list[dict[str, object]]]:
    """All rows of all tables, column by column."""
    tables = dumps.rows(
        url,
        "select relname from pg_class where relnamespace = 'aimemory'::regnamespace"
        " and relkind = 'r' and relname <> 'alembic_version' order by relname",
    )
    return {
        str(table): [
            dict(row)  # type: ignore[call-overload]
            for (row,) in dumps.rows(url, f"select to_jsonb(t) from aimemory.{table} t order by 1")
        ]
        for (table,) in tables
    }


@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_an_upgrade_keeps_every_row(wiped_database: str, revision: str) -> None:
    migrate(wiped_database, revision)
    with psycopg.connect(wiped_database) as connection:
        connection.execute(OLD_ROWS.encode())
    before = contents(wiped_database)
    assert [row["content"] for row in before["memories"]] == ["我家猫叫年糕"]

    migrate(wiped_database)

    after = contents(wiped_database)
    for table, rows in before.items():
        kept = [{name: row.get(name) for name in rows[0]} for row in after[table]] if rows else []
        assert kept == rows


SCALES_BEFORE_0003 = """
insert into aimemory.users (user_id, time_zone, created_at)
values ('ann', 'Asia/Shanghai', '2024-05-01Z'), ('bob', 'UTC', '2024-05-02Z');
insert into aimemory.embedding_models (model_id, dimensions, active, created_at)
values ('test', 3, true, '2024-05-01Z');
insert into aimemory.calibrations
    (model_id, script, similarity_floor, similarity_ceiling, calibrated_at)
values ('test', 'cjk', 0.88, 0.96, null), ('test', 'other', 0.6, 0.9, '2024-05-03Z');
"""
USE_OF_0003 = """
select aimemory.calibrate_model('test', 'cjk', 0.9, 0.99, pairs_of => 'memories');
select aimemory.set_user('ann', is_learning => false);
select aimemory.count_usage('ann', 1, 500);
select aimemory.record_turns('ann', 's', '{user}', '{"I live in Paris"}', array[now()]);
select aimemory.propose_candidate('ann', 'lives in Paris', 'fact', 0.6, 'user', null, '{}');
select aimemory.add_veto('ann', 'likes tea');
"""


@pytest.fixture
def before_conversations(wiped_database: str) -> str:
    """A database at revision 0002 with users and a calibrated model."""
    migrate(wiped_database, "0002")
    with psycopg.connect(wiped_database) as connection:
        connection.execute(SCALES_BEFORE_0003.encode())
    return wiped_database


def test_scales_measured_before_there_were_two_kinds_are_those_of_questions(
    before_conversations: str,
) -> None:
    migrate(before_conversations)

    query = "select script, comparing, similarity_floor from aimemory.calibrations order by script"
    assert dumps.rows(before_conversations, query) == [
        ("cjk", "questions", 0.88),
        ("other", "questions", 0.6),
    ]


def test_users_known_before_there_was_a_switch_are_learnt_from_and_have_used_nothing(
    before_conversations: str,
) -> None:
    migrate(before_conversations)

    query = "select user_id, u.* from aimemory.users, aimemory.get_user(user_id) u order by 1"
    assert dumps.rows(before_conversations, query) == [
        ("ann", True, "Asia/Shanghai", 0, 0),
        ("bob", True, "UTC", 0, 0),
    ]


def test_undoing_conversations_keeps_what_was_there_before_them(before_conversations: str) -> None:
    """With two scales a script, which the older primary key would refuse."""
    before = contents(before_conversations)
    migrate(before_conversations)
    with psycopg.connect(before_conversations) as connection:
        connection.execute(USE_OF_0003.encode())

    migrate(before_conversations, "0002")

    assert contents(before_conversations) == before


PROGRAM = """
import sys
from aimemory.migration import migrate
print("ready", flush=True)
input()
migrate(sys.argv[1])
"""


@pytest.mark.parametrize("processes", [2, 6])
def test_processes_that_migrate_an_empty_database_at_once_all_succeed(
    wiped_database: str, processes: int, current: dict[str, str]
) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = [
        subprocess.Popen([sys.executable, "-c", PROGRAM, wiped_database], text=True, **pipes)
        for _ in range(processes)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()

    said = [process.communicate(timeout=60)[1] for process in started]

    assert [process.returncode for process in started] == [0] * processes, said
    assert dumps.dump(wiped_database) == current


def test_a_broken_file_leaves_an_empty_database_empty(
    wiped_database: str, edited_sql: Path
) -> None:
    (edited_sql / "functions" / "recall.sql").write_text("create function aimemory.recall(")

    with pytest.raises(DBAPIError, match="syntax error"):
        migrate(wiped_database)

    assert dumps.rows(wiped_database, "select 1 from pg_namespace where nspname = 'aimemory'") == []


def test_a_broken_file_leaves_an_installed_schema_as_it_was(
    migrated: str, edited_sql: Path, current: dict[str, str]
) -> None:
    (edited_sql / "functions" / "recall.sql").write_text("select no_such_function()")

    with pytest.raises(DBAPIError, match="no_such_function"):
        migrate(migrated)

    assert dumps.dump(migrated) == current


def test_an_edited_function_is_installed_by_the_next_migrate(
    migrated: str, edited_sql: Path
) -> None:
    path = edited_sql / "functions" / "normalized.sql"
    path.write_text(
        path.read_text("utf-8").replace("input text", "input text, lang text default ''")
    )
    assert not installed(migrated).is_current

    migrate(migrated)

    assert installed(migrated).is_current
    assert dumps.rows(
        migrated,
        "select oid::regprocedure::text from pg_proc where proname = 'normalized'"
        " and pronamespace = 'aimemory'::regnamespace",
    ) == [("aimemory.normalized(text,text)",)]


@pytest.mark.parametrize(
    "dependent",
    [
        "create view public.mine as select m.content from aimemory.all_memories m",
        "create view public.mine as select aimemory.normalized('x') as content",
    ],
)
def test_a_view_of_somebody_else_stops_the_upgrade_instead_of_vanishing(
    migrated: str, dependent: str
) -> None:
    with psycopg.connect(migrated) as connection:
        connection.execute(dependent.encode())
    before = dumps.dump(migrated)

    with pytest.raises(DBAPIError, match="mine"):
        migrate(migrated)

    assert dumps.dump(migrated) == before
    assert dumps.rows(migrated, "select count(*) >= 0 from public.mine") == [(True,)]


def test_a_signature_of_an_older_version_does_not_survive(
    migrated: str, current: dict[str, str]
) -> None:
    with psycopg.connect(migrated) as connection:
        connection.execute(
            "create function aimemory.pin_memory(for_user text, target text) returns boolean"
            " language sql return true"
        )

    migrate(migrated)

    assert dumps.dump(migrated) == current


def test_the_application_may_have_an_alembic_of_its_own(wiped_database: str) -> None:
    with psycopg.connect(wiped_database) as connection:
        connection.execute("create table public.alembic_version (version_num text)")
        connection.execute("insert into public.alembic_version values ('theirs')")

    migrate(wiped_database)

    assert dumps.rows(wiped_database, "select version_num from public.alembic_version") == [
        ("theirs",)
    ]
    assert installed(wiped_database).is_current


@pytest.fixture
def installed_by_psql(wiped_database: str) -> str:
    dumps.psql(wiped_database, "-f", str(sqlobjects.directory("sql") / "install.sql"))
    return wiped_database


def test_psql_alone_installs_the_same_schema_and_rows(
    installed_by_psql: str, current: dict[str, str]
) -> None:
    assert dumps.dump(installed_by_psql) == current


def test_what_psql_installed_can_be_upgraded(
    installed_by_psql: str, current: dict[str, str]
) -> None:
    assert not installed(installed_by_psql).is_current

    migrate(installed_by_psql)

    assert installed(installed_by_psql).is_current
    assert dumps.dump(installed_by_psql) == current


def test_psql_renews_functions_and_views_as_install_sql_says(
    installed_by_psql: str, current: dict[str, str]
) -> None:
    sql = sqlobjects.directory("sql")
    with psycopg.connect(installed_by_psql) as connection:
        connection.execute("drop function aimemory.memory_history")

    steps = ("prepare.sql", "drop.sql", "objects.sql")
    dumps.psql(installed_by_psql, *(part for name in steps for part in ("-f", str(sql / name))))

    assert dumps.dump(installed_by_psql) == current


@pytest.mark.parametrize("tool", ["tables", "unasync"])
def test_generated_files_are_not_stale(tool: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / f"{tool}.py", "--check"], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout
