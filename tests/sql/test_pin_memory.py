"""pin_memory: exempt from upkeep, and noted as such."""

from memories import NOW, call, remember, row, snapshot, value


def pin(db, target, user="ann", **named):
    return value(db, "pin_memory", for_user=user, target=target, as_of=NOW, **named)


def test_pinning_changes_the_flag_and_nothing_else(db):
    memory = remember(db, "likes tea")
    before = row(db, "memories", memory)

    assert pin(db, memory) is True
    assert row(db, "memories", memory) == before | {"pinned": True}
    assert pin(db, memory, is_pinned=False) is True
    assert row(db, "memories", memory) == before


def test_only_a_change_is_noted(db):
    memory = remember(db, "likes tea")
    for wanted in (False, True, True, False):
        assert pin(db, memory, is_pinned=wanted, changed_by="ann") is True

    history = call(db, "memory_history", for_user="ann", target=memory)
    assert [(r["action"], r["actor"]) for r in history] == [
        ("added", None),
        ("pinned", "ann"),
        ("unpinned", "ann"),
    ]


def test_there_is_nothing_to_pin_in_the_archive_or_of_others(db):
    memory = remember(db, "likes tea")
    call(db, "archive_memory", for_user="ann", target=memory)
    other = remember(db, "likes coffee")
    before = snapshot(db)

    assert [pin(db, memory), pin(db, other, "bob"), pin(db, other, "stranger")] == [False] * 3
    assert snapshot(db) == before
