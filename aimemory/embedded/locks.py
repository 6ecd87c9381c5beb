"""A lock that the kernel gives back when its holder dies."""

from __future__ import annotations

import functools
import os
import sys
import time
from pathlib import Path
from typing import Self

if sys.platform != "win32":
    import fcntl


class FileLock:
    """A lock on a file, held by an open file description of its own.

    So threads of one process keep each other out just as processes do.
    """

    def __init__(self, path: Path) -> None:
        _close_copies_in_forked_children()
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self.descriptor = os.open(path, flags, 0o600)
        _open_locks.add(self)

    @property
    def is_open(self) -> bool:
        """Whether this process has the file open and may hold the lock."""
        return self in _open_locks

    def take(self, operation: int, timeout: float = 0) -> bool:
        """Wait for at most ``timeout`` seconds; return whether the lock is ours."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(self.descriptor, operation | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(0.02)

    def release(self) -> None:
        """Unlock for everybody, also for a process that inherited the descriptor."""
        if self.is_open:
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)
            self.close()

    def close(self) -> None:
        """Close our descriptor; a process that inherited it keeps the lock."""
        if self.is_open:
            _open_locks.discard(self)
            os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


_open_locks: set[FileLock] = set()


@functools.cache
def _close_copies_in_forked_children() -> None:
    # A child that kept its copies would hold the locks of a parent that was killed.
    def close_copies() -> None:
        for lock in tuple(_open_locks):
            lock.close()

    os.register_at_fork(after_in_child=close_copies)
