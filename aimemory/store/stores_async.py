"""Long-term memory for an assistant: text in, memories out.

The store does the slow things, which is calling models, and only then takes a
connection, for as long as one statement runs. What a statement does is in the
SQL function of the same name.
"""

from __future__ import annotations

from aimemory.observing_async import observed
from aimemory.store.conversing_async import AsyncConversing
from aimemory.store.exporting_async import AsyncExporting
from aimemory.store.reviewing_async import AsyncReviewing
from aimemory.store.tooling_async import AsyncTooling


@observed
class AsyncMemoryStore(AsyncConversing, AsyncReviewing, AsyncTooling, AsyncExporting):
    """The memories of any number of users, in one database.

    Safe to share between threads and between tasks, and usable in a child process
    after a fork. Use it as a context manager, or call `close`.
    """
