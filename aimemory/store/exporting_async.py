"""Store methods that write out and read in."""

from __future__ import annotations

from aimemory.store.opening_async import AsyncOpening


class AsyncExporting(AsyncOpening):
    """All of a user, as JSON."""
