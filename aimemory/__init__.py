"""Long-term memory for AI assistants in one PostgreSQL database."""

from aimemory.embedding import Embedder, open_embedder
from aimemory.errors import (
    AimemoryError,
    DatabaseUnsuitable,
    EmbeddedUnavailable,
    EmbeddingFailed,
    EmbeddingMismatch,
    InvalidInput,
    MissingDependency,
    NotFound,
)
from aimemory.items import Item
from aimemory.migration import migrate
from aimemory.records import Hit, Hits, Memory, Page, Replaced, Revision, Similar, WriteResult
from aimemory.repository import MemoryRepository
from aimemory.repository_async import AsyncMemoryRepository
from aimemory.store import MemoryStore
from aimemory.store_async import AsyncMemoryStore

__all__ = [
    "AimemoryError",
    "AsyncMemoryRepository",
    "AsyncMemoryStore",
    "DatabaseUnsuitable",
    "EmbeddedUnavailable",
    "Embedder",
    "EmbeddingFailed",
    "EmbeddingMismatch",
    "Hit",
    "Hits",
    "InvalidInput",
    "Item",
    "Memory",
    "MemoryRepository",
    "MemoryStore",
    "MissingDependency",
    "NotFound",
    "Page",
    "Replaced",
    "Revision",
    "Similar",
    "WriteResult",
    "migrate",
    "open_embedder",
]
