# Generated from aimemory/store/stores_async.py by tools/unasync.py: edit that file.
"""Long-term memory for an assistant: text in, memories out.

The store does the slow things, which is calling models, and only then takes a
connection, for as long as one statement runs. What a statement does is in the
SQL function of the same name.
"""

from __future__ import annotations

from aimemory.observing_sync import observed
from aimemory.store.conversing_sync import Conversing
from aimemory.store.exporting_sync import Exporting
from aimemory.store.reviewing_sync import Reviewing
from aimemory.store.tooling_sync import Tooling


@observed
class MemoryStore(Conversing, Reviewing, Tooling, Exporting):
    """The memories of any number of users, in one database.

    Safe to share between threads and between tasks, and usable in a child process
    after a fork. Use it as a context manager, or call `close`.
    """
