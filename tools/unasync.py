"""Write the synchronous twins of the asynchronous modules.

The asynchronous code, in files named ``*_async.py``, is written by hand; dropping
``async`` and ``await`` and renaming gives the other, in ``*_sync.py``. ``--check``
compares whole texts and changes nothing.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).parent.parent
NAMES = {
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "asynccontextmanager": "contextmanager",
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
        elif (new := renamed(token.string)) != token.string:
            edits.append((row, start, end, new))
    for row, start, end, new in reversed(edits):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + new + line[end:]
    text = "".join(lines).replace(
        "from sqlalchemy.ext.asyncio import", "from sqlalchemy.orm import"
    )
    return HEADER.format(name) + text


def renamed(name: str) -> str:
    """AsyncPool becomes Pool and pool_async pool_sync; NAMES lists what follows no rule."""
    if name in NAMES:
        return NAMES[name]
    return re.sub(r"_async$", "_sync", re.sub(r"^Async(?=[A-Z])", "", name))


def main(arguments: list[str]) -> int:
    """Write the twins, or with ``--check`` say which differ."""
    stale = []
    for source in sorted((ROOT / "aimemory").rglob("*_async.py")):
        name = source.relative_to(ROOT).as_posix()
        wanted = to_sync(source.read_text("utf-8"), name)
        target = source.with_name(source.name.replace("_async.py", "_sync.py"))
        if target.exists() and target.read_text("utf-8") == wanted:
            continue
        stale.append(target.name)
        if "--check" not in arguments:
            target.write_text(wanted, "utf-8")
    if stale and "--check" in arguments:
        print(f"stale, run python tools/unasync.py: {', '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
