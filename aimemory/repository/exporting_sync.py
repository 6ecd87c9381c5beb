# Generated from aimemory/repository/exporting_async.py by tools/unasync.py: edit that file.
"""Repository methods that write out and read in."""

from __future__ import annotations

from aimemory.repository.calls_sync import Calls


class Exporting(Calls):
    """All of a user, as JSON."""
