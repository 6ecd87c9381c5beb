"""The commands for conversations: chat, remember, context, review, digest."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from aimemory import MemoryStore
from aimemory.chatlogs import Conversation
from aimemory.cli import main
from scripted_llm import Failure, Request, ScriptedLLM

CAT = "我家的猫叫年糕，今年三岁了"
CITY = "我住在杭州"
LOG = [
    {"session_id": "cat", "timestamp": "2026-01-05", "messages": [("user", CAT)]},
    {"session_id": "city", "timestamp": "2026-01-07", "messages": [("user", CITY)]},
    {"session_id": "tea", "timestamp": "2026-01-06", "messages": [("user", "I like green tea")]},
]


@dataclass
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class Typed(io.StringIO):
    """What somebody types; a line ``^C`` is Ctrl-C."""

    def __init__(self, *lines: str, at_terminal: bool = False) -> None:
        super().__init__("".join(f"{line}\n" for line in lines))
        self._at_terminal = at_terminal

    def isatty(self) -> bool:
        return self._at_terminal

    def readline(self, *arguments: Any) -> str:
        line = super().readline(*arguments)
        if line == "^C\n":
            raise KeyboardInterrupt
        return line


@dataclass
class Run:
    """Runs commands in this process, on the database of the test, without an embedder."""

    url: str
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch
    options: list[str] = field(default_factory=list)

    def __call__(self, *arguments: str, stdin: Typed | None = None) -> Ran:
        self.monkeypatch.setattr(sys, "stdin", stdin or Typed())
        code = main([*arguments, "--url", self.url, "--embedder", "none", *self.options])
        return Ran(code, *self.capsys.readouterr())


@pytest.fixture(scope="module")
def url(template: str, empty_database: Callable[..., str]) -> str:
    return empty_database(template)


@pytest.fixture
def run(url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in [name for name in os.environ if name.startswith(("AIMEMORY_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    return Run(url, capsys, monkeypatch)


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A user of this test's own, in the database of the module."""
    return str(request.node.name)


@pytest.fixture
def store(url: str) -> Iterator[MemoryStore]:
    with MemoryStore.open(url, embedder="none") as opened:
        yield opened


@pytest.fixture
def llm(run: Run) -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        run.monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        run.monkeypatch.setenv("OPENAI_API_KEY", "any")
        run.options = ["--llm", "openai:scripted"]
        yield server


def contents(store: MemoryStore, user: str) -> list[str]:
    return sorted(memory.content for memory in store.list(user).memories)


def memory(content: str, quoted: str, **fields: object) -> dict[str, object]:
    item = {"content": content, "type": "fact", "class": "ordinary", "evidence": quoted}
    empty = {"entities": [], "slot": None, "event_at": None, "valid_until": None}
    return {"memories": [{**item, **empty, "standing": False, **fields}]}


def written(path: Path, conversations: list[dict[str, Any]]) -> str:
    lines = [
        {**c, "messages": [{"role": role, "content": text} for role, text in c["messages"]]}
        for c in conversations
    ]
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    return str(path)


def turns(url: str, user: str) -> list[tuple[str, str]]:
    with psycopg.connect(url) as connection:
        return connection.execute(
            "select session_id, content from aimemory.turns where user_id = %s order by 1, turn_no",
            [user],
        ).fetchall()


# --- chat ----------------------------------------------------------------------------------


def test_a_chat_answers_with_what_was_said_before(run: Run, user: str, llm: ScriptedLLM) -> None:
    llm.default = lambda request: (
        "带它去看医生。" if request.name == "chat" else memory("用户的猫叫年糕", "我家的猫叫年糕")
    )
    told = run("chat", user, stdin=Typed("记住：我家的猫叫年糕", "/quit", "never read"))
    asked = run("chat", user, "--session", "s", stdin=Typed("年糕昨天吐了怎么办"))

    assert (told.code, told.err, asked.err) == (0, "", "")
    assert "inserted: 用户的猫叫年糕" in told.out
    assert "never read" not in told.out
    assert "带它去看医生。" in asked.out
    assert "tokens of memory in the prompt" in asked.out
    last = [request for request in llm.requests if request.name == "chat"][-1]
    assert "用户的猫叫年糕" in last.system
    assert last.user == "年糕昨天吐了怎么办"


def test_without_memory_and_learning_a_chat_is_only_a_chat(
    run: Run, user: str, store: MemoryStore, llm: ScriptedLLM
) -> None:
    store.add(user, "用户的猫叫年糕", entities=["年糕/pet"])
    llm.default = "好的。"
    chatted = run("chat", user, "--no-inject", "--no-learn", stdin=Typed(f"{CAT}，记住"))

    assert "好的。" in chatted.out
    assert [request.name for request in llm.requests] == ["chat"]
    assert "<memory>" not in llm.requests[0].system
    assert contents(store, user) == ["用户的猫叫年糕"]


def test_the_end_of_a_chat_learns_from_the_rest(run: Run, user: str, llm: ScriptedLLM) -> None:
    llm.default = lambda request: "嗯。" if request.name == "chat" else memory("用户住在杭州", CITY)
    document = run("chat", user, "--json", stdin=Typed(CITY, "/memories", "/x")).document

    (turn,) = document["turns"]
    assert (turn["user"], turn["assistant"], turn["learnt"]) == (CITY, "嗯。", [])
    assert [result["content"] for result in document["at_the_end"]] == ["用户住在杭州"]
    assert document["model"] == "openai:scripted"


def test_a_failing_model_ends_neither_the_chat_nor_its_memory(
    run: Run, user: str, store: MemoryStore, llm: ScriptedLLM
) -> None:
    def answer(request: Request) -> object:
        return Failure(status=401) if "坏" in request.user or request.name != "chat" else "好。"

    llm.default = answer  # type: ignore[assignment]
    chatted = run("chat", user, "--session", "s", stdin=Typed("坏", "我住在杭州，对吗"))

    assert chatted.code == 0
    assert "好。" in chatted.out
    first, last = chatted.err.splitlines()
    assert "check OPENAI_API_KEY" in first
    assert "the turns are kept" in last
    assert [turn.content for turn in store._recent(user, "s")] == ["我住在杭州，对吗", "好。"]


def test_without_a_model_a_chat_shows_what_one_would_be_given(run: Run, user: str) -> None:
    lines = [CAT, "年糕昨天吐了怎么办", "/memories", "/unknown"]
    chatted = run("chat", user, stdin=Typed(*lines))

    assert (chatted.code, chatted.err) == (0, "")
    assert "No chat model is configured" in chatted.out
    assert "AIMEMORY_LLM" in chatted.out
    assert "nothing fits: no block at all" in chatted.out
    assert "inserted: " in chatted.out
    block = chatted.out.partition("<memory>")[2].partition("</memory>")[0]
    assert "年糕" in block
    assert "历史记忆" in block
    assert "said" in chatted.out.partition("</memory>")[2]
    assert "/unknown is no command" in chatted.out
    assert "> " not in chatted.out, "nobody is at a terminal, so there is no prompt"


def test_a_secret_that_is_typed_is_kept_nowhere(
    run: Run, user: str, url: str, store: MemoryStore
) -> None:
    key = "sk-live-AAAABBBBCCCC1111DDDD2222"
    lines = [f"我的密钥是 {key}", f"<private>{key}</private>", "<private>我的猫叫年糕</private>"]
    assert run("chat", user, stdin=Typed(*lines)).code == 0

    assert contents(store, user) == []
    with psycopg.connect(url) as connection:
        for table in ("turns", "recall_log", "memories", "candidates"):
            query = f"select string_agg(t::text, ' ') from aimemory.{table} t where user_id = %s"
            (kept,) = connection.execute(query.encode(), [user]).fetchone() or ("",)
            assert "sk-live" not in (kept or "")
            assert "年糕" not in (kept or "")


def test_ctrl_c_ends_a_chat_and_keeps_what_was_said(
    run: Run, user: str, store: MemoryStore
) -> None:
    assert run("chat", user, stdin=Typed(CITY, "^C")).code == 130
    assert len(contents(store, user)) == 1


def test_ctrl_c_during_an_answer_ends_only_the_answer(url: str, llm: ScriptedLLM) -> None:
    asked = threading.Event()

    def answer(request: Request) -> Failure | str:
        asked.set()
        return Failure(delay=60) if "慢" in request.user else "又见面了。"

    llm.default = answer
    command = [sys.executable, "-m", "aimemory", "chat", "impatient", "--no-learn", "--url", url]
    with subprocess.Popen(
        [*command, "--embedder", "none", "--llm", "openai:scripted"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write("慢慢来\n")
        process.stdin.flush()
        assert asked.wait(30)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate("你好\n", timeout=30)

    assert process.returncode == 0
    assert "stopped" in out
    assert "又见面了。" in out


# --- remember ------------------------------------------------------------------------------


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


# --- context and digest --------------------------------------------------------------------


def test_the_context_is_printed_as_it_goes_into_the_prompt(
    run: Run, user: str, store: MemoryStore
) -> None:
    store.add(user, "用户的猫叫年糕" + "，它很可爱" * 20, entities=["年糕/pet"], standing=True)
    store.record(user, "s", "年糕今天没精神")
    known = store.context(user, "年糕怎么了")
    printed = run("context", user, "年糕怎么了")
    document = run("context", user, "它怎么了", "--session", "s", "--json").document

    block, _, after = printed.out.partition("</memory>")
    assert f"{block}</memory>" == known.text
    assert after.strip() == f"{known.tokens} tokens"
    assert document["text"].startswith("<memory>")
    assert document["tokens"] > 0
    assert "no block at all" in run("context", f"not {user}", "年糕怎么了").out


def test_a_digest_is_for_the_user_to_read(run: Run, user: str, store: MemoryStore) -> None:
    store.add(user, "用户住在杭州")
    store.add(user, "用户喜欢绿茶", memory_type="preference")
    printed = run("digest", user).out
    document = run("digest", user, "--json").document

    assert "## fact" in printed
    assert "- 用户喜欢绿茶 (" in printed
    assert document["text"] in printed
    assert len(document["memories"]) == 2
    assert run("digest", f"not {user}").out.strip() == "nothing is remembered of this user"


# --- review --------------------------------------------------------------------------------


@pytest.fixture
def waiting(run: Run, user: str, tmp_path: Path) -> list[dict[str, Any]]:
    """Three memories that wait: of the cat, the tea and the city."""
    imported = run("remember", user, written(tmp_path / "log.jsonl", LOG), "--review", "--json")
    assert imported.document["actions"] == {"pending": 3}
    pending: list[dict[str, Any]] = run("review", user, "--json").document["pending"]
    return pending


def test_the_user_decides_by_number_and_by_id(
    run: Run, user: str, store: MemoryStore, waiting: list[dict[str, Any]]
) -> None:
    assert contents(store, user) == []
    listed = run("review", user).out
    assert f"“{CITY}”" in listed
    tea = waiting[1]["candidate_id"]
    edit = ("--edit", "3", "用户住在杭州西湖边")
    decided = run("review", user, "--approve", "1", "--reject", tea[:8], *edit)

    assert "still waiting: 0" in decided.out
    assert contents(store, user) == sorted([waiting[0]["content"], "用户住在杭州西湖边"])
    assert store.remember(user, "I like green tea")[0].reason == "vetoed"
    assert run("review", user).out.strip() == "nothing waits for a decision"


def test_a_mistake_in_the_list_decides_nothing(
    run: Run, user: str, store: MemoryStore, waiting: list[dict[str, Any]]
) -> None:
    assert "4" in run("review", user, "--approve", "1", "--reject", "4").err
    assert "named twice" in run("review", user, "--approve", "1", "--reject", "1").err
    assert "is not a number" in run("review", user, "--approve", "abc").err
    assert len(store.pending(user)) == 3
    decided = run("review", user, "--approve", "all", "--json").document
    assert (len(decided["approved"]), decided["left"]) == (3, 0)


def test_at_a_terminal_it_asks(
    run: Run, user: str, store: MemoryStore, waiting: list[dict[str, Any]]
) -> None:
    answers = Typed("y", "n", "e", "用户住在西湖边", at_terminal=True)
    asked = run("review", user, stdin=answers)

    assert asked.out.count("[y/n/e/q]") == 3
    assert contents(store, user) == sorted([waiting[0]["content"], "用户住在西湖边"])


def test_what_was_decided_before_the_end_of_the_input_counts(
    run: Run, user: str, store: MemoryStore, waiting: list[dict[str, Any]]
) -> None:
    assert "still waiting: 2" in run("review", user, stdin=Typed("y", at_terminal=True)).out
    assert "still waiting: 2" in run("review", user, stdin=Typed("", "q", at_terminal=True)).out
    assert contents(store, user) == [waiting[0]["content"]]
