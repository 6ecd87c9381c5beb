"""The two search indexes beside the memories: vectors and word postings."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import Computed, Index, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from aimemory.models.base import Base, key, reference


class MemoryVectorRow(Base):
    """One vector of a memory."""

    __tablename__ = "memory_vectors"

    user_id: Mapped[str]
    model_id: Mapped[str]
    cold: Mapped[bool] = mapped_column(comment="True when the memory is in the archive.")
    memory_id: Mapped[UUID]
    chunk: Mapped[int] = mapped_column(
        SmallInteger(), comment="0, or the number of the part of a long text."
    )
    cjk: Mapped[bool] = mapped_column(
        server_default=text("false"),
        comment="Whether the text is Chinese, Japanese or Korean: chooses the scale of its"
        " cosines.",
    )
    embedding: Mapped[Any] = mapped_column(HALFVEC(), nullable=False)
    indexable: Mapped[bool] = mapped_column(
        Computed(
            "octet_length(user_id) + octet_length(model_id) + 2 * vector_dims(embedding) <= 2500",
            persisted=True,
        ),
        comment="Whether the vector fits into a B-tree entry (2,704 bytes);"
        " others are read from the table.",
    )

    __table_args__ = (
        key("memory_vectors", "user_id", "memory_id", "model_id", "chunk"),
        reference("memory_vectors_model", "model_id", "embedding_models"),
        Index(
            "memory_vectors_scan_idx",
            "user_id",
            "model_id",
            "cold",
            "memory_id",
            postgresql_include=["cjk", "embedding"],
            postgresql_where=text("indexable"),
        ),
        Index(
            "memory_vectors_large_idx",
            "user_id",
            "model_id",
            "cold",
            "memory_id",
            postgresql_where=text("not indexable"),
        ),
        {
            "comment": "Vectors of memories: one per model, or several where the text is longer"
            " than the model reads."
        },
    )


class MemoryTermRow(Base):
    """One word of one memory."""

    __tablename__ = "memory_terms"

    user_id: Mapped[str]
    cold: Mapped[bool]
    term: Mapped[str] = mapped_column(comment="A lexeme, or # and the name of an entity.")
    memory_id: Mapped[UUID]
    frequency: Mapped[int] = mapped_column(
        SmallInteger(), comment="How often the word occurs in the memory."
    )
    words: Mapped[int] = mapped_column(comment="How many words the memory has.")

    __table_args__ = (
        key(
            "memory_terms",
            "user_id",
            "cold",
            "term",
            "memory_id",
            including=["frequency", "words"],
        ),
        {
            "comment": "Postings: which memories hold a word. Derived from memories.keywords,"
            " for ranking with BM25."
        },
    )
