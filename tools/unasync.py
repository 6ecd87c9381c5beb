"""Write the synchronous twins of the asynchronous modules.

The asynchronous code is written by hand; dropping ``async`` and ``await`` and
renaming what NAMES lists gives the other. ``--check`` compares whole texts and
changes nothing.
"""

from __future__ import annotations

import io
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent.parent
TWINS = {
    "aimemory/repository_async.py": "aimemory/repository.py",
    "aimemory/store_async.py": "aimemory/store.py",
    "aimemory/database_async.py": "aimemory/database.py",
}
NAMES = {
    "AsyncConnection": "Connection",
    "AsyncConnectionPool": "ConnectionPool",
    "AsyncDatabase": "Database",
    "AsyncIterator": "Iterator",
    "AsyncMemoryRepository": "MemoryRepository",
    "AsyncMemoryStore": "MemoryStore",
    "AsyncSession": "Session",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "aclosing": "closing",
    "asynccontextmanager": "contextmanager",
    "database_async": "database",
    "repository_async": "repository",
    "store_async": "store",
    "driver_connection_async": "driver_connection",
    "in_thread": "in_place",
}
HEADER = "# Generated from {} by tools/unasync.py: edit that file.\n"


def to_sync(source: str, name: str) -> str:
    """Drop async and await, rename what NAMES lists, and keep comments and layout."""
    lines = source.splitlines(keepends=True)
    edits: list[tuple[int, int, int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.NAME:
            continue
        (row, start), (_, end) = token.start, token.end
        if token.string in ("async", "await"):
            edits.append((row, start, end + 1, ""))
        elif token.string in NAMES:
            edits.append((row, start, end, NAMES[token.string]))
    for row, start, end, new in reversed(edits):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + new + line[end:]
    text = "".join(lines).replace(
        "from sqlalchemy.ext.asyncio import", "from sqlalchemy.orm import"
    )
    return HEADER.format(name) + text


def main(arguments: list[str]) -> int:
    """Write the twins, or with ``--check`` say which differ."""
    stale = []
    for name, twin in TWINS.items():
        wanted = to_sync((ROOT / name).read_text("utf-8"), name)
        target = ROOT / twin
        if target.exists() and target.read_text("utf-8") == wanted:
            continue
        stale.append(twin)
        if "--check" not in arguments:
            target.write_text(wanted, "utf-8")
    if stale and "--check" in arguments:
        print(f"stale, run python tools/unasync.py: {', '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
