"""The view days_to_archive: when upkeep moves each memory, and why."""

from memories import DAY, call, clock, columns_of, remember, view


def told(db):
    found = view(db, "days_to_archive", "content")
    return {
        content: (why, None if left is None else round(float(left), 6))
        for content, why, left in columns_of(found, "content", "why", "days_left")
    }


def test_each_memory_has_its_days_and_its_reason(db):
    now = clock(db)
    remember(db, "saw a film", as_type="event", with_importance=0.9, at=now - 3 * DAY)
    remember(db, "flies to Rome", as_type="event", with_importance=0.9,
             happening_at=now + 10 * DAY, at=now)  # fmt: skip
    remember(db, "drank water", with_importance=0.2, at=now - 5 * DAY)
    remember(db, "is called Ann", with_importance=0.9, at=now)
    remember(db, "likes tea", is_pinned=True, at=now)
    remember(db, "lives in Berlin", in_slot="city", with_importance=0.9, at=now - 2 * DAY)
    remember(db, "lives in Paris", in_slot="city", with_importance=0.9, at=now - DAY)

    assert told(db) == {
        "saw a film": ("ttl", 4),
        "flies to Rome": ("ttl", 17),
        "drank water": ("faded", -5),
        "is called Ann": ("never", None),
        "likes tea": ("pinned", None),
        "lives in Berlin": ("superseded", -1),
        "lives in Paris": ("never", None),
    }


def test_a_row_tells_which_memory_it_is_about(db):
    now = clock(db)
    film = remember(db, "saw a film", as_type="event", with_importance=0.9, at=now)

    (found,) = view(db, "days_to_archive", user_id="ann")
    assert found == {
        "user_id": "ann",
        "memory_id": film,
        "content": "saw a film",
        "memory_type": "event",
        "status": "active",
        "why": "ttl",
        "due_at": now + 7 * DAY,
        "days_left": 7,
    }


def test_a_memory_without_a_row_of_access_is_listed_without_a_date(db):
    remember(db, "likes tea")
    db.execute("delete from aimemory.memory_access")

    assert told(db) == {"likes tea": ("faded", None)}


def test_what_is_archived_already_is_not_listed(db):
    call(db, "archive_memory", for_user="ann", target=remember(db, "likes tea"))

    assert view(db, "days_to_archive") == []
