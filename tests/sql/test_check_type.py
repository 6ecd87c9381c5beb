"""aimemory.check_type: no memory of a type that is none."""

from __future__ import annotations

import psycopg
import pytest

from memories import ask, refused, value


@pytest.mark.parametrize("named", ["rumour", "", "Fact", "fact "])
def test_an_unknown_type_is_named_in_the_error(db: psycopg.Connection, named: str) -> None:
    with refused(db, "MM001", f"there is no memory type {named}; aimemory.memory_types lists"):
        value(db, "check_type", named=named)


def test_every_type_of_the_table_passes_and_so_does_none(db: psycopg.Connection) -> None:
    types = ask(db, "select memory_type from aimemory.memory_types")
    assert len(types) == 5

    for named in [*types, None]:
        value(db, "check_type", named=named)
