"""What the table classes share: the schema, and the PostgreSQL type of each Python type."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase

SCHEMA = "aimemory"


class Base(DeclarativeBase):
    """Base of all table classes."""

    metadata = MetaData(schema=SCHEMA)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        bool: Boolean(),
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB(),
        float: Double(),
        int: Integer(),
        list[str]: ARRAY(Text()),
        list[UUID]: ARRAY(Uuid()),
        str: Text(),
        UUID: Uuid(),
    }


def key(table: str, *columns: str, including: list[str] | None = None) -> PrimaryKeyConstraint:
    """Return the primary key of a table; ``including`` names columns its index carries along."""
    return PrimaryKeyConstraint(*columns, name=f"{table}_pkey", postgresql_include=including)


def check(name: str, condition: str) -> CheckConstraint:
    """Return a named CHECK constraint; ``name`` lacks the ending ``_check``."""
    return CheckConstraint(condition, name=f"{name}_check")


def reference(name: str, column: str, target: str) -> ForeignKeyConstraint:
    """Return a foreign key on the column of the same name in another table."""
    return ForeignKeyConstraint([column], [f"{SCHEMA}.{target}.{column}"], name=f"{name}_fkey")
