"""Text as PostgreSQL can store it, and filters as it can read them.

A NUL byte or half a surrogate pair in one message must not lose the message,
so such characters are replaced in content and metadata. In an id they are an
error: an id that is quietly changed is another id.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

from aimemory.errors import InvalidInput

_COMPARISONS = {"eq": "==", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def storable(text: str) -> str:
    """Drop NUL characters and replace lone surrogates by U+FFFD."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text.encode("utf-8", "replace").decode("utf-8") if _has_surrogate(text) else text


def storable_json(value: Any) -> Any:
    """Apply `storable` to every string of a JSON value, keys included; dates become ISO strings."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(key)): storable_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [storable_json(item) for item in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and value == value and value not in (float("inf"), float("-inf")):
        return value
    raise InvalidInput(f"metadata cannot hold {value!r}: use strings, numbers, lists and mappings")


def identifier(name: str, value: str) -> str:
    """Return an id as it is, or raise InvalidInput: 1 to 512 characters, no NUL, valid Unicode."""
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{name} must be a non-empty string, not {value!r}")
    if len(value) > 512:
        raise InvalidInput(f"{name} has {len(value)} characters; at most 512 are allowed")
    if "\x00" in value or _has_surrogate(value):
        raise InvalidInput(f"{name} contains a NUL or half a surrogate pair: {value!r}")
    return value


def metadata_path(where: str | Mapping[str, Any] | None) -> str | None:
    """Turn a metadata filter into a jsonpath predicate.

    A mapping compares keys, all of which must match: ``{"city": "Berlin"}``, or
    with operators ``{"priority": {"gte": 3}}``: eq, ne, gt, gte, lt, lte, in, nin,
    contains (a substring) and exists. Values of another type than the stored one
    never match and never fail. A string is taken as a jsonpath predicate itself,
    such as ``$.priority > 3 && $.city == "Berlin"``.
    """
    if where is None or isinstance(where, str):
        return where
    clauses = [
        _clause(key, operator, operand)
        for key, condition in where.items()
        for operator, operand in (
            condition.items() if isinstance(condition, Mapping) else [("eq", condition)]
        )
    ]
    return " && ".join(clauses) or None


def _clause(key: str, operator: str, operand: Any) -> str:
    path = f"$.{_literal(key)}"
    if operator in _COMPARISONS:
        return f"({path} {_COMPARISONS[operator]} {_literal(operand)})"
    if operator == "in":
        return (
            "(" + (" || ".join(f"{path} == {_literal(item)}" for item in operand) or "1 == 2") + ")"
        )
    if operator == "nin":
        return (
            "(" + (" && ".join(f"{path} != {_literal(item)}" for item in operand) or "1 == 1") + ")"
        )
    if operator == "contains":
        return f'({path} like_regex {_literal(str(operand))} flag "q")'
    if operator == "exists":
        return f"({'' if operand else '!'}exists({path}))"
    known = ", ".join([*_COMPARISONS, "in", "nin", "contains", "exists"])
    raise InvalidInput(f"unknown metadata operator {operator!r}; known are {known}")


def _literal(value: Any) -> str:
    value = storable_json(value)
    if isinstance(value, list | dict):
        raise InvalidInput("a metadata filter compares strings, numbers, booleans and null only")
    return json.dumps(value, ensure_ascii=False)


def page_token(created_at: datetime, memory_id: UUID) -> str:
    """Encode where a page ended."""
    return base64.urlsafe_b64encode(f"{created_at.isoformat()} {memory_id}".encode()).decode()


def read_page_token(token: str) -> tuple[datetime, UUID]:
    """Decode `page_token`; raise InvalidInput for anything else."""
    try:
        time, _, memory_id = base64.urlsafe_b64decode(token.encode()).decode().partition(" ")
        return datetime.fromisoformat(time), UUID(memory_id)
    except ValueError as error:
        raise InvalidInput(
            "after is not a page token: pass Page.next of the page before"
        ) from error


def aware(name: str, value: datetime | None) -> datetime | None:
    """Return an aware datetime, or raise InvalidInput for a naive one."""
    if value is not None and value.tzinfo is None:
        raise InvalidInput(f"{name} has no time zone: use datetime(…, tzinfo=…), got {value!r}")
    return value


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
