"""One method per SQL function, on a connection whose transaction is the caller's.

Give it a psycopg connection, or a SQLAlchemy session: memory writes then commit
and roll back with the application's own. No method calls a model; vectors come
as arguments.
"""

from __future__ import annotations

from aimemory.repository.changing_async import AsyncChanging
from aimemory.repository.conversations_async import AsyncConversations
from aimemory.repository.erasing_async import AsyncErasing
from aimemory.repository.exporting_async import AsyncExporting
from aimemory.repository.learning_async import AsyncLearning
from aimemory.repository.reading_async import AsyncReading
from aimemory.repository.reviewing_async import AsyncReviewing


class AsyncMemoryRepository(
    AsyncReading,
    AsyncChanging,
    AsyncErasing,
    AsyncExporting,
    AsyncLearning,
    AsyncConversations,
    AsyncReviewing,
):
    """The SQL functions of aimemory, as methods with the arguments spelled out.

    Times default to the database's ``now()``. Every method raises InvalidInput,
    NotFound or EmbeddingMismatch where the function refuses its arguments, and
    AccessDenied where the role may not; the caller's transaction is then to be rolled
    back, as after any database error. A method over one user names that user to
    row-level security until the transaction ends, so threads and tasks need
    connections of their own.
    """
