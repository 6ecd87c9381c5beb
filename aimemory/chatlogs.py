"""Read exported conversations: OpenAI messages, and ChatGPT's conversations.json.

A log is read one conversation at a time. Each gets an id that depends on nothing
but the log, so that a second import finds the sessions of the first and adds
nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from aimemory.errors import InvalidInput
from aimemory.records import WriteResult

_ROLES = ("user", "assistant")
_MILLISECONDS = 100_000_000_000
"""A number of seconds above this is in the year 5138, so it counts milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation of a log."""

    session_id: str
    messages: list[dict[str, str]]
    """role and content, in order; user and assistant only; at least one."""
    said_at: list[datetime]
    """One per message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a conversation of a log."""

    session_id: str
    status: Literal["learnt", "known", "differs"]
    """known: an earlier import has done it. differs: its id belongs to a session in which
    something else was said; nothing was done."""
    results: Sequence[WriteResult] = ()


def read_chat_log(path: Path, *, at: datetime | None = None) -> Iterator[Conversation]:
    """Yield the conversations of a file; raise InvalidInput that names the line or the entry.

    Known are JSONL, where every line is a message ``{"role": …, "content": …}`` or a
    conversation ``{"messages": […]}``, both with ``session_id`` and ``timestamp`` if they
    like; a JSON list of the same; and the list that ChatGPT exports. ``at`` is when messages
    without a time were said; by default that is when the file was last changed.
    """
    fallback = at or datetime.fromtimestamp(path.stat().st_mtime, UTC)
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name} is no text in UTF-8: {error.reason}") from error
    loose: list[tuple[str, Mapping[str, Any]]] = []
    for where, entry in _entries(text, path.name):
        if not isinstance(entry, Mapping):
            raise InvalidInput(f"{where} is not a message or a conversation")
        if "mapping" in entry:
            yield from _exported(entry, where, fallback)
        elif "messages" in entry:
            yield from _conversation(entry, where, fallback)
        else:
            loose.append((where, entry))
    for session_id, messages in _by_session(loose, path).items():
        yield from _read(messages, session_id, fallback)


def _entries(text: str, name: str) -> Iterator[tuple[str, Any]]:
    """Yield each line of JSONL, or each entry of a JSON list, and where it stands."""
    if text.lstrip().startswith("["):
        for number, entry in enumerate(_load(text, name), 1):
            yield f"{name}, entry {number}", entry
        return
    # Not splitlines, which also cuts at characters that JSON has inside of strings.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{name}, line {number}"
            yield where, _load(line, where)


def _exported(entry: Mapping[str, Any], where: str, fallback: datetime) -> Iterator[Conversation]:
    """Read a conversation of ChatGPT, which keeps every version of it as a tree."""
    nodes = entry["mapping"]
    if not isinstance(nodes, Mapping):
        raise InvalidInput(f"{where}: mapping is not an object")
    messages = [
        (where, {"role": role, "content": text, "timestamp": when})
        for when, role, text in _shown(nodes, entry.get("current_node"))
    ]
    given = entry.get("id") or entry.get("conversation_id")
    yield from _read(messages, str(given) if given else None, fallback)


def _shown(nodes: Mapping[str, Any], last: Any) -> list[tuple[Any, str, str]]:
    """Return the messages up to the last one that the user saw; without it all, by time."""
    path: list[Any] = []
    seen: set[str] = set()
    while isinstance(last, str) and last in nodes and last not in seen:
        seen.add(last)
        path.append(nodes[last])
        last = nodes[last].get("parent") if isinstance(nodes[last], Mapping) else None
    found = [*_chatgpt_messages(reversed(path) if path else nodes.values())]
    if path:
        return found
    return sorted(found, key=lambda item: item[0] if isinstance(item[0], int | float) else 0)


def _chatgpt_messages(nodes: Iterable[Any]) -> Iterator[tuple[Any, str, str]]:
    for node in nodes:
        message = _part(node, "message")
        role = _part(message, "author").get("role")
        parts = _part(message, "content").get("parts")
        texts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
        text = "\n".join(texts).strip()
        if role in _ROLES and text and message.get("recipient", "all") == "all":
            yield message.get("create_time"), role, text


def _part(value: Any, name: str) -> Mapping[str, Any]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _conversation(
    entry: Mapping[str, Any], where: str, fallback: datetime
) -> Iterator[Conversation]:
    messages = entry["messages"]
    if not isinstance(messages, list):
        raise InvalidInput(f"{where}: messages is not a list")
    given = entry.get("session_id") or entry.get("id")
    common = entry.get("timestamp")
    said = [
        (where, {"timestamp": common, **message} if isinstance(message, Mapping) else {})
        for message in messages
    ]
    yield from _read(said, str(given) if given else None, fallback)


def _by_session(
    messages: Iterable[tuple[str, Mapping[str, Any]]], path: Path
) -> dict[str, list[tuple[str, Mapping[str, Any]]]]:
    sessions: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for where, message in messages:
        session_id = str(message.get("session_id") or path.stem)
        sessions.setdefault(session_id, []).append((where, message))
    return sessions


def _read(
    given: Iterable[tuple[str, Mapping[str, Any]]], session_id: str | None, fallback: datetime
) -> Iterator[Conversation]:
    """Yield the conversation, unless nobody says anything in it."""
    messages: list[dict[str, str]] = []
    said_at: list[datetime] = []
    for where, message in given:
        if not isinstance(message.get("role"), str):
            raise InvalidInput(f"{where}: a message needs a role and a content")
        text = _content(message.get("content"))
        if message["role"] in _ROLES and text:
            messages.append({"role": message["role"], "content": text})
            said_at.append(_moment(message.get("timestamp"), fallback, where))
    if messages:
        yield Conversation(
            session_id=session_id or _fingerprint(messages), messages=messages, said_at=said_at
        )


def _content(content: Any) -> str:
    if isinstance(content, list):
        texts = [part.get("text", "") for part in content if isinstance(part, Mapping)]
        return "\n".join(text for text in texts if isinstance(text, str)).strip()
    return content.strip() if isinstance(content, str) else ""


def _moment(given: Any, fallback: datetime, where: str) -> datetime:
    if given is None or given == "":
        return fallback
    try:
        if isinstance(given, int | float):
            seconds = given / 1000 if given > _MILLISECONDS else given
            return datetime.fromtimestamp(seconds, UTC)
        moment = datetime.fromisoformat(given)
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise InvalidInput(
            f"{where}: {given!r} is neither an ISO 8601 time nor seconds since 1970"
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _fingerprint(messages: list[dict[str, str]]) -> str:
    return hashlib.sha256(json.dumps(messages, ensure_ascii=False).encode()).hexdigest()[:32]


def _load(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{where} is not JSON: {error}") from error
