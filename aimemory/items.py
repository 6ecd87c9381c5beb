"""What a caller may hand to `add_many`, checked before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aimemory.errors import InvalidInput
from aimemory.repository.additions import AdditionFields, Vectors
from aimemory.text import aware, identifier, storable, storable_json

LONGEST_CONTENT = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One memory to be stored; every field but ``content`` has a default."""

    content: str
    """At most 100,000 characters; a memory is a sentence, a document belongs elsewhere."""
    memory_type: str = "fact"
    importance: float | None = None
    """From 0 to 1; None takes the default of the type."""
    scope: str = "user"
    slot: str | None = None
    entities: Iterable[str] = ()
    tags: Iterable[str] = ()
    metadata: Mapping[str, Any] | None = None
    session_id: str | None = None
    turn_no: int | None = None
    speaker: str | None = None
    evidence: str | None = None
    event_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    pinned: bool = False
    standing: bool = False
    idempotency_key: str | None = None
    changed_by: str | None = None
    created_at: datetime | None = None
    """When it was said; None is now."""

    @classmethod
    def read(cls, given: str | Mapping[str, Any] | Item, position: int | None = None) -> Item:
        """Check and clean what was given; raise InvalidInput that names the item and the field."""
        where = "" if position is None else f"item {position}: "
        try:
            if isinstance(given, Item):
                return given._cleaned()
            values = {"content": given} if isinstance(given, str) else dict(given)
            return cls(**values)._cleaned()
        except InvalidInput as error:
            raise InvalidInput(f"{where}{error}") from error
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"{where}expected a string, or a mapping with content and optionally "
                f"{', '.join(list(cls.__dataclass_fields__)[1:])}: {error}"
            ) from error

    def _cleaned(self) -> Item:
        content = storable(_text("content", self.content)).strip()
        if not content:
            raise InvalidInput("content is empty")
        if len(content) > LONGEST_CONTENT:
            raise InvalidInput(
                f"content has {len(content):,} characters, the most is {LONGEST_CONTENT:,}: "
                "split it into memories of a sentence or a paragraph each"
            )
        return Item(
            content=content,
            memory_type=_text("memory_type", self.memory_type),
            importance=fraction("importance", self.importance),
            scope=identifier("scope", self.scope),
            slot=None if self.slot is None else identifier("slot", self.slot),
            entities=strings("entities", self.entities),
            tags=strings("tags", self.tags),
            metadata=storable_json(self.metadata or {}),
            session_id=self.session_id,
            turn_no=self.turn_no,
            speaker=self.speaker,
            evidence=None if self.evidence is None else storable(self.evidence),
            event_at=aware("event_at", self.event_at),
            valid_from=aware("valid_from", self.valid_from),
            valid_until=aware("valid_until", self.valid_until),
            pinned=self.pinned,
            standing=self.standing,
            idempotency_key=(
                None
                if self.idempotency_key is None
                else identifier("idempotency_key", self.idempotency_key)
            ),
            changed_by=self.changed_by,
            created_at=aware("created_at", self.created_at),
        )

    def fields(self, vectors: Vectors | None, model: str | None) -> AdditionFields:
        """Return all but ``content``, with the vectors of it, for the repository."""
        return AdditionFields(
            memory_type=self.memory_type,
            importance=self.importance,
            scope=self.scope,
            slot=self.slot,
            entities=self.entities,
            tags=self.tags,
            metadata=self.metadata,
            vectors=vectors,
            model=model,
            session_id=self.session_id,
            turn_no=self.turn_no,
            speaker=self.speaker,
            evidence=self.evidence,
            event_at=self.event_at,
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            pinned=self.pinned,
            standing=self.standing,
            idempotency_key=self.idempotency_key,
            changed_by=self.changed_by,
            created_at=self.created_at,
        )


def fraction(name: str, value: float | None) -> float | None:
    """Return a number from 0 to 1 or None; raise InvalidInput otherwise."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)


def strings(name: str, values: Iterable[str]) -> list[str]:
    """Return a list of cleaned strings; raise InvalidInput for a single string or other items."""
    if isinstance(values, str):
        raise InvalidInput(f"{name} must be a list of strings, not the string {values!r}")
    return [storable(_text(name, value)) for value in values]


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be text, not {value!r}")
    return value
