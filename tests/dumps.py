"""Databases as text: pg_dump, cut into pieces that can be compared whatever their order."""

from __future__ import annotations

import re
import subprocess

import psycopg

from aimemory.embedded import binary

RANDOM = re.compile(r"^\\(?:un)?restrict .*$", re.MULTILINE)


def dump(url: str, *options: str) -> dict[str, str]:
    """What pg_dump writes for the schema aimemory: the title of each piece, and the piece.

    The schema's comment carries the fingerprint; psql alone does not write one.
    """
    done = subprocess.run(
        [binary("pg_dump"), "--no-owner", "--schema=aimemory", *options, url],
        check=True,
        capture_output=True,
        text=True,
    )
    pieces = re.split(r"^--\n-- (?:Data for )?Name: ", RANDOM.sub("", done.stdout), flags=re.M)
    titled = [piece.partition("\n") for piece in pieces[1:]]
    return {
        title: re.sub(r"^(?:SET|SELECT pg_catalog).*$", "", body, flags=re.M).strip()
        for title, _, body in titled
        if not title.startswith("SCHEMA aimemory;")
    }


def tables_only(pieces: dict[str, str]) -> dict[str, str]:
    """Leave out routines and views with their comments, and the table that Alembic makes."""
    tables = {title.split(";")[0] for title in pieces if "; Type: TABLE;" in title}
    return {
        title: body
        for title, body in pieces.items()
        if not re.search(r"FUNCTION|PROCEDURE|VIEW|alembic_version", title)
        and (not title.startswith("COLUMN ") or re.split(r"[ .]", title)[1] in tables)
    }


def psql(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the bundled psql in one transaction, stopping at the first error."""
    return subprocess.run(
        [binary("psql"), "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", "-d", url, *arguments],
        check=True,
        capture_output=True,
        text=True,
    )


def rows(url: str, query: str) -> list[tuple[object, ...]]:
    """The rows of a query."""
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()
