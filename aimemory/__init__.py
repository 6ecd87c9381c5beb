"""Long-term memory for AI assistants in one PostgreSQL database."""

from aimemory.block import Budget
from aimemory.context import Context, Reply
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
    Digest,
    Hit,
    Hits,
    ImportReport,
    Memory,
    Nominee,
    Page,
    Receipt,
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
from aimemory.writing.learning import Learning

__all__ = [
    "AimemoryError",
    "AsyncMemoryRepository",
    "AsyncMemoryStore",
    "Budget",
    "Candidate",
    "Context",
    "DatabaseUnsuitable",
    "Digest",
    "EmbeddedUnavailable",
    "Embedder",
    "EmbeddingFailed",
    "EmbeddingMismatch",
    "ExtractionFailed",
    "Hit",
    "Hits",
    "ImportReport",
    "InvalidInput",
    "Item",
    "Learning",
    "Memory",
    "MemoryRepository",
    "MemoryStore",
    "MissingDependency",
    "Nominee",
    "NotFound",
    "Page",
    "Receipt",
    "Replaced",
    "Reply",
    "Revision",
    "Similar",
    "StandingMemory",
    "StoredTurn",
    "UserState",
    "WriteResult",
    "migrate",
    "open_embedder",
]
