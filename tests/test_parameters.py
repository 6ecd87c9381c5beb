"""docs/parameters.md gives the settings, defaults and ranges that there are."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from aimemory.settings import PREFIX, Settings

PAGE = Path(__file__).parent.parent / "docs" / "parameters.md"
FAR = 1_000_000


def tables() -> list[list[dict[str, str]]]:
    """The tables of the page: one dictionary a row, in the order of the page."""
    blocks = re.findall(r"(?:^\|.*\n)+", PAGE.read_text("utf-8"), re.MULTILINE)
    found = []
    for block in blocks:
        head, _, *body = (
            [cell.strip(" `") for cell in line.strip("|").split("|")] for line in block.splitlines()
        )
        found.append([dict(zip(head, cells, strict=True)) for cells in body])
    return found


SETTINGS, TYPES, TYPE_COLUMNS, PROFILE_COLUMNS = tables()


def written(value: object) -> str:
    """A default as the page writes it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "–" if value is None else str(value)


def test_every_setting_is_listed_with_its_default() -> None:
    expected = {
        PREFIX + field.name.upper(): written(field.default)
        for field in dataclasses.fields(Settings)
    }

    assert {row["variable"]: row["default"] for row in SETTINGS} == expected


def defaults(db: psycopg.Connection, table: str, key: str) -> dict[str, dict[str, str]]:
    """The rows of a new database, as the page writes them."""
    with db.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        rows = cursor.execute(f"select * from aimemory.{table}".encode()).fetchall()
    return {row[key]: {name: written(value) for name, value in row.items()} for row in rows}


def test_every_type_is_listed_with_its_values(db: psycopg.Connection) -> None:
    stored = defaults(db, "memory_types", "memory_type")
    for row in stored.values():
        del row["applied_rules"]  # upkeep's own note, not for tuning

    assert {row["memory_type"]: row for row in TYPES} == stored


def test_every_profile_is_listed_with_its_values(db: psycopg.Connection) -> None:
    profiles = [name for name in PROFILE_COLUMNS[0] if name not in ("column", "range", "meaning")]
    listed = {
        profile: {"profile": profile} | {row["column"]: row[profile] for row in PROFILE_COLUMNS}
        for profile in profiles
    }

    assert listed == defaults(db, "scoring_profiles", "profile")


def test_every_column_of_a_type_is_explained(db: psycopg.Connection) -> None:
    columns = set(TYPES[0]) - {"memory_type"}

    assert {row["column"] for row in TYPE_COLUMNS} == columns


def limits(text: str) -> tuple[list[float | None], list[float | None]]:
    """Values that a range lets in, and values that it keeps out."""
    inside: list[float | None] = []
    outside: list[float | None] = []
    (inside if "or null" in text else outside).append(None)
    if match := re.match(r"(above )?([\d.]+)(?:,? (?:up )?to ([\d.]+))?", text):
        lowest, highest = float(match[2]), float(match[3] or FAR)
        (outside if match[1] else inside).append(lowest)
        inside += [lowest + 0.001, highest]
        outside += [lowest - 0.001, *([highest + 0.001] if match[3] else [])]
    else:
        assert text == "any number"
        inside += [-FAR, FAR]
    return inside, outside


def ranges() -> Iterator[tuple[str, str, str]]:
    for table, rows in (("memory_types", TYPE_COLUMNS), ("scoring_profiles", PROFILE_COLUMNS)):
        for row in rows:
            yield table, row["column"], row["range"]


def takes(db: psycopg.Connection, table: str, column: str, value: float | None) -> bool:
    try:
        with db.transaction(force_rollback=True):
            db.execute(f"update aimemory.{table} set {column} = %s".encode(), [value])
    except (psycopg.errors.CheckViolation, psycopg.errors.NotNullViolation):
        return False
    return True


@pytest.mark.parametrize(("table", "column", "text"), list(ranges()))
def test_the_database_keeps_the_range(
    db: psycopg.Connection, table: str, column: str, text: str
) -> None:
    inside, outside = limits(text)

    assert [value for value in inside if not takes(db, table, column, value)] == []
    assert [value for value in outside if takes(db, table, column, value)] == []


@pytest.mark.parametrize(
    ("question", "vector", "for_similarity", "for_keyword"),
    [
        ("green tea", "[0.8,0.6]", 0.6, 0.3),
        ("green tea", None, 0, 0.9),
        (None, "[0.8,0.6]", 0.9, 0),
    ],
)
def test_the_score_is_the_formula_on_the_page(
    db: psycopg.Connection,
    question: str | None,
    vector: str | None,
    for_similarity: float,
    for_keyword: float,
) -> None:
    """All parts and weights differ from 0 and from each other, so that none can be mixed up."""
    db.execute(
        "insert into aimemory.scoring_profiles (profile, aged_importance_weight, importance_weight,"
        " forgetting_weight) values ('mixed', 0.07, 0.03, 0.02)"
    )
    db.execute("select aimemory.register_model('tiny', 2)")
    db.execute(
        "select aimemory.add_memory('ann', 'likes green tea', 'preference', 0.8,"
        " vectors => '{\"[1,0]\"}', vector_model => 'tiny', as_of => '2024-01-01Z')"
    )

    row = db.execute(
        "select score, similarity, keyword, recency, forgetting, effective_importance, importance"
        " from aimemory.recall('ann', %s, %s::halfvec, profile_name => 'mixed',"
        " as_of => '2024-01-13Z')",
        [question, vector],
    ).fetchone()

    assert row is not None
    score, similarity, keyword, recency, forgetting, effective, importance = row
    found = (for_similarity * (similarity or 0) + for_keyword * keyword) * (1 - 0.2) / (1 - 0.1)
    aged = 0.07 * importance * max(0.3, 1 - 12 / 30)
    expected = found + 0.2 * recency - 0.02 * forgetting + 0.03 * effective + aged
    assert score == pytest.approx(expected)
