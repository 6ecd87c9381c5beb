"""The SQL functions as methods, inside the caller's own transaction."""

from aimemory.repository.memories_async import AsyncMemoryRepository
from aimemory.repository.memories_sync import MemoryRepository

__all__ = ["AsyncMemoryRepository", "MemoryRepository"]
