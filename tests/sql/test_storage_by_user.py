"""The view storage_by_user: what each user takes up."""

from random import Random

from memories import ask, at_cosine, remember, view


def test_rows_and_bytes_are_those_of_the_user(db):
    remember(db, "likes tea", vector=at_cosine(1))
    remember(db, "likes milk", vector=at_cosine(1))
    remember(db, "likes wine", "bob")

    rows = {row["table_name"]: row for row in view(db, "storage_by_user", user_id="ann")}
    counted = {table: row["rows"] for table, row in rows.items()}
    # Each memory has two words.
    assert counted == {
        "memories": 2,
        "memory_access": 2,
        "memory_revisions": 2,
        "memory_vectors": 2,
        "memory_terms": 4,
    }
    assert all(row["bytes"] > 24 * row["rows"] for row in rows.values())


def test_a_text_that_is_stored_outside_its_row_counts(db):
    remember(db, Random(1).randbytes(25_000).hex())

    (stored,) = view(db, "storage_by_user", table_name="memories")
    assert 25_000 < stored["bytes"] < 60_000


def test_every_table_of_a_user_is_counted(db):
    of_users = ask(
        db,
        "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where c.relnamespace = 'aimemory'::regnamespace and c.relkind = 'r'"
        "   and a.attname = 'user_id'",
    )
    (read,) = ask(db, "select pg_get_viewdef('aimemory.storage_by_user'::regclass)")

    assert {name for name in of_users if f"aimemory.{name}" not in read} == {"users"}
