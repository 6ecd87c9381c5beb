"""The tables of the aimemory schema, for Alembic only; nothing queries through them.

The tables are made by migrations/versions. These classes say the same once more,
so that ``alembic check`` and ``alembic revision --autogenerate`` can tell what a
database lacks; tests/test_models.py builds both and compares the two to the letter.
At runtime every query is a call of an SQL function (see statements.py).
"""

from aimemory.models.archive import ArchiveRow
from aimemory.models.base import Base
from aimemory.models.conversations import CandidateRow, SessionRow, TurnRow, VetoRow
from aimemory.models.memories import MemoryAccessRow, MemoryRevisionRow, MemoryRow
from aimemory.models.recalls import EntityAliasRow, RecallLogRow
from aimemory.models.registries import (
    CalibrationRow,
    EmbeddingModelRow,
    MemoryTypeRow,
    ScoringProfileRow,
    UserRow,
)
from aimemory.models.search import MemoryTermRow, MemoryVectorRow
from aimemory.models.upkeep import ErasureRow, MaintenanceRunRow

__all__ = [
    "ArchiveRow",
    "Base",
    "CalibrationRow",
    "CandidateRow",
    "EmbeddingModelRow",
    "EntityAliasRow",
    "ErasureRow",
    "MaintenanceRunRow",
    "MemoryAccessRow",
    "MemoryRevisionRow",
    "MemoryRow",
    "MemoryTermRow",
    "MemoryTypeRow",
    "MemoryVectorRow",
    "RecallLogRow",
    "ScoringProfileRow",
    "SessionRow",
    "TurnRow",
    "UserRow",
    "VetoRow",
]
