"""memory_history: every change, oldest first."""

from uuid import uuid4

from memories import DAY, NOW, add, call, remember


def history(db, target, user="ann"):
    return call(db, "memory_history", for_user=user, target=target)


def test_a_life_is_told_in_order_with_the_text_before_each_change(db):
    memory = remember(db, "likes tea", at=NOW)
    call(
        db,
        "update_memory",
        for_user="ann",
        target=memory,
        new_content="likes green tea",
        as_of=NOW + DAY,
    )
    call(db, "archive_memory", for_user="ann", target=memory, as_of=NOW + 2 * DAY)
    add(db, "likes green tea", at=NOW + 3 * DAY)
    add(db, "likes green tea", at=NOW + 4 * DAY)

    assert [
        (r["revision"], r["action"], r["content"], r["changed_at"]) for r in history(db, memory)
    ] == [
        (1, "added", "likes tea", NOW),
        (2, "updated", "likes tea", NOW + DAY),
        (3, "archived", "likes green tea", NOW + 2 * DAY),
        (4, "restored", "likes green tea", NOW + 3 * DAY),
        (5, "confirmed", "likes green tea", NOW + 4 * DAY),
    ]


def test_there_is_no_history_of_what_is_unknown_or_somebody_elses(db):
    memory = remember(db, "likes tea")

    assert history(db, memory, "bob") == []
    assert history(db, uuid4()) == []
