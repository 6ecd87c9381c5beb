"""Whatever users do, in whatever order, none of them reaches a row of another."""

from __future__ import annotations

import os

import psycopg
import pytest

from fuzz import Crowd, Leak

MANY = int(os.environ.get("AIMEMORY_OPERATIONS", "10000"))
"""Of the long version. A hundred thousand take six minutes on two quiet cores."""


@pytest.mark.parametrize(
    "operations", [1_500, pytest.param(MANY, marks=pytest.mark.heavy)], ids="{:,}".format
)
def test_no_operation_reaches_a_row_of_another_user(
    app_url: str, fresh_database: str, operations: int, capsys: pytest.CaptureFixture[str]
) -> None:
    crowd = Crowd(app_url, fresh_database, seed=20)
    try:
        crowd.play(operations)
        memories = crowd.compare()
    finally:
        crowd.close()

    assert sum(crowd.done.values()) == operations
    assert set(crowd.done) == set(crowd.operations)
    with capsys.disabled():
        print(
            f"\n{operations:,} operations of {len(crowd.users)} users, {len(crowd.done)} kinds;"
            f" {memories:,} memories at the end; no foreign row read or changed"
        )


@pytest.mark.parametrize(
    "hole",
    [
        "alter table aimemory.memories disable row level security",
        "create policy hole on aimemory.turns using (true)",
        "alter view aimemory.all_memories set (security_invoker = false)",
    ],
)
def test_a_hole_is_found(app_url: str, fresh_database: str, hole: str) -> None:
    """Or the silence of the test above would say nothing."""
    with psycopg.connect(fresh_database) as connection:
        connection.execute(hole.encode())
    crowd = Crowd(app_url, fresh_database, seed=20)
    try:
        with pytest.raises(Leak):
            crowd.play(3_000)
    finally:
        crowd.close()
