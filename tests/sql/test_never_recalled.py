"""The view never_recalled: what no answer has ever used."""

from memories import DAY, call, clock, columns_of, remember, view


def test_only_active_memories_that_were_never_given_are_listed(db):
    now = clock(db)
    remember(db, "lives in Berlin", in_slot="city", at=now - 9 * DAY)
    paris = remember(db, "lives in Paris", in_slot="city", at=now - 3 * DAY)
    tea = remember(db, "likes tea", at=now)
    call(db, "archive_memory", for_user="ann", target=remember(db, "saw a film"))
    call(db, "touch_memories", for_user="ann", targets=[tea])

    assert view(db, "never_recalled") == [
        {
            "user_id": "ann",
            "memory_id": paris,
            "content": "lives in Paris",
            "memory_type": "fact",
            "importance": 0.6,
            "created_at": now - 3 * DAY,
            "days_old": 3,
        }
    ]


def test_a_memory_without_a_row_of_access_counts_as_never_recalled(db):
    remember(db, "likes tea")
    db.execute("delete from aimemory.memory_access")

    assert columns_of(view(db, "never_recalled"), "content") == [("likes tea",)]
