"""The view archive_reasons: what came into the archive, day by day."""

import pytest

from memories import DAY, NOW, call, columns_of, remember, view


def archived(db, content, because, at, user="ann", **named):
    target = remember(db, content, user, at=NOW, **named)
    call(db, "archive_memory", for_user=user, target=target, because=because, as_of=at)
    return target


def test_each_day_and_reason_is_counted(db):
    archived(db, "saw a film", "ttl", NOW + DAY, as_type="event")
    archived(db, "saw a play", "ttl", NOW + DAY, "bob", as_type="event")
    archived(db, "likes tea", "faded", NOW + DAY)
    archived(db, "likes milk", "manual", NOW + 2 * DAY)

    found = view(db, "archive_reasons", "day, archive_reason")
    assert columns_of(found, "day", "archive_reason", "memory_type", "memories") == [
        ((NOW + DAY).date(), "faded", "fact", 1),
        ((NOW + DAY).date(), "ttl", "event", 2),
        ((NOW + 2 * DAY).date(), "manual", "fact", 1),
    ]


def test_what_was_left_of_them_is_averaged(db):
    archived(db, "saw a film", "ttl", NOW + DAY, as_type="event", with_importance=0.4)
    archived(db, "saw a play", "ttl", NOW + DAY, as_type="event", with_importance=0.6)

    # Events keep 0.9 a day.
    assert view(db, "archive_reasons")[0]["mean_left"] == pytest.approx(0.45)


def test_what_was_restored_is_no_longer_counted(db):
    target = archived(db, "likes tea", "manual", NOW + DAY)
    call(db, "restore_memory", for_user="ann", target=target)

    assert view(db, "archive_reasons") == []
