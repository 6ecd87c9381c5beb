"""Long-term memory for AI assistants in one PostgreSQL database."""

from aimemory.embedding import Embedder, open_embedder
from aimemory.errors import (
    AimemoryError,
    DatabaseUnsuitable,
    EmbeddedUnavailable,
    EmbeddingFailed,
    EmbeddingMismatch,
    ExtractionFailed,
    InvalidInput,
    MissingDependency,
    NotFound,
)
from aimemory.items import Item
from aimemory.migration import migrate
from aimemory.records import (
    Candidate,
    Hit,
    Hits,
    Memory,
    Nominee,
    Page,
    Replaced,
    Revision,
    Similar,
    StandingMemory,
    StoredTurn,
    UserState,
    WriteResult,
)
from aimemory.repository import AsyncMemoryRepository, MemoryRepository
from aimemory.store import AsyncMemoryStore, MemoryStore

__all__ = [
    "AimemoryError",
    "AsyncMemoryRepository",
    "AsyncMemoryStore",
    "Candidate",
    "DatabaseUnsuitable",
    "EmbeddedUnavailable",
    "Embedder",
    "EmbeddingFailed",
    "EmbeddingMismatch",
    "ExtractionFailed",
    "Hit",
    "Hits",
    "InvalidInput",
    "Item",
    "Memory",
    "MemoryRepository",
    "MemoryStore",
    "MissingDependency",
    "Nominee",
    "NotFound",
    "Page",
    "Replaced",
    "Revision",
    "Similar",
    "StandingMemory",
    "StoredTurn",
    "UserState",
    "WriteResult",
    "migrate",
    "open_embedder",
]
