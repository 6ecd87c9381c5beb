"""What upkeep and erasure leave behind: one row a run, one receipt an erasure."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from aimemory.models.base import Base, check, key


class MaintenanceRunRow(Base):
    """One run of one job."""

    __tablename__ = "maintenance_runs"

    run_id: Mapped[UUID]
    job: Mapped[str]
    status: Mapped[str] = mapped_column(
        comment="running, done, skipped (another worker was at it) or failed."
    )
    dry_run: Mapped[bool] = mapped_column(
        server_default=text("false"), comment="True: it only counted what it would change."
    )
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    rows_changed: Mapped[int] = mapped_column(
        BigInteger(),
        server_default=text("0"),
        comment="Memories, sessions or log entries that it changed, or would have changed.",
    )
    batches: Mapped[int] = mapped_column(server_default=text("0"))
    worker: Mapped[str | None] = mapped_column(
        comment="Who ran it: a host and a process, or pg_cron."
    )
    error: Mapped[str | None]

    __table_args__ = (
        key("maintenance_runs", "run_id"),
        check("maintenance_runs_status", "status in ('running', 'done', 'skipped', 'failed')"),
        check("maintenance_runs_finished", "(status = 'running') = (finished_at is null)"),
        Index("maintenance_runs_job_idx", "job", "started_at"),
        {"comment": "One row for every run of an upkeep job."},
    )


class ErasureRow(Base):
    """The receipt of one erasure."""

    __tablename__ = "erasures"

    erasure_id: Mapped[UUID]
    subject: Mapped[str] = mapped_column(
        comment="SHA-256 of the user's id in hex: it answers for an id that is known, and names"
        " nobody."
    )
    filters: Mapped[list[str]] = mapped_column(
        comment="By what the memories were chosen, without the values: ids, scopes, everything"
        " and so on."
    )
    counts: Mapped[dict[str, Any]] = mapped_column(comment="Rows erased, by kind.")
    erased_at: Mapped[datetime]

    __table_args__ = (
        key("erasures", "erasure_id"),
        Index("erasures_subject_idx", "subject"),
        {"comment": "One receipt for every erasure: counts, no content."},
    )
