"""The view days_to_archive: when upkeep moves each memory, and why."""

from datetime import timedelta

import pytest

from memories import DAY, call, clock, columns_of, remember, view


def due(db, target, at):
    db.execute(
        "update aimemory.memory_access set due_at = %s where memory_id = %s",
        [at, target],
    )


def only(db):
    (found,) = view(db, "days_to_archive", user_id="ann")
    return found


def test_an_event_goes_when_its_time_is_over(db):
    now = clock(db)
    film = remember(db, "saw a film", as_type="event", at=now - 3 * DAY)
    due(db, film, now + 4 * DAY)

    assert only(db) == {
        "user_id": "ann",
        "memory_id": film,
        "content": "saw a film",
        "memory_type": "event",
        "status": "active",
        "why": "ttl",
        "due_at": now + 4 * DAY,
        "days_left": 4,
    }


def test_an_event_to_come_is_kept_until_after_it(db):
    now = clock(db)
    trip = remember(db, "flies to Rome", as_type="event", happening_at=now + 10 * DAY)
    due(db, trip, now + 17 * DAY)

    assert (only(db)["why"], only(db)["days_left"]) == ("ttl", 17)


def test_one_that_is_due_before_its_time_is_over_has_faded(db):
    now = clock(db)
    film = remember(db, "saw a film", as_type="event", with_importance=0.35, at=now)
    due(db, film, now + 1.5 * DAY)

    assert (only(db)["why"], only(db)["days_left"]) == ("faded", 1.5)


def test_a_type_without_a_time_to_live_only_fades(db):
    now = clock(db)
    tea = remember(db, "likes tea", as_type="preference", at=now - 100 * DAY)
    due(db, tea, now - 5 * DAY)

    assert (only(db)["why"], only(db)["days_left"]) == ("faded", -5)


@pytest.mark.parametrize("later", [timedelta(0), timedelta(microseconds=-1)])
def test_rounding_of_the_stored_moment_changes_no_reason(db, later):
    now = clock(db)
    film = remember(db, "saw a film", as_type="event", at=now)
    due(db, film, now + 7 * DAY + later)

    assert only(db)["why"] == "ttl"


def test_what_stays_has_no_date(db):
    now = clock(db)
    remember(db, "is called Ann", with_importance=0.9)
    pinned = remember(db, "likes tea", is_pinned=True)
    due(db, pinned, now + DAY)

    found = view(db, "days_to_archive", "content")
    assert columns_of(found, "content", "why", "due_at", "days_left") == [
        ("is called Ann", "never", None, None),
        ("likes tea", "pinned", None, None),
    ]


def test_a_replaced_memory_goes_because_it_is_replaced(db):
    now = clock(db)
    berlin = remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city")
    due(db, berlin, now + 2 * DAY)

    found = view(db, "days_to_archive", "content")
    assert columns_of(found, "content", "status", "why", "days_left")[0] == (
        *("lives in Berlin", "superseded", "superseded"),
        2,
    )


def test_a_memory_without_a_row_of_access_is_listed(db):
    remember(db, "likes tea")
    db.execute("delete from aimemory.memory_access")

    assert only(db)["why"] == "never"


def test_what_is_archived_already_is_not_listed(db):
    call(db, "archive_memory", for_user="ann", target=remember(db, "likes tea"))

    assert view(db, "days_to_archive") == []
