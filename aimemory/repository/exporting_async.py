"""Repository methods that write out and read in."""

from __future__ import annotations

from aimemory.repository.calls_async import AsyncCalls


class AsyncExporting(AsyncCalls):
    """All of a user, as JSON."""
