"""The commands chat, context and digest."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import psycopg

from aimemory import MemoryStore
from roles import MAINTAINER, as_role
from scripted_llm import Failure, Request, ScriptedLLM
from terminal import CAT, CITY, Run, Typed, contents, memory


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


def test_what_is_said_without_learning_is_not_learnt_later(
    run: Run, user: str, store: MemoryStore
) -> None:
    run("chat", user, "--session", "s", "--no-learn", stdin=Typed(CITY))
    run("chat", user, "--session", "s", stdin=Typed("I like green tea"))

    (only,) = contents(store, user)
    assert "tea" in only
    assert [turn.content for turn in store._recent(user, "s")] == [CITY, "I like green tea"]


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
    store.search(user, f"<private>年糕</private>密钥 {key}")

    assert contents(store, user) == []
    with psycopg.connect(as_role(url, MAINTAINER)) as connection:
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
