"""Users, and the small tables that operators tune: types, profiles, embedding models."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from aimemory.models.base import Base, check, key, reference


class UserRow(Base):
    """One row a user."""

    __tablename__ = "users"

    user_id: Mapped[str] = mapped_column(comment="The application's own id, 1 to 512 characters.")
    time_zone: Mapped[str] = mapped_column(
        server_default="UTC",
        comment='IANA name; relative dates such as "yesterday" are resolved in it.',
    )
    created_at: Mapped[datetime]
    learning: Mapped[bool] = mapped_column(
        server_default=text("true"),
        comment="False: nothing is learnt from this user's turns.",
    )
    usage_day: Mapped[date | None] = mapped_column(
        comment="The day (UTC) that usage_calls and usage_tokens count; an older day counts as"
        " none."
    )
    usage_calls: Mapped[int] = mapped_column(
        server_default=text("0"), comment="Calls of a language model to learn, that day."
    )
    usage_tokens: Mapped[int] = mapped_column(
        BigInteger(),
        server_default=text("0"),
        comment="Tokens that those calls used, in and out.",
    )

    __table_args__ = (
        key("users", "user_id"),
        check("users_user_id", "user_id <> '' and length(user_id) <= 512"),
        {
            "comment": "One row a user. Writers lock it, so the writes of one user happen"
            " one after the other."
        },
    )


class MemoryTypeRow(Base):
    """How one kind of memory fades."""

    __tablename__ = "memory_types"

    memory_type: Mapped[str]
    decay_factor: Mapped[float] = mapped_column(
        comment="What importance is multiplied by for every day without use;"
        " closer to 1 fades slower."
    )
    decay_floor: Mapped[float | None] = mapped_column(
        comment="Importance never fades below this when it started at decay_floor_from or higher."
    )
    decay_floor_from: Mapped[float | None]
    ttl_seconds: Mapped[float | None] = mapped_column(
        comment="Seconds after its last confirmation (or its event) when a memory is archived;"
        " null: never."
    )
    recency_weight: Mapped[float | None] = mapped_column(
        comment="Replaces the recency weight of a profile that uses recency;"
        " null: the profile's own."
    )
    default_importance: Mapped[float]
    archive_below: Mapped[float] = mapped_column(
        server_default=text("0.3"),
        comment="A memory is due for the archive when less than this is left of its importance.",
    )
    applied_rules: Mapped[str | None] = mapped_column(
        comment="The rules that the stored due dates follow; upkeep renews them after a change."
    )

    __table_args__ = (
        key("memory_types", "memory_type"),
        check("memory_types_decay_factor", "decay_factor > 0 and decay_factor <= 1"),
        check("memory_types_decay_floor", "decay_floor between 0 and 1"),
        check("memory_types_decay_floor_from", "decay_floor_from between 0 and 1"),
        check("memory_types_ttl_seconds", "ttl_seconds > 0"),
        check("memory_types_recency_weight", "recency_weight between 0 and 0.3"),
        check("memory_types_default_importance", "default_importance between 0 and 1"),
        check("memory_types_archive_below", "archive_below between 0 and 1"),
        {
            "comment": "How each kind of memory fades. Operators tune it with UPDATE;"
            " nothing is compiled in."
        },
    )


class ScoringProfileRow(Base):
    """Weights and thresholds of recall."""

    __tablename__ = "scoring_profiles"

    profile: Mapped[str]
    vector_weight: Mapped[float] = mapped_column(server_default=text("0.6"))
    keyword_weight: Mapped[float] = mapped_column(server_default=text("0.3"))
    recency_weight: Mapped[float] = mapped_column(server_default=text("0.1"))
    forgetting_weight: Mapped[float] = mapped_column(server_default=text("0.05"))
    importance_weight: Mapped[float] = mapped_column(server_default=text("0.05"))
    aged_importance_weight: Mapped[float] = mapped_column(
        server_default=text("0"),
        comment="Weight of importance * greatest(age_floor, 1 - age / age_days);"
        " used by seed003 only.",
    )
    half_life_days: Mapped[float] = mapped_column(
        server_default=text("30"),
        comment="Recency halves with every so many days since the last update.",
    )
    age_days: Mapped[float] = mapped_column(server_default=text("30"))
    age_floor: Mapped[float] = mapped_column(server_default=text("0.3"))
    min_similarity: Mapped[float] = mapped_column(
        server_default=text("0.3"),
        comment="A memory found by meaning alone must be at least this similar"
        " (calibrated, 0 to 1).",
    )
    min_coverage: Mapped[float] = mapped_column(
        server_default=text("0.2"),
        comment="A memory found by words alone must hold this share of the weight"
        " of the query's words.",
    )
    entity_bypass: Mapped[float] = mapped_column(
        server_default=text("0.55"),
        comment="Similarity or coverage that passes the soft entity gate"
        " without an entity in common.",
    )
    cold_weight: Mapped[float] = mapped_column(
        server_default=text("0.5"),
        comment="What the score of an archived memory is multiplied by.",
    )
    cold_min_importance: Mapped[float] = mapped_column(
        server_default=text("0.5"),
        comment="Archived memories below this importance never answer.",
    )

    __table_args__ = (
        key("scoring_profiles", "profile"),
        check("scoring_profiles_recency_weight", "recency_weight between 0 and 0.3"),
        check("scoring_profiles_half_life_days", "half_life_days > 0"),
        check("scoring_profiles_age_days", "age_days > 0"),
        {
            "comment": "Weights and thresholds of aimemory.recall, one row a profile;"
            " similarity is calibrated."
        },
    )


class EmbeddingModelRow(Base):
    """One embedding model."""

    __tablename__ = "embedding_models"

    model_id: Mapped[str]
    dimensions: Mapped[int]
    query_prefix: Mapped[str] = mapped_column(server_default="")
    document_prefix: Mapped[str] = mapped_column(server_default="")
    active: Mapped[bool] = mapped_column(
        server_default=text("false"),
        comment="True for the one model that new memories are embedded with.",
    )
    created_at: Mapped[datetime]

    __table_args__ = (
        key("embedding_models", "model_id"),
        check("embedding_models_dimensions", "dimensions between 1 and 16000"),
        Index(
            "embedding_models_active_idx", "active", unique=True, postgresql_where=text("active")
        ),
        {"comment": "Every model whose vectors are stored."},
    )


class CalibrationRow(Base):
    """The scale of one model's cosines, for one kind of script."""

    __tablename__ = "calibrations"

    model_id: Mapped[str]
    script: Mapped[str] = mapped_column(
        comment="cjk for questions with Chinese, Japanese or Korean in them, other for the rest."
    )
    similarity_floor: Mapped[float] = mapped_column(
        comment="Cosine of unrelated pairs (median):"
        " similarity = (cosine - floor) / (ceiling - floor)."
    )
    similarity_ceiling: Mapped[float] = mapped_column(
        comment="Cosine of a question and its best match (median)."
    )
    calibrated_at: Mapped[datetime | None] = mapped_column(
        comment="When it was measured here; null for a scale that came with the library."
    )
    comparing: Mapped[str] = mapped_column(
        server_default="questions",
        comment="questions: a question with memories; memories: a memory with others, to find"
        " duplicates.",
    )

    __table_args__ = (
        key("calibrations", "model_id", "script", "comparing"),
        reference("calibrations_model", "model_id", "embedding_models"),
        check("calibrations_script", "script in ('cjk', 'other')"),
        check("calibrations_comparing", "comparing in ('questions', 'memories')"),
        check("calibrations_scale", "similarity_floor < similarity_ceiling"),
        {
            "comment": "What a cosine means: thresholds belong to the model and to the script"
            " of the question."
        },
    )
