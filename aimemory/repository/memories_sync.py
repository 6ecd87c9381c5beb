# Generated from aimemory/repository/memories_async.py by tools/unasync.py: edit that file.
"""One method per SQL function, on a connection whose transaction is the caller's.

Give it a psycopg connection, or a SQLAlchemy session: memory writes then commit
and roll back with the application's own. No method calls a model; vectors come
as arguments.
"""

from __future__ import annotations

from aimemory.repository.changing_sync import Changing
from aimemory.repository.conversations_sync import Conversations
from aimemory.repository.erasing_sync import Erasing
from aimemory.repository.exporting_sync import Exporting
from aimemory.repository.learning_sync import Learning
from aimemory.repository.reading_sync import Reading
from aimemory.repository.reviewing_sync import Reviewing


class MemoryRepository(
    Reading,
    Changing,
    Erasing,
    Exporting,
    Learning,
    Conversations,
    Reviewing,
):
    """The SQL functions of aimemory, as methods with the arguments spelled out.

    Times default to the database's ``now()``. Every method raises InvalidInput,
    NotFound or EmbeddingMismatch where the function refuses its arguments, and
    AccessDenied where the role may not; the caller's transaction is then to be rolled
    back, as after any database error. A method over one user names that user to
    row-level security until the transaction ends, so threads and tasks need
    connections of their own.
    """
