"""The command remember: every log is read once, and to its end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aimemory import MemoryStore
from aimemory.chatlogs import Conversation
from scripted_llm import Failure, ScriptedLLM
from terminal import CAT, CITY, LOG, Run, contents, memory, turns, written


def test_a_log_is_learnt_from_once(
    run: Run, user: str, url: str, store: MemoryStore, tmp_path: Path
) -> None:
    file = written(tmp_path / "log.jsonl", LOG)
    first = run("remember", user, file, "--json").document
    kept, said = contents(store, user), turns(url, user)
    second = run("remember", user, file, "--json").document

    assert first["conversations"] == {"learnt": 3, "known": 0, "differs": 0}
    assert first["actions"]["inserted"] == len(kept) >= 3
    assert second["conversations"] == {"learnt": 0, "known": 3, "differs": 0}
    assert second["actions"] == {}
    assert (contents(store, user), turns(url, user)) == (kept, said)
    (cat,) = [memory for memory in store.list(user).memories if "年糕" in memory.content]
    assert (cat.session_id, cat.created_at.date().isoformat()) == ("cat", "2026-01-05")


def test_the_summary_is_a_table(run: Run, user: str, tmp_path: Path, llm: ScriptedLLM) -> None:
    llm.enqueue(memory("用户的猫叫年糕", "我家的猫叫年糕"), memory("invented", "never said this"))
    file = written(tmp_path / "log.jsonl", LOG[:2])
    imported = run("remember", user, file)

    assert [line.split()[-1] for line in imported.out.splitlines()[1:]] == ["2", "1", "1", "1"]
    assert "memories inserted" in imported.out
    assert "not_grounded" in imported.out
    assert "known from an earlier import" in run("remember", user, file).out


def test_an_interrupted_import_goes_on_where_it_stopped(
    run: Run, user: str, url: str, store: MemoryStore, tmp_path: Path, llm: ScriptedLLM
) -> None:
    file = written(tmp_path / "log.jsonl", LOG)
    cat = memory("用户的猫叫年糕", "我家的猫叫年糕")
    llm.enqueue(cat, Failure(status=401))
    stopped = run("remember", user, file)

    assert (stopped.code, stopped.out) == (1, "")
    assert stopped.err.startswith("aimemory: ")
    assert stopped.err.count("\n") == 1
    assert contents(store, user) == ["用户的猫叫年糕"]
    assert [session for session, _ in turns(url, user)] == ["cat", "tea"], "in order of time"

    tea = memory("The user likes green tea", "I like green tea", type="preference")
    llm.enqueue(tea, memory("用户住在杭州", CITY))
    resumed = run("remember", user, file, "--json").document

    assert resumed["conversations"] == {"learnt": 2, "known": 1, "differs": 0}
    assert contents(store, user) == ["The user likes green tea", "用户住在杭州", "用户的猫叫年糕"]
    assert turns(url, user) == [("cat", CAT), ("city", CITY), ("tea", "I like green tea")]


def test_of_a_conversation_that_has_grown_only_the_new_turns_are_read(
    run: Run, user: str, url: str, tmp_path: Path
) -> None:
    said = [("user", CAT), ("assistant", "真可爱")]
    run("remember", user, written(tmp_path / "a.jsonl", [{"id": "s", "messages": said}]))
    said += [("user", CITY)]
    grown = written(tmp_path / "b.jsonl", [{"id": "s", "messages": said}])

    assert run("remember", user, grown, "--json").document["conversations"]["learnt"] == 1
    assert turns(url, user) == [("s", text) for _, text in said]


def test_another_conversation_of_the_same_name_is_not_mixed_in(
    run: Run, user: str, url: str, tmp_path: Path
) -> None:
    run("remember", user, written(tmp_path / "a.jsonl", [{"id": "s", "messages": [("user", CAT)]}]))
    other = written(tmp_path / "b.jsonl", [{"id": "s", "messages": [("user", CITY)]}])
    left = run("remember", user, other)

    assert "--session" in left.out
    assert turns(url, user) == [("s", CAT)]
    run("remember", user, other, "--session", "t")
    assert turns(url, user) == [("s", CAT), ("t", CITY)]


def test_a_long_conversation_is_learnt_from_to_its_end(
    run: Run, user: str, store: MemoryStore, tmp_path: Path
) -> None:
    said = [("user" if n % 2 else "assistant", f"ok number {n}") for n in range(120)]
    log = [{"id": "s", "messages": [*said, ("user", CITY)]}]
    run("remember", user, written(tmp_path / "log.jsonl", log))

    assert "用户住在杭州" in contents(store, user)


def test_two_imports_at_once_record_everything_once(
    user: str, url: str, store: MemoryStore
) -> None:
    said_at = datetime(2026, 1, 5, tzinfo=UTC)
    conversation = Conversation(
        session_id="s", messages=[{"role": "user", "content": CITY}], said_at=[said_at]
    )
    with ThreadPoolExecutor(4) as pool:
        [*pool.map(lambda _: store.remember_conversation(user, conversation), range(4))]

    assert turns(url, user) == [("s", CITY)]
    assert len(contents(store, user)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["remember", "ann", "nowhere.jsonl"], "No such file"),
        (["remember", "ann", "."], "directory"),
        (["remember", "ann", "LOG", "--session", "s"], "holds 3 conversations"),
        (["remember", "", "LOG"], "user_id"),
        (["remember", "ann", "LOG", "--llm", "nonsense"], "names no language model"),
        (["chat", "ann", "--llm", "openai:gpt"], "set OPENAI_API_KEY"),
        (["context", "ann", "  "], "the query is empty"),
        (["review", "ann", "--approve", "7"], "is not a number from 1 to 0"),
    ],
)
def test_errors_are_one_line(run: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    log = written(tmp_path / "log.jsonl", LOG)
    run.monkeypatch.chdir(tmp_path)
    failed = run(*[log if argument == "LOG" else argument for argument in arguments])

    assert failed.code == 1
    assert failed.err.startswith("aimemory: ")
    assert failed.err.count("\n") == 1
    assert message in failed.err


def test_a_command_that_needs_no_model_works_without_its_key(run: Run, user: str) -> None:
    run.monkeypatch.setenv("AIMEMORY_LLM", "openai:gpt")
    assert run("list", user).code == 0
    assert run("chat", user, "--llm", "none").code == 0
