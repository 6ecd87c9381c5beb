"""Cold storage: the columns of a memory, and when and why it went there."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from aimemory.models.base import Base, check, key, reference


class ArchiveRow(Base):
    """One archived memory."""

    __tablename__ = "archive"

    user_id: Mapped[str]
    memory_id: Mapped[UUID]
    content: Mapped[str]
    memory_type: Mapped[str]
    importance: Mapped[float]
    scope: Mapped[str]
    slot: Mapped[str | None]
    entities: Mapped[list[str]]
    tags: Mapped[list[str]]
    keywords: Mapped[str] = mapped_column(TSVECTOR())
    content_hash: Mapped[str]
    evidence: Mapped[str | None]
    speaker: Mapped[str | None]
    session_id: Mapped[str | None]
    turn_no: Mapped[int | None]
    status: Mapped[str]
    superseded_by: Mapped[UUID | None]
    superseded_at: Mapped[datetime | None]
    valid_from: Mapped[datetime | None]
    valid_until: Mapped[datetime | None]
    event_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    last_confirmed_at: Mapped[datetime]
    confirm_count: Mapped[int]
    pinned: Mapped[bool]
    standing: Mapped[bool]
    idempotency_key: Mapped[str | None]
    # Declared under another name: a declarative class has an attribute "metadata" already.
    details: Mapped[dict[str, Any]] = mapped_column("metadata")
    archived_at: Mapped[datetime]
    archive_reason: Mapped[str]
    archived_importance: Mapped[float] = mapped_column(
        comment="Effective importance at the moment of archiving."
    )

    __table_args__ = (
        key("archive", "user_id", "memory_id"),
        reference("archive_user", "user_id", "users"),
        reference("archive_type", "memory_type", "memory_types"),
        check("archive_reason", "archive_reason in ('ttl', 'faded', 'superseded', 'manual')"),
        Index("archive_content_hash_idx", "user_id", "scope", "content_hash"),
        Index(
            "archive_slot_idx",
            "user_id",
            "scope",
            "slot",
            postgresql_where=text("slot is not null"),
        ),
        Index(
            "archive_idempotency_key_idx",
            "user_id",
            "idempotency_key",
            unique=True,
            postgresql_where=text("idempotency_key is not null"),
        ),
        Index("archive_created_at_idx", "user_id", "created_at"),
        Index("archive_archived_at_idx", "user_id", "archived_at"),
        Index(
            "archive_superseded_by_idx",
            "user_id",
            "superseded_by",
            postgresql_where=text("superseded_by is not null"),
        ),
        {
            "comment": "Cold storage. A memory is in exactly one of memories and archive,"
            " with the same id."
        },
    )
