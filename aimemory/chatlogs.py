"""Read exported conversations: OpenAI messages as JSONL, and ChatGPT's conversations.json.

A log is read one conversation at a time. Each gets an id that depends on nothing
but the log, so that a second import finds the sessions of the first and adds
nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aimemory.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation of a log."""

    session_id: str
    messages: list[dict[str, str]]
    """role and content, in order; user and assistant only."""
    said_at: list[datetime]
    """One per message."""


def read_chat_log(path: Path, *, at: datetime | None = None) -> Iterator[Conversation]:
    """Yield the conversations of a file; raise InvalidInput that names the line or the entry.

    Two forms are known. JSONL: every line is a message ``{"role": …, "content": …}``, or a
    conversation ``{"messages": […]}``, optionally with ``session_id`` and ``timestamp``. JSON:
    the list that ChatGPT exports. ``at`` is when messages without a time were said; by
    default that is when the file was last changed.
    """
    fallback = at or datetime.fromtimestamp(path.stat().st_mtime, UTC)
    text = path.read_text("utf-8-sig")
    if text.lstrip().startswith("["):
        yield from _export(_load(text, path.name), fallback)
    else:
        yield from _lines(text, path, fallback)


def _export(entries: Any, fallback: datetime) -> Iterator[Conversation]:
    for position, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            raise InvalidInput(f"entry {position} is not a conversation")
        if "mapping" not in entry:
            yield _conversation(entry, f"entry {position}", fallback)
            continue
        found = sorted(_chatgpt_messages(entry["mapping"]), key=lambda item: item[0] or 0)
        if found:
            yield Conversation(
                session_id=str(entry.get("id") or entry.get("conversation_id") or position),
                messages=[{"role": role, "content": text} for _, role, text in found],
                said_at=[_moment(when, fallback) for when, _, _ in found],
            )


def _chatgpt_messages(mapping: Mapping[str, Any]) -> Iterator[tuple[float | None, str, str]]:
    for node in mapping.values():
        message = node.get("message") or {}
        role = (message.get("author") or {}).get("role")
        parts = (message.get("content") or {}).get("parts") or []
        text = "\n".join(part for part in parts if isinstance(part, str)).strip()
        if role in ("user", "assistant") and text:
            yield message.get("create_time"), role, text


def _lines(text: str, path: Path, fallback: datetime) -> Iterator[Conversation]:
    loose: list[Mapping[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        entry = _load(line, f"{path.name}, line {number}")
        if not isinstance(entry, Mapping):
            raise InvalidInput(f"{path.name}, line {number} is not a message or a conversation")
        if "messages" in entry:
            yield _conversation(entry, f"line {number}", fallback)
        else:
            loose.append(entry)
    for session_id, messages in _by_session(loose, path).items():
        yield _conversation({"messages": messages, "session_id": session_id}, path.name, fallback)


def _by_session(
    messages: Iterable[Mapping[str, Any]], path: Path
) -> dict[str, list[Mapping[str, Any]]]:
    sessions: dict[str, list[Mapping[str, Any]]] = {}
    for message in messages:
        sessions.setdefault(str(message.get("session_id") or path.stem), []).append(message)
    return sessions


def _conversation(entry: Mapping[str, Any], where: str, fallback: datetime) -> Conversation:
    messages: list[dict[str, str]] = []
    said_at: list[datetime] = []
    for message in entry.get("messages") or []:
        if not isinstance(message, Mapping) or "role" not in message:
            raise InvalidInput(f"{where}: a message needs a role and a content")
        text = _content(message.get("content"))
        if message["role"] in ("user", "assistant") and text:
            messages.append({"role": message["role"], "content": text})
            said_at.append(_moment(message.get("timestamp"), fallback))
    given = entry.get("session_id") or entry.get("id")
    return Conversation(
        session_id=str(given) if given else _fingerprint(messages),
        messages=messages,
        said_at=said_at,
    )


def _content(content: Any) -> str:
    if isinstance(content, list):
        texts = [part.get("text", "") for part in content if isinstance(part, Mapping)]
        return "\n".join(text for text in texts if isinstance(text, str)).strip()
    return content.strip() if isinstance(content, str) else ""


def _moment(given: Any, fallback: datetime) -> datetime:
    if isinstance(given, int | float):
        return datetime.fromtimestamp(given, UTC)
    if isinstance(given, str) and given:
        try:
            moment = datetime.fromisoformat(given)
        except ValueError as error:
            raise InvalidInput(f"{given!r} is not an ISO time") from error
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return fallback


def _fingerprint(messages: list[dict[str, str]]) -> str:
    return hashlib.sha256(json.dumps(messages, ensure_ascii=False).encode()).hexdigest()[:32]


def _load(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{where} is not JSON: {error}") from error
