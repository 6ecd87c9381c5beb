"""Long-term memory for AI assistants in one PostgreSQL database."""

from aimemory.block import Budget
from aimemory.context import Context, Reply
from aimemory.embedding import Embedder, open_embedder
from aimemory.errors import (
    AccessDenied,
    AimemoryError,
    DatabaseUnsuitable,
    EmbeddedUnavailable,
    EmbeddingFailed,
    EmbeddingMismatch,
    ExtractionFailed,
    InvalidInput,
    MaintenanceFailed,
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
    PastMemory,
    Receipt,
    Replaced,
    Revision,
    Similar,
    StandingMemory,
    StoredTurn,
    TimelineEntry,
    UserState,
    WriteResult,
)
from aimemory.repository import AsyncMemoryRepository, MemoryRepository
from aimemory.store import AsyncMemoryStore, MemoryStore
from aimemory.writing.learning import Learning

__all__ = [
    "AccessDenied",
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
    "MaintenanceFailed",
    "Memory",
    "MemoryRepository",
    "MemoryStore",
    "MissingDependency",
    "Nominee",
    "NotFound",
    "Page",
    "PastMemory",
    "Receipt",
    "Replaced",
    "Reply",
    "Revision",
    "Similar",
    "StandingMemory",
    "StoredTurn",
    "TimelineEntry",
    "UserState",
    "WriteResult",
    "migrate",
    "open_embedder",
]
