"""confirm_memory: said again."""

from memories import DAY, NOW, call, remember, row, snapshot, value


def confirm(db, target, user="ann", at=NOW + DAY, **named):
    return value(db, "confirm_memory", for_user=user, target=target, as_of=at, **named)


def test_a_confirmation_restarts_the_clock_and_counts(db):
    memory = remember(db, "likes tea")
    before = row(db, "memories", memory)
    assert confirm(db, memory, why="said again", changed_by="ann") is True
    assert confirm(db, memory) is True

    assert row(db, "memories", memory) == before | {
        "last_confirmed_at": NOW + DAY,
        "confirm_count": 2,
    }
    history = call(db, "memory_history", for_user="ann", target=memory)
    assert [(r["action"], r["reason"], r["actor"]) for r in history] == [
        ("added", None, None),
        ("confirmed", "said again", "ann"),
        ("confirmed", None, None),
    ]


def test_a_confirmation_from_the_past_does_not_turn_the_clock_back(db):
    memory = remember(db, "likes tea")
    confirm(db, memory, at=NOW - DAY)

    assert row(db, "memories", memory)["last_confirmed_at"] == NOW


def test_only_an_active_memory_of_the_user_can_be_confirmed(db):
    old = remember(db, "lives in Berlin", in_slot="city")
    new = remember(db, "lives in Paris", in_slot="city")
    archived = remember(db, "likes tea")
    call(db, "archive_memory", for_user="ann", target=archived)
    remember(db, "x", "bob")
    before = snapshot(db)

    assert [confirm(db, old), confirm(db, archived), confirm(db, new, "bob")] == [False] * 3
    assert snapshot(db) == before
