"""The view memories_by_user: how much is remembered of whom."""

from memories import DAY, NOW, call, remember, view


def test_a_user_is_one_row_with_every_state_counted(db):
    remember(db, "lives in Berlin", in_slot="city", at=NOW)
    remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)
    tea = remember(db, "likes tea", at=NOW + 2 * DAY, is_pinned=True)
    film = remember(db, "saw a film", at=NOW - DAY)
    call(db, "archive_memory", for_user="ann", target=film, as_of=NOW + 3 * DAY)
    call(db, "touch_memories", for_user="ann", targets=[tea], as_of=NOW + 4 * DAY)
    remember(db, "likes milk", "bob", at=NOW)

    assert view(db, "memories_by_user") == [
        {
            "user_id": "ann",
            "active": 2,
            "superseded": 1,
            "archived": 1,
            "pinned": 1,
            "oldest_at": NOW - DAY,
            "newest_at": NOW + 2 * DAY,
            "last_recalled_at": NOW + 4 * DAY,
        },
        {
            "user_id": "bob",
            "active": 1,
            "superseded": 0,
            "archived": 0,
            "pinned": 0,
            "oldest_at": NOW,
            "newest_at": NOW,
            "last_recalled_at": None,
        },
    ]


def test_a_user_without_memories_is_listed_with_none(db):
    call(db, "lock_user", for_user="eve")

    (eve,) = view(db, "memories_by_user")
    assert (eve["user_id"], eve["active"], eve["archived"], eve["oldest_at"]) == ("eve", 0, 0, None)


def test_being_stored_is_not_being_recalled(db):
    remember(db, "likes tea")

    assert view(db, "memories_by_user")[0]["last_recalled_at"] is None
