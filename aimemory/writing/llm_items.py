"""The memories in a model's reply: their schema, and how an item becomes a proposal.

What a memory cannot do without (what is said, of which type, and the proof) has to be
right, or the item is dropped. So is one with an end that cannot be read: it would be
kept for good. Any other field that is wrong is left out. The log names the fields,
never what is in them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from aimemory.llm.prompts import HAN, Language, language_of
from aimemory.text import storable
from aimemory.writing.proposals import IMPORTANCE_OF_CLASS, Proposal

logger = logging.getLogger(__name__)

LONGEST_CONTENT = 1000
"""Characters of one memory: a sentence, not a document."""
LONGEST_NAME = 200

MemoryType = Literal["fact", "preference", "event", "state", "decision"]

_NULLABLE = {"type": ["string", "null"]}
_PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    "content": {"type": "string"},
    "type": {"type": "string", "enum": list(get_args(MemoryType))},
    "class": {"type": "string", "enum": list(IMPORTANCE_OF_CLASS)},
    "evidence": {"type": "string"},
    "entities": {"type": "array", "items": {"type": "string"}},
    "slot": _NULLABLE,
    "event_at": _NULLABLE,
    "valid_until": _NULLABLE,
    "standing": {"type": "boolean"},
}
MEMORIES: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _PROPERTIES,
                "required": list(_PROPERTIES),
                "additionalProperties": False,
            },
        }
    },
    "required": ["memories"],
    "additionalProperties": False,
}
"""JSON schema of a reply, of the strict kind: an object with everything required."""


class InvalidItem(ValueError):
    """An item is no memory; the message names the fields and quotes nothing."""


def items_of(value: Any, *, truncated: bool = False) -> list[Any] | None:
    """Return the items of a reply, or None if it is no list of memories.

    Small models leave out the object around the list, give it another name, or send a
    single item without a list. A single item of a reply that was cut is not complete.
    """
    if value is None:
        return []
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return None
    if "memories" in value:
        return items_of(value["memories"], truncated=truncated)
    if "content" in value:
        return [] if truncated else [value]
    lists = [member for member in value.values() if isinstance(member, list)]
    return lists[0] if len(lists) == 1 else None


def read_item(item: Any, *, zone: ZoneInfo, language: Language) -> Proposal:
    """Return an item as a proposal, dates without a zone read in ``zone``.

    Raises InvalidItem if it is none, and also for one that was translated: names and
    words of a Chinese user have to stay as they are.
    """
    try:
        read = _Item.model_validate(item, context=zone)
    except ValidationError as error:
        reasons = error.errors(include_url=False, include_context=False, include_input=False)
        raise InvalidItem(", ".join(sorted({_named(reason) for reason in reasons}))) from None
    if _translated(read.content, read.evidence, language):
        raise InvalidItem("content (not in the language of the user)")
    return Proposal(
        content=read.content,
        memory_type=read.type,
        importance_class=read.importance_class or _class_of(read.type),
        evidence=read.evidence,
        entities=tuple(dict.fromkeys(read.entities)),
        slot=read.slot,
        event_at=read.event_at,
        valid_until=read.valid_until,
        standing=read.standing,
    )


def _named(reason: Mapping[str, Any]) -> str:
    place = ".".join(str(part) for part in reason["loc"]) or "item"
    return f"{place} ({reason['type']})"


def _translated(content: str, evidence: str, language: Language) -> bool:
    if HAN.search(evidence):
        return HAN.search(content) is None
    return language == "en" and language_of([content]) == "zh"


def _class_of(memory_type: MemoryType) -> str:
    return "preference" if memory_type == "preference" else "ordinary"


def _clean(value: Any) -> Any:
    return storable(value).strip() if isinstance(value, str) else value


def _lower(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


def _known_class(value: str) -> str:
    if value not in IMPORTANCE_OF_CLASS:
        raise ValueError("no class of importance")
    return value


def _entity(value: Any) -> Any:
    """Turn ``{"name": …, "kind": …}`` into ``name/kind``."""
    if isinstance(value, dict):
        parts = [value.get("name"), value.get("kind") or value.get("type")]
        return "/".join(part for part in parts if isinstance(part, str) and part)
    return value


def _slot(value: Any) -> str:
    entity, dot, attribute = str(value).strip().partition(".")
    if not (entity and dot and attribute):
        raise ValueError("no entity.attribute")
    return f"{entity}.{attribute}"


_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")


def _from(value: Any, info: ValidationInfo) -> datetime | None:
    return _moment(value, info.context, after=False)


def _until(value: Any, info: ValidationInfo) -> datetime | None:
    return _moment(value, info.context, after=True)


def _moment(value: Any, zone: Any, *, after: bool) -> datetime | None:
    """Read a time, day, month or year: when it begins or, with ``after``, when it is over.

    A year from 9999 on is how some models write "for ever".
    """
    text = str(value).strip()
    if match := _DATE.fullmatch(text):
        year, month, day = (int(part) if part else None for part in match.groups())
        assert year is not None
        if year >= 9999:
            return None
        first = date(year, month or 1, day or 1)
        moment = datetime.combine(_next(first, month, day) if after else first, time(), zone)
    else:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    if not 1000 <= moment.year < 9999:
        raise ValueError("out of range")
    return moment


def _next(first: date, month: int | None, day: int | None) -> date:
    if day:
        return first + timedelta(days=1)
    if month:
        return (first + timedelta(days=31)).replace(day=1)
    return first.replace(year=first.year + 1)


_Text = Annotated[str, Field(min_length=1, max_length=LONGEST_CONTENT), BeforeValidator(_clean)]
_Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), BeforeValidator(_clean)]
_BLANK = {"", "null", "none"}


class _Item(BaseModel):
    """One item as a model writes it; the context of validation is the time zone."""

    model_config = ConfigDict(extra="ignore", strict=True)

    content: _Text
    type: Annotated[MemoryType, BeforeValidator(_lower)]
    evidence: _Text
    importance_class: Annotated[
        str | None, BeforeValidator(_known_class), BeforeValidator(_lower)
    ] = Field(default=None, alias="class")
    entities: list[Annotated[_Name, BeforeValidator(_entity)]] = []
    slot: Annotated[_Name | None, BeforeValidator(_slot)] = None
    event_at: Annotated[datetime | None, PlainValidator(_from)] = None
    valid_until: Annotated[datetime | None, PlainValidator(_until)] = None
    standing: bool = False

    @field_validator(
        "importance_class", "entities", "slot", "event_at", "valid_until", "standing", mode="wrap"
    )
    @classmethod
    def _optional(cls, value: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        assert info.field_name is not None
        default = cls.model_fields[info.field_name].get_default(call_default_factory=True)
        if value is None or (isinstance(value, str) and value.strip().lower() in _BLANK):
            return default
        try:
            return read(value)
        except ValidationError:
            if info.field_name == "valid_until":
                raise
            logger.warning("%s of an extracted memory cannot be read: left out", info.field_name)
            return default
