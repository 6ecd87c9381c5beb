"""The arguments of aimemory.add_memory, by the names that Python callers use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias, TypedDict

import numpy.typing as npt
from psycopg.types.json import Jsonb

from aimemory.statements import vector_text

Vectors: TypeAlias = Sequence[npt.ArrayLike]


class AdditionFields(TypedDict, total=False):
    """What may be said of a new memory; all of it may be left out."""

    memory_type: str
    importance: float | None
    scope: str
    slot: str | None
    entities: Iterable[str]
    tags: Iterable[str]
    metadata: Mapping[str, Any] | None
    vectors: Vectors | None
    model: str | None
    session_id: str | None
    turn_no: int | None
    speaker: str | None
    evidence: str | None
    event_at: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    pinned: bool
    standing: bool
    idempotency_key: str | None
    changed_by: str | None
    created_at: datetime | None


def addition(user_id: str, content: str, fields: AdditionFields) -> dict[str, Any]:
    """Return the parameters of the statement that adds a memory."""
    return {
        "for_user": user_id,
        "new_content": content,
        "as_type": fields.get("memory_type", "fact"),
        "with_importance": fields.get("importance"),
        "in_scope": fields.get("scope", "user"),
        "in_slot": fields.get("slot"),
        "about": [*fields.get("entities", ())],
        "with_tags": [*fields.get("tags", ())],
        "with_metadata": Jsonb(dict(fields.get("metadata") or {})),
        "vectors": vector_array(fields.get("vectors")),
        "vector_model": fields.get("model"),
        "from_session": fields.get("session_id"),
        "from_turn": fields.get("turn_no"),
        "said_by": fields.get("speaker"),
        "quoting": fields.get("evidence"),
        "happening_at": fields.get("event_at"),
        "true_from": fields.get("valid_from"),
        "true_until": fields.get("valid_until"),
        "is_pinned": fields.get("pinned", False),
        "is_standing": fields.get("standing", False),
        "request_key": fields.get("idempotency_key"),
        "changed_by": fields.get("changed_by"),
        "as_of": fields.get("created_at"),
    }


def vector_array(vectors: Vectors | None) -> str | None:
    """Write vectors as an array literal, whose type the function's argument decides.

    A cast to halfvec[] would look for the type on the session's search path, and
    pgvector may have been installed into another schema.
    """
    if vectors is None:
        return None
    return "{" + ",".join(f'"{vector_text(vector)}"' for vector in vectors) + "}"
