"""The view memories_by_type: how much there is of each kind, and what is left of it."""

import pytest

from memories import DAY, call, clock, remember, view


def test_states_are_counted_for_each_type(db):
    remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city")
    remember(db, "likes tea", as_type="preference")
    film = remember(db, "saw a film", "bob", as_type="event")
    call(db, "archive_memory", for_user="bob", target=film)

    counted = {
        row["memory_type"]: (row["active"], row["superseded"], row["archived"])
        for row in view(db, "memories_by_type")
    }
    assert counted == {
        "fact": (1, 1, 0),
        "preference": (1, 0, 0),
        "event": (0, 0, 1),
        "state": (0, 0, 0),
        "decision": (0, 0, 0),
    }


def test_what_is_left_is_that_of_now_and_of_active_ones_alone(db):
    now = clock(db)
    remember(db, "likes tea", as_type="preference", with_importance=0.8, at=now - 2 * DAY)
    remember(db, "likes milk", as_type="preference", with_importance=0.4, at=now)
    gone = remember(db, "likes wine", as_type="preference", with_importance=0.1, at=now)
    call(db, "archive_memory", for_user="ann", target=gone)

    (found,) = view(db, "memories_by_type", memory_type="preference")
    # Preferences keep 0.95 a day: 0.8 · 0.95² = 0.722, and 0.4 of today.
    assert found["mean_importance"] == pytest.approx(0.6)
    assert found["mean_left"] == pytest.approx((0.722 + 0.4) / 2)


def test_the_floor_of_a_type_holds_here_too(db):
    remember(db, "is called Ann", with_importance=0.9, at=clock(db) - 1000 * DAY)

    assert view(db, "memories_by_type", memory_type="fact")[0]["mean_left"] == pytest.approx(0.35)
    assert view(db, "memories_by_type", memory_type="state")[0]["mean_left"] is None
