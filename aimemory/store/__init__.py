"""The store: what most applications use."""

from aimemory.store.stores_async import AsyncMemoryStore
from aimemory.store.stores_sync import MemoryStore

__all__ = ["AsyncMemoryStore", "MemoryStore"]
