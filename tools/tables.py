"""Write sql/tables.sql, the tables for psql alone, from the Alembic revisions.

The file ends with the stamp of the newest revision, so a database installed
by psql can be upgraded by ``aimemory migrate`` later. ``--check`` compares and
changes nothing.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from alembic import command
from alembic.config import Config

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "sql" / "tables.sql"
HEADER = "-- Generated from migrations/versions by tools/tables.py: edit those files.\n"


def tables() -> str:
    """Return what the revisions do to an empty database, as SQL."""
    written = io.StringIO()
    config = Config(output_buffer=written)
    config.set_main_option("script_location", str(ROOT / "migrations"))
    config.set_main_option("path_separator", "os")
    command.upgrade(config, "head", sql=True)
    text = re.sub(r";\s*;", ";", written.getvalue())
    lines = [line.rstrip() for line in text.splitlines()]
    return HEADER + "\n" + "\n".join(lines).strip() + "\n"


def main(arguments: list[str]) -> int:
    """Write the file, or with ``--check`` say whether it is stale."""
    wanted = tables()
    if TARGET.exists() and TARGET.read_text("utf-8") == wanted:
        return 0
    if "--check" in arguments:
        print("stale, run python tools/tables.py: sql/tables.sql")
        return 1
    TARGET.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
