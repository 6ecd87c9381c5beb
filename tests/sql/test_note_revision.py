"""note_revision: one more line in the history of a memory."""

from memories import NOW, call, refused, remember, rows


def note(db, target, what="updated", user="ann", values=None):
    call(
        db,
        "note_revision",
        for_user=user,
        target=target,
        what=what,
        why="because",
        who="ann",
        old_content="old",
        old_values=values,
        as_of=NOW,
    )


def test_revisions_of_one_memory_are_numbered_in_order(db):
    memory, other = remember(db, "likes tea"), remember(db, "likes coffee")
    note(db, memory, values={"a": 1})
    note(db, other)
    note(db, memory)

    found = rows(
        db,
        "select revision, action, details from aimemory.memory_revisions"
        " where user_id = 'ann' and memory_id = %s order by 1",
        memory,
    )
    assert [tuple(r.values()) for r in found] == [
        (1, "added", {}),
        (2, "updated", {"a": 1}),
        (3, "updated", {}),
    ]


def test_an_action_that_is_not_known_is_refused(db):
    with refused(db, "23514"):
        note(db, remember(db, "likes tea"), what="burnt")
