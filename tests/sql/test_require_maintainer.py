"""aimemory.require_maintainer: upkeep by the wrong role is an error, not nothing to do."""

from __future__ import annotations

import psycopg
import pytest

from memories import refused, value
from roles import ANALYST, APP, MAINTAINER

# How each is called, with arguments that it would otherwise accept.
UPKEEP = [
    "missing_vectors('tiny')",
    "fill_vectors('ann', gen_random_uuid(), 'tea', '{}', 'tiny')",
    "activate_model('tiny')",
    "drop_vectors('tiny')",
    "idle_sessions()",
    "close_idle_sessions()",
    "archive_due()",
]


@pytest.mark.parametrize("role", [APP, ANALYST])
@pytest.mark.parametrize("call", UPKEEP)
def test_a_role_that_does_not_see_everybody_is_told_which_one_does(
    db: psycopg.Connection, role: str, call: str
) -> None:
    db.execute(f"set local role {role}".encode())

    with refused(db, "MM005", f"which {role} may not: connect as a member of aimemory_maintainer"):
        db.execute(f"select aimemory.{call}".encode())


def test_the_owner_of_the_tables_is_no_exception(db: psycopg.Connection) -> None:
    db.execute("create role aim_owner_of_tables")
    db.execute("grant usage on schema aimemory to aim_owner_of_tables")
    db.execute("alter function aimemory.archive_due owner to aim_owner_of_tables")
    db.execute("grant execute on function aimemory.require_maintainer to aim_owner_of_tables")
    db.execute("set local role aim_owner_of_tables")

    with refused(db, "MM005"):
        db.execute("select aimemory.archive_due()")


@pytest.mark.parametrize(
    ("definition", "role"),
    [
        ("select", MAINTAINER),
        ("create role aim_member in role aimemory_maintainer", "aim_member"),
        ("create role aim_bypass bypassrls in role aimemory_app", "aim_bypass"),
        ("create role aim_root superuser", "aim_root"),
    ],
)
def test_who_sees_everybody_passes(db: psycopg.Connection, definition: str, role: str) -> None:
    db.execute(definition.encode())
    db.execute(f"set local role {role}".encode())

    value(db, "require_maintainer")


def test_a_membership_that_gives_no_rights_is_none(db: psycopg.Connection) -> None:
    db.execute("create role aim_noinherit noinherit")
    db.execute("grant aimemory_app to aim_noinherit with inherit true")
    db.execute("grant aimemory_maintainer to aim_noinherit with inherit false")
    db.execute("set local role aim_noinherit")

    with refused(db, "MM005"):
        value(db, "require_maintainer")
