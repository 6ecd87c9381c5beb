"""The view all_memories: live and archived memories in one list."""

from memories import ask, rows


def test_every_memory_is_listed_once_with_its_state(db, in_every_state):
    found = rows(
        db,
        "select memory_id, status, archived_at is not null as archived, access_count"
        " from aimemory.all_memories",
    )

    state = {r["memory_id"]: (r["status"], r["archived"], r["access_count"]) for r in found}
    assert len(found) == 5
    assert [state[memory] for memory in in_every_state] == [
        ("superseded", False, 0),
        ("active", False, 0),
        ("active", True, 0),
        ("active", False, 0),
        ("active", False, 0),
    ]


def test_it_has_every_column_of_the_tables_behind_it(db):
    def columns(name):
        return set(
            ask(
                db,
                "select attname from pg_attribute where attnum > 0 and not attisdropped"
                " and attrelid = %s::regclass",
                f"aimemory.{name}",
            )
        )

    stored = columns("memories") | columns("archive") | columns("memory_access")
    assert stored - columns("all_memories") == {"archived_importance", "due_at", "last_session_id"}
