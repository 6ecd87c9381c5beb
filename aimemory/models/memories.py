"""Live memories, how they are used, and how they changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from aimemory.models.base import Base, check, key, reference


class MemoryRow(Base):
    """One live memory, active or superseded."""

    __tablename__ = "memories"

    user_id: Mapped[str]
    memory_id: Mapped[UUID]
    content: Mapped[str] = mapped_column(
        comment="One self-contained sentence in the user's language; at most 100,000 characters."
    )
    memory_type: Mapped[str]
    importance: Mapped[float] = mapped_column(
        comment="From 0 to 1, as given; time never overwrites it"
        " (see aimemory.effective_importance)."
    )
    scope: Mapped[str] = mapped_column(
        server_default="user",
        comment="'user' for what holds everywhere, or a name such as 'project:atlas'.",
    )
    slot: Mapped[str | None] = mapped_column(
        comment="entity.attribute, such as user.city: at most one active memory per scope holds it."
    )
    entities: Mapped[list[str]] = mapped_column(
        server_default="{}", comment="Whom or what it is about: name or name/kind."
    )
    tags: Mapped[list[str]] = mapped_column(server_default="{}")
    keywords: Mapped[str] = mapped_column(
        TSVECTOR(),
        comment="aimemory.tokens(content) with positions, and entity names with weight A.",
    )
    content_hash: Mapped[str] = mapped_column(comment="aimemory.content_hash(content).")
    evidence: Mapped[str | None] = mapped_column(comment="What the user said, word for word.")
    speaker: Mapped[str | None]
    session_id: Mapped[str | None]
    turn_no: Mapped[int | None]
    status: Mapped[str] = mapped_column(server_default="active")
    superseded_by: Mapped[UUID | None] = mapped_column(comment="The memory that took its place.")
    superseded_at: Mapped[datetime | None]
    valid_from: Mapped[datetime | None]
    valid_until: Mapped[datetime | None]
    event_at: Mapped[datetime | None] = mapped_column(
        comment="When it happens or happened, if it is an event."
    )
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    last_confirmed_at: Mapped[datetime]
    confirm_count: Mapped[int] = mapped_column(
        server_default=text("0"), comment="How often it was said again."
    )
    pinned: Mapped[bool] = mapped_column(
        server_default=text("false"), comment="Never archived by upkeep."
    )
    standing: Mapped[bool] = mapped_column(
        server_default=text("false"),
        comment="Applies to every answer (tone, language), so it belongs into the profile block.",
    )
    idempotency_key: Mapped[str | None]
    # Declared under another name: a declarative class has an attribute "metadata" already.
    details: Mapped[dict[str, Any]] = mapped_column("metadata", server_default="{}")

    __table_args__ = (
        key("memories", "user_id", "memory_id"),
        reference("memories_user", "user_id", "users"),
        reference("memories_type", "memory_type", "memory_types"),
        check("memories_content", "content <> '' and length(content) <= 100000"),
        check("memories_importance", "importance between 0 and 1"),
        check("memories_scope", "scope <> '' and length(scope) <= 512"),
        check("memories_slot", "slot <> '' and length(slot) <= 512"),
        check("memories_status", "status in ('active', 'superseded')"),
        check(
            "memories_superseded",
            "(status = 'superseded') = (superseded_at is not null) and superseded_by <> memory_id",
        ),
        check("memories_validity", "valid_from < valid_until"),
        check("memories_metadata", "jsonb_typeof(metadata) = 'object'"),
        Index(
            "memories_content_hash_idx",
            "user_id",
            "scope",
            "content_hash",
            unique=True,
            postgresql_where=text("status = 'active'"),
        ),
        Index(
            "memories_slot_idx",
            "user_id",
            "scope",
            "slot",
            unique=True,
            postgresql_where=text(
                "status = 'active' and slot is not null and memory_type <> 'event'"
            ),
        ),
        Index(
            "memories_idempotency_key_idx",
            "user_id",
            "idempotency_key",
            unique=True,
            postgresql_where=text("idempotency_key is not null"),
        ),
        Index("memories_created_at_idx", "user_id", "created_at"),
        Index(
            "memories_superseded_by_idx",
            "user_id",
            "superseded_by",
            postgresql_where=text("superseded_by is not null"),
        ),
        Index("memories_standing_idx", "user_id", postgresql_where=text("standing")),
        {
            "comment": "Live memories: active ones, and superseded ones until upkeep moves them"
            " to the archive."
        },
    )


class MemoryAccessRow(Base):
    """When a memory was last given to the caller."""

    __tablename__ = "memory_access"

    user_id: Mapped[str]
    memory_id: Mapped[UUID]
    last_access_at: Mapped[datetime]
    access_count: Mapped[int] = mapped_column(server_default=text("0"))
    due_at: Mapped[datetime | None] = mapped_column(
        comment="When upkeep moves the memory to the archive; null: never, or it is there already."
    )
    last_session_id: Mapped[str | None] = mapped_column(
        comment="The conversation it was last given in; there it counts as used once."
    )

    __table_args__ = (
        key("memory_access", "user_id", "memory_id"),
        Index("memory_access_due_idx", "due_at", postgresql_where=text("due_at is not null")),
        {
            "comment": "When a memory was last given to the caller; narrow, because it changes"
            " with every recall.",
            "postgresql_with": {"fillfactor": 80},
        },
    )


class MemoryRevisionRow(Base):
    """One change of a memory."""

    __tablename__ = "memory_revisions"

    user_id: Mapped[str]
    memory_id: Mapped[UUID]
    revision: Mapped[int]
    action: Mapped[str]
    reason: Mapped[str | None]
    actor: Mapped[str | None]
    content: Mapped[str] = mapped_column(comment="The text before the change.")
    details: Mapped[dict[str, Any]] = mapped_column(
        server_default="{}", comment="Other values before the change."
    )
    changed_at: Mapped[datetime]

    __table_args__ = (
        key("memory_revisions", "user_id", "memory_id", "revision"),
        check(
            "memory_revisions_action",
            "action in ('added', 'confirmed', 'updated', 'merged', 'superseded', 'archived',"
            " 'restored', 'pinned', 'unpinned')",
        ),
        {
            "comment": "Every change of a memory: what, when, why, by whom, and the text before"
            " the change."
        },
    )
