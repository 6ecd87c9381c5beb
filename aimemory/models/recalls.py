"""What serves recall and what is kept of it: aliases of entities, and the log."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from aimemory.models.base import Base, check, key, reference


class EntityAliasRow(Base):
    """Another name of one user's entity."""

    __tablename__ = "entity_aliases"

    user_id: Mapped[str]
    alias: Mapped[str]
    entity_name: Mapped[str]
    entity_kind: Mapped[str | None]

    __table_args__ = (
        key("entity_aliases", "user_id", "alias"),
        reference("entity_aliases_user", "user_id", "users"),
        check("entity_aliases_alias", "alias <> '' and entity_name <> ''"),
        {
            "comment": "Other names of one user's entities, both sides in the form of"
            " aimemory.normalized."
        },
    )


class RecallLogRow(Base):
    """One recall: the question, what came back, what was used."""

    __tablename__ = "recall_log"

    user_id: Mapped[str]
    recall_id: Mapped[UUID]
    recalled_at: Mapped[datetime]
    session_id: Mapped[str | None]
    query: Mapped[str]
    candidates: Mapped[Any] = mapped_column(JSONB(), nullable=False)
    injected_ids: Mapped[list[UUID]] = mapped_column(server_default="{}")
    block: Mapped[str | None] = mapped_column(comment="The text that was put into the prompt.")
    token_count: Mapped[int | None]
    latency_ms: Mapped[float | None]
    degraded: Mapped[bool] = mapped_column(
        server_default=text("false"),
        comment="True when the embedding model was out of reach and only words, entities and"
        " time answered.",
    )

    __table_args__ = (
        key("recall_log", "user_id", "recall_id"),
        Index("recall_log_recalled_at_idx", "user_id", "recalled_at"),
        Index("recall_log_age_idx", "recalled_at"),
        {
            "comment": "What was asked, what came back with all score parts, and what was put"
            " into the prompt."
        },
    )
