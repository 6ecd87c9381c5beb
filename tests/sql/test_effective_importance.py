"""effective_importance: a pure function of what is stored, however often it is asked."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import DAY, NOW, add, remember, row, value


def effective(db, base, *, factor=0.95, lowest=None, days=0.0):
    return value(
        db,
        "effective_importance",
        base_importance=base,
        daily_factor=factor,
        lowest=lowest,
        last_used=NOW - days * DAY,
        as_of=NOW,
    )


@pytest.mark.parametrize(
    ("base", "factor", "lowest", "days", "expected"),
    [
        (0.8, 0.5, None, 0, 0.8),
        (0.8, 0.5, None, 2, 0.2),
        (0.7, 0.95, None, 17, 0.7 * 0.95**17),
        (0.9, 0.98, 0.35, 365, 0.35),
        (0.9, 0.98, 0.35, 1, 0.9 * 0.98),
        (0.9, 0.98, None, 365, 0.9 * 0.98**365),
        (0.0, 0.5, None, 3, 0.0),
        (1.0, 1.0, None, 9999, 1.0),
    ],
)
def test_importance_fades_by_the_day_down_to_its_floor(db, base, factor, lowest, days, expected):
    found = effective(db, base, factor=factor, lowest=lowest, days=days)

    assert found == pytest.approx(expected, abs=1e-12)


def test_a_use_in_the_future_counts_as_now(db):
    assert effective(db, 0.8, days=-3) == 0.8


def test_twenty_years_without_use_are_no_underflow(db):
    assert effective(db, 0.9, factor=0.9, days=20 * 365) == pytest.approx(0, abs=1e-30)
    assert effective(db, 0.9, factor=0.9, days=20 * 365, lowest=0.35) == 0.35


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 1), st.floats(0.5, 1), st.lists(st.floats(0, 20), min_size=1, max_size=8))
def test_asking_many_times_on_the_way_changes_nothing(db, base, factor, steps):
    passed, last = timedelta(), None
    for step in steps:
        passed += step * DAY
        last = value(
            db,
            "effective_importance",
            base_importance=base,
            daily_factor=factor,
            lowest=None,
            last_used=NOW,
            as_of=NOW + passed,
        )

    assert last == pytest.approx(base * factor ** (passed / DAY), abs=1e-9)


def test_a_change_of_daylight_saving_time_is_no_day_more_or_less(db):
    db.execute("set local time zone 'Europe/Berlin'")
    before, after = datetime(2026, 3, 28, 12, tzinfo=UTC), datetime(2026, 3, 30, 12, tzinfo=UTC)

    assert value(
        db,
        "effective_importance",
        base_importance=0.8,
        daily_factor=0.5,
        lowest=None,
        last_used=before,
        as_of=after,
    ) == pytest.approx(0.2, abs=1e-12)


def test_the_stored_importance_is_never_overwritten(db):
    memory = remember(db, "tea", with_importance=0.8)
    for day in range(1, 30):
        add(db, "tea", at=NOW + day * DAY)

    assert row(db, "memories", memory)["importance"] == 0.8
