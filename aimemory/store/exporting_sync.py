# Generated from aimemory/store/exporting_async.py by tools/unasync.py: edit that file.
"""Store methods that write out and read in."""

from __future__ import annotations

from aimemory.store.opening_sync import Opening


class Exporting(Opening):
    """All of a user, as JSON."""
