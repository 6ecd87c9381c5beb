"""Chat logs as other programs write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from aimemory.chatlogs import Conversation, read_chat_log
from aimemory.errors import InvalidInput

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
Write = Callable[..., list[Conversation]]


@pytest.fixture
def read(tmp_path: Path) -> Write:
    """Write a log and read it: a string as it is, lines as JSONL, anything else as JSON."""

    def write(content: Any, name: str = "log.jsonl") -> list[Conversation]:
        path = tmp_path / name
        if isinstance(content, tuple):
            content = "\n".join(json.dumps(line, ensure_ascii=False) for line in content)
        if not isinstance(content, str):
            content = json.dumps(content)
        path.write_text(content, "utf-8")
        return list(read_chat_log(path, at=MONDAY))

    return write


def said(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": text, **more}


def node(name: str, parent: str | None, role: str, text: str, time: float | None = None) -> Any:
    message = {
        "author": {"role": role},
        "content": {"content_type": "text", "parts": [text]},
        "create_time": time,
    }
    return {name: {"id": name, "parent": parent, "message": message}}


def texts(conversations: list[Conversation]) -> list[list[str]]:
    return [[message["content"] for message in c.messages] for c in conversations]


def test_lines_that_are_messages_are_one_conversation_named_after_the_file(read: Write) -> None:
    (found,) = read((said("be nice", "system"), said("我家的猫叫年糕"), said("好", "assistant")))

    assert found.session_id == "log"
    assert found.messages == [said("我家的猫叫年糕"), said("好", "assistant")]
    assert found.said_at == [MONDAY, MONDAY]


def test_messages_are_told_apart_by_their_session(read: Write) -> None:
    found = read(
        (said("a", session_id="one"), said("b", session_id="two"), said("c", session_id="one"))
    )

    assert [(c.session_id, texts([c])[0]) for c in found] == [("one", ["a", "c"]), ("two", ["b"])]


def test_a_conversation_without_a_name_has_the_same_one_at_every_import(read: Write) -> None:
    log = ({"messages": [said("a")]}, {"messages": [said("b")]}, {"id": 7, "messages": [said("c")]})
    first, second = read(log, "one.jsonl"), read(tuple(reversed(log)), "two.jsonl")

    assert {c.session_id for c in first} == {c.session_id for c in second}
    assert len({c.session_id for c in first}) == 3
    assert first[2].session_id == "7"


@pytest.mark.parametrize(
    "content",
    [
        [said("a"), said("b", "assistant")],
        [{"messages": [said("a"), said("b", "assistant")]}],
        (said([{"type": "text", "text": "a"}, {"type": "image_url"}]), said("b", "assistant")),
        "\ufeff" + json.dumps(said("a")) + "\r\n\r\n" + json.dumps(said("b", "assistant")) + "\n",
    ],
)
def test_every_form_of_messages_is_read(read: Write, content: Any) -> None:
    assert texts(read(content)) == [["a", "b"]]


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0c"])
def test_a_line_ends_at_line_feeds_only(read: Write, separator: str) -> None:
    # JSON allows the others inside of strings, where str.splitlines would cut.
    assert texts(read((said(f"one{separator}two"),))) == [[f"one{separator}two"]]


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (1767603600, MONDAY),
        (1767603600.0, MONDAY),
        (1767603600000, MONDAY),
        ("2026-01-05T09:00:00Z", MONDAY),
        ("2026-01-05T17:00:00+08:00", MONDAY),
        ("2026-01-05 09:00", MONDAY),
        (None, MONDAY),
        ("", MONDAY),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_times_are_read(read: Write, time: Any, expected: datetime) -> None:
    assert read((said("a", timestamp=time),))[0].said_at == [expected]
    assert read(({"timestamp": time, "messages": [said("a")]},))[0].said_at == [expected]


def test_without_any_time_the_file_says_when(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(said("a")))
    (found,) = read_chat_log(path)

    assert found.said_at == [datetime.fromtimestamp(path.stat().st_mtime, UTC)]


def test_of_an_export_the_branch_is_read_that_the_user_saw(read: Write) -> None:
    mapping = {
        "root": {"id": "root", "parent": None, "message": None},
        **node("a", "root", "user", "I live in Berlin", 3.0),
        **node("b", "a", "assistant", "Nice", 4.0),
        **node("c", "root", "user", "I live in Bern", 5.0),
        **node("d", "c", "assistant", "Nice too", 1.0),
    }
    (found,) = read([{"id": "x", "title": "t", "mapping": mapping, "current_node": "d"}], "c.json")

    assert found.session_id == "x"
    assert texts([found]) == [["I live in Bern", "Nice too"]]
    (by_time,) = read([{"conversation_id": "x", "mapping": mapping}], "c.json")
    assert texts([by_time]) == [["Nice too", "I live in Berlin", "Nice", "I live in Bern"]]


def test_what_is_no_talk_is_left_out_of_an_export(read: Write) -> None:
    mapping = {
        **node("a", None, "system", "hidden"),
        **node("b", "a", "user", "hello"),
        **node("c", "b", "tool", "result"),
        **node("d", "c", "assistant", "search('x')"),
        **node("e", "d", "assistant", ""),
        "f": {"parent": "e", "message": {"author": {"role": "user"}, "content": {"parts": [{}]}}},
        "g": {"parent": "f", "message": "broken"},
        "h": None,
    }
    mapping["d"]["message"]["recipient"] = "browser"
    looped = {"a": {"parent": "b"}, **node("b", "a", "user", "around")}

    assert texts(read([{"mapping": mapping, "current_node": "g"}], "c.json")) == [["hello"]]
    assert texts(read([{"mapping": looped, "current_node": "b"}], "c.json")) == [["around"]]
    assert read([{"mapping": {}}], "c.json") == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hello", "log.jsonl, line 1 is not JSON"),
        ('{"role": "user", "content": "a"}\n{', "log.jsonl, line 2 is not JSON"),
        ("[1]", "log.jsonl, entry 1 is not a message or a conversation"),
        ("3", "line 1 is not a message"),
        ('{"content": "a"}', "line 1: a message needs a role and a content"),
        ('{"messages": [3]}', "line 1: a message needs a role"),
        ('{"messages": 3}', "line 1: messages is not a list"),
        ('[{"mapping": 3}]', "entry 1: mapping is not an object"),
        ((said("a", timestamp="yesterday"),), "line 1: 'yesterday' is neither"),
        ((said("a", timestamp=1e300),), "is neither an ISO 8601 time nor seconds"),
        ((said("a", timestamp=[1]),), "is neither"),
    ],
)
def test_what_cannot_be_read_is_named(read: Write, content: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read(content)


def test_another_encoding_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes('{"role": "user", "content": "年糕"}'.encode("gb18030"))
    with pytest.raises(InvalidInput, match="no text in UTF-8"):
        list(read_chat_log(path))


def test_an_empty_file_holds_nothing(read: Write) -> None:
    assert read("") == []
    assert read("[]") == []
    assert read((said("be nice", "system"), said("  "))) == []
