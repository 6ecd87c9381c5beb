"""Conversations and what waits to be learnt from them: turns, candidates, vetoes."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKeyConstraint, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from aimemory.models.base import SCHEMA, Base, check, key, reference


class SessionRow(Base):
    """One conversation."""

    __tablename__ = "sessions"

    user_id: Mapped[str]
    session_id: Mapped[str]
    started_at: Mapped[datetime]
    last_turn_at: Mapped[datetime]
    turn_count: Mapped[int] = mapped_column(
        server_default=text("0"), comment="Turns so far: the number of the last one."
    )
    closed_at: Mapped[datetime | None] = mapped_column(
        comment="When it ended; a new turn opens it again."
    )

    __table_args__ = (
        key("sessions", "user_id", "session_id"),
        reference("sessions_user", "user_id", "users"),
        check("sessions_session_id", "session_id <> '' and length(session_id) <= 512"),
        Index(
            "sessions_open_idx",
            "user_id",
            "last_turn_at",
            postgresql_where=text("closed_at is null"),
        ),
        Index("sessions_quiet_idx", "last_turn_at", postgresql_where=text("closed_at is null")),
        {"comment": "Conversations: the short-term layer."},
    )


class TurnRow(Base):
    """One thing that was said."""

    __tablename__ = "turns"

    user_id: Mapped[str]
    session_id: Mapped[str]
    turn_no: Mapped[int]
    role: Mapped[str]
    content: Mapped[str]
    said_at: Mapped[datetime]
    extracted_at: Mapped[datetime | None] = mapped_column(
        comment="When it was learnt from; null: still to do."
    )
    attempts: Mapped[int] = mapped_column(
        server_default=text("0"), comment="How often learning from it failed."
    )
    last_error: Mapped[str | None] = mapped_column(
        comment="Why it failed last; the turn is kept for a retry."
    )

    __table_args__ = (
        key("turns", "user_id", "session_id", "turn_no"),
        ForeignKeyConstraint(
            ["user_id", "session_id"],
            [f"{SCHEMA}.sessions.user_id", f"{SCHEMA}.sessions.session_id"],
            name="turns_session_fkey",
            ondelete="CASCADE",
        ),
        check("turns_role", "role in ('user', 'assistant')"),
        Index(
            "turns_pending_idx",
            "user_id",
            "session_id",
            "turn_no",
            postgresql_where=text("extracted_at is null"),
        ),
        {
            "comment": "What was said, private parts and secrets taken out; a queue until it has"
            " been learnt from."
        },
    )


class CandidateRow(Base):
    """One memory that waits for a yes or no, or got one."""

    __tablename__ = "candidates"

    user_id: Mapped[str]
    candidate_id: Mapped[UUID]
    content: Mapped[str]
    content_hash: Mapped[str]
    memory_type: Mapped[str]
    importance: Mapped[float]
    scope: Mapped[str]
    slot: Mapped[str | None]
    proposal: Mapped[dict[str, Any]] = mapped_column(
        comment="Everything that would be stored, and why."
    )
    state: Mapped[str] = mapped_column(server_default="pending")
    reason: Mapped[str | None]
    memory_id: Mapped[UUID | None] = mapped_column(
        comment="The memory that an approval made or changed."
    )
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]

    __table_args__ = (
        key("candidates", "user_id", "candidate_id"),
        reference("candidates_user", "user_id", "users"),
        reference("candidates_type", "memory_type", "memory_types"),
        check("candidates_state", "state in ('pending', 'approved', 'rejected')"),
        check("candidates_decided", "(state = 'pending') = (decided_at is null)"),
        Index(
            "candidates_pending_idx",
            "user_id",
            "scope",
            "content_hash",
            unique=True,
            postgresql_where=text("state = 'pending'"),
        ),
        {"comment": "What waits for the user's yes or no in review mode, and what became of it."},
    )


class VetoRow(Base):
    """One thing that is never learnt again."""

    __tablename__ = "vetoes"

    user_id: Mapped[str]
    veto_id: Mapped[UUID]
    content_hash: Mapped[str | None]
    slot: Mapped[str | None]
    reason: Mapped[str | None]
    created_at: Mapped[datetime]

    __table_args__ = (
        key("vetoes", "user_id", "veto_id"),
        reference("vetoes_user", "user_id", "users"),
        check("vetoes_target", "content_hash is not null or slot is not null"),
        Index("vetoes_content_hash_idx", "user_id", "content_hash"),
        Index("vetoes_slot_idx", "user_id", "slot", postgresql_where=text("slot is not null")),
        {
            "comment": "What must never be learnt again: by the hash of its text, or by slot."
            " No text is kept."
        },
    )
