"""The view memories_by_age: six bands, counted to now."""

import pytest

from memories import DAY, call, clock, columns_of, remember, view


def test_each_state_is_counted_in_its_band(db):
    now = clock(db)
    remember(db, "lives in Berlin", in_slot="city", at=now - 40 * DAY)
    remember(db, "lives in Paris", in_slot="city", at=now - 8 * DAY)
    film = remember(db, "saw a film", "bob", at=now - 400 * DAY)
    call(db, "archive_memory", for_user="bob", target=film)

    found = view(db, "memories_by_age", "band_no")

    assert columns_of(found, "age", "active", "superseded", "archived") == [
        ("under a day", 0, 0, 0),
        ("under a week", 0, 0, 0),
        ("under a month", 1, 0, 0),
        ("under a quarter", 0, 1, 0),
        ("under a year", 0, 0, 0),
        ("older", 0, 0, 1),
    ]


@pytest.mark.parametrize(
    ("days", "band"), [(1, 1), (7, 2), (30, 3), (90, 4), (365, 5), (0, 0), (-1, 0)]
)
def test_a_memory_on_the_border_is_in_the_older_band(db, days, band):
    remember(db, "likes tea", at=clock(db) - days * DAY)

    assert [row["band_no"] for row in view(db, "memories_by_age") if row["active"]] == [band]
