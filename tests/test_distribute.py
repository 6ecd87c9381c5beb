"""sql/distribute.sql knows every table, is idempotent, and leaves plain PostgreSQL alone."""

from __future__ import annotations

import re

import psycopg
import pytest

import dumps
from aimemory import sqlobjects
from cluster_rules import Schema

DISTRIBUTE = sqlobjects.directory("sql") / "distribute.sql"


def listed(name: str) -> set[str]:
    """The tables that distribute.sql names in one of its lists."""
    text = DISTRIBUTE.read_text("utf-8")
    found = re.search(rf"{name}\s+text\[\] := array\[(.*?)\]", text, re.DOTALL)
    assert found is not None
    return set(re.findall(r"'(\w+)'", found.group(1)))


def test_every_table_is_in_its_list_for_the_cluster(db: psycopg.Connection) -> None:
    """One left out would stay on the coordinator, and every statement that joins it would fail."""
    schema = Schema.read(db)

    assert listed("user_tables") == schema.user_tables
    assert listed("shared_tables") == schema.shared_tables


def test_without_citus_distributing_changes_nothing(fresh_database: str) -> None:
    before = dumps.dump(fresh_database)

    dumps.psql(fresh_database, "-f", str(DISTRIBUTE))
    dumps.psql(fresh_database, "-f", str(DISTRIBUTE))

    assert dumps.dump(fresh_database) == before


STAND_IN = """
set allow_system_table_mods = on;
create table pg_catalog.pg_dist_partition (
    logicalrelid regclass primary key, partmethod "char", repmodel "char", with_table text);
-- Citus keeps books on a local table as soon as a shared one is referred to by it.
insert into pg_catalog.pg_dist_partition values ('aimemory.memories', 'n', 's'),
    ('aimemory.calibrations', 'n', 's');
create function create_reference_table(table_name regclass) returns void language sql
    as $$insert into pg_catalog.pg_dist_partition values (table_name, 'n', 't')
         on conflict (logicalrelid) do update set partmethod = 'n', repmodel = 't'$$;
create function create_distributed_table(
    table_name regclass, distribution_column text, distribution_type text default 'hash',
    colocate_with text default 'default', shard_count integer default null)
    returns void language sql
    as $$insert into pg_catalog.pg_dist_partition values (table_name, 'h', 's', colocate_with)
         on conflict (logicalrelid) do update
            set partmethod = 'h', repmodel = 's', with_table = excluded.with_table$$;
"""


@pytest.fixture
def pretended_cluster(fresh_database: str) -> str:
    """A database with the books of Citus and stand-ins for its two functions, but no cluster.

    Citus is no dependency, so what it does itself is not tested here; what our
    script asks of it, in which order and how often, is.
    """
    with psycopg.connect(fresh_database) as connection:
        connection.execute(STAND_IN.encode())
    return fresh_database


def test_with_citus_every_table_is_placed_once(pretended_cluster: str) -> None:
    query = "select logicalrelid::text, partmethod::text, repmodel::text, with_table, xmin::text"
    query += " from pg_catalog.pg_dist_partition"

    dumps.psql(pretended_cluster, "-f", str(DISTRIBUTE))
    once = dumps.rows(pretended_cluster, query)
    dumps.psql(pretended_cluster, "-f", str(DISTRIBUTE))

    placed = {str(name).removeprefix("aimemory."): rest for name, *rest, _ in once}
    assert dumps.rows(pretended_cluster, query) == once
    assert {name for name, (method, *_) in placed.items() if method == "h"} == listed("user_tables")
    assert {name for name, how in placed.items() if how[:2] == ["n", "t"]} == listed(
        "shared_tables"
    )
    assert {name for name, how in placed.items() if how[2] == "none"} == {"users"}
    assert {how[2] for name, how in placed.items() if how[0] == "h" and name != "users"} == {
        "aimemory.users"
    }


def test_with_citus_no_function_keeps_a_generic_plan(
    pretended_cluster: str, db: psycopg.Connection
) -> None:
    pinned = "select proname from pg_proc where proconfig @> '{plan_cache_mode=force_generic_plan}'"
    assert db.execute(pinned.encode()).fetchall() == [("recall",)]

    dumps.psql(pretended_cluster, "-f", str(DISTRIBUTE))

    assert dumps.rows(pretended_cluster, pinned) == []
    assert dumps.rows(pretended_cluster, "select count(*) from aimemory.recall('ann', 'tea')") == [
        (0,)
    ]


def test_with_citus_the_user_that_a_transaction_names_reaches_the_shards(
    pretended_cluster: str,
) -> None:
    dumps.psql(pretended_cluster, "-f", str(DISTRIBUTE))

    assert dumps.rows(pretended_cluster, "show citus.propagate_set_commands") == [("local",)]


def test_users_are_placed_first_because_other_tables_refer_to_them(pretended_cluster: str) -> None:
    dumps.psql(pretended_cluster, "-f", str(DISTRIBUTE))

    order = dumps.rows(
        pretended_cluster,
        "select logicalrelid::text from pg_catalog.pg_dist_partition"
        " where partmethod = 'h' order by ctid",
    )
    assert order[0] == ("aimemory.users",)
