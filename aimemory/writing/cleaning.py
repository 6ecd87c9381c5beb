"""What is taken out of a message before anything else sees it.

Private parts, memories that we put into the prompt ourselves and reminders of programs
go; secrets become ``[secret]``. All of it in one place and first, so that neither a
language model, a log nor the store meets them. Every step is linear in the length of the
message, however it was made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from typing import Any

from aimemory.errors import InvalidInput
from aimemory.text import aware, storable
from aimemory.writing.proposals import CleanedText, Turn
from aimemory.writing.vocabulary import Secret, Vocabulary

SECRET = "[secret]"
Messages = str | Sequence[Mapping[str, Any]]


def clean(text: str, vocabulary: Vocabulary | None = None) -> CleanedText:
    """Return the message without what must not be kept, and why something went.

    An opening tag that is never closed takes the rest of the message; a closing tag that
    was never opened takes what is before it, because the message may be one part of two.
    """
    vocabulary = vocabulary or Vocabulary.load()
    text = storable(text)
    removed: list[str] = []

    def step(name: str, change: Callable[[str], str]) -> None:
        nonlocal text
        changed = change(text)
        if changed != text:
            removed.append(name)
            text = changed

    step("private", lambda said: _without_tags(said, vocabulary.private_tags, whole=True))
    step("injected_block", lambda said: _without_tags(said, vocabulary.injected_tags, whole=False))
    step("injected_block", lambda said: _without_listed(said, vocabulary))
    step("secret", lambda said: redacted(said, vocabulary))
    return CleanedText(text=text.strip(), removed=tuple(dict.fromkeys(removed)))


def read_messages(
    messages: Messages, at: datetime, vocabulary: Vocabulary | None = None
) -> list[Turn]:
    """Return the turns of a conversation, cleaned, all said ``at`` that time.

    Takes what OpenAI's chat API takes, or one string, which the user said. Content may be
    a list of parts, of which the text counts. System, developer and tool messages are no
    part of the conversation; turns that cleaning leaves empty are dropped.
    """
    aware("at", at)
    turns = []
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    for message in messages:
        role = message.get("role")
        if role not in ("user", "assistant"):
            continue
        content = clean(_written(message.get("content")), vocabulary).text
        if content:
            turns.append(Turn(role=role, content=content, said_at=at))
    return turns


def secret_in(text: str, vocabulary: Vocabulary) -> str | None:
    """Return secret or private for a text that holds something of that sort."""
    if SECRET in text:
        return "secret"
    for secret in vocabulary.secrets:
        for match in secret.pattern.finditer(text):
            if _passes(secret, match):
                return secret.reason
    return None


def redacted(text: str, vocabulary: Vocabulary) -> str:
    """Return the text with every secret replaced by ``[secret]``."""
    for secret in vocabulary.secrets:
        text = secret.pattern.sub(partial(_redaction, secret), text)
    return text


def _written(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = [
            part["text"]
            for part in content
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        ]
        return "\n".join(parts)
    raise InvalidInput(f"content must be a string or a list of parts, not {type(content).__name__}")


# --- tags and blocks -----------------------------------------------------------------------


@lru_cache(maxsize=8)
def _tags(names: tuple[str, ...]) -> re.Pattern[str]:
    wanted = "|".join(re.escape(name) for name in names)
    return re.compile(
        rf"(?:<|＜|&lt;)\s{{0,10}}(?P<close>[/／])?\s{{0,10}}(?P<name>{wanted})(?![\w-])[^<>＜＞]{{0,200}}?"
        r"(?:>|＞|&gt;)",
        re.IGNORECASE,
    )


def _without_tags(text: str, names: Iterable[str], *, whole: bool) -> str:
    """Drop what stands between tags, nested or not.

    ``whole``: a tag without its partner takes everything on its open side. Otherwise an
    open one takes its paragraph, for people do write about <memory> in other senses.
    """
    kept: list[str] = []
    depth, begin = 0, 0
    for match in _tags(tuple(names)).finditer(text):
        if match["close"]:
            if depth == 0 and whole:
                kept.clear()
            elif depth == 0:
                kept.append(text[begin : match.start()])
            depth = max(depth - 1, 0)
            begin = match.end()
        else:
            if depth == 0:
                kept.append(text[begin : match.start()])
            depth += 1
            begin = match.end()
    if depth == 0:
        kept.append(text[begin:])
    elif not whole:
        paragraph = text.find("\n\n", begin)
        kept.append(text[paragraph:] if paragraph >= 0 else "")
    return "".join(kept)


def _without_listed(text: str, vocabulary: Vocabulary) -> str:
    """Drop a block that begins with one of our headings and goes on as a list."""
    if not vocabulary.headings.search(text):
        return text
    kept, in_block = [], False
    for line in text.splitlines(keepends=True):
        if vocabulary.headings.search(line):
            in_block = True
            continue
        in_block = in_block and bool(re.match(r"\s*(?:[-*•·]|\d{1,3}[.)、])|\s*$", line))
        if not in_block:
            kept.append(line)
    return "".join(kept)


# --- secrets -------------------------------------------------------------------------------


def _redaction(secret: Secret, match: re.Match[str]) -> str:
    if not _passes(secret, match) or SECRET in match[0]:
        return match[0]
    if "value" not in secret.pattern.groupindex:
        return SECRET
    start, end = match.span("value")
    return match[0][: start - match.start()] + SECRET + match[0][end - match.start() :]


def _passes(secret: Secret, match: re.Match[str]) -> bool:
    if secret.check is None:
        return True
    digits = re.sub(r"[ -]", "", match[0])
    return _CHECKS[secret.check](digits)


def _identity_card(number: str) -> bool:
    """Return whether the last digit of a Chinese identity number is right (ISO 7064)."""
    total = sum(int(digit) * pow(2, 17 - place, 11) for place, digit in enumerate(number[:17]))
    return number[17].upper() == "10X98765432"[total % 11]


def _luhn(number: str) -> bool:
    """Return whether the last digit of a card number is right."""
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return len(number) >= 13 and total % 10 == 0


_CHECKS: Mapping[str, Callable[[str], bool]] = {"identity_card": _identity_card, "luhn": _luhn}
