"""fades_at: the inverse of effective_importance."""

from datetime import timedelta
from math import log

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import DAY, NOW, value


def fades_at(db, base, *, factor=0.95, lowest=None, below=0.3):
    return value(
        db,
        "fades_at",
        base_importance=base,
        daily_factor=factor,
        lowest=lowest,
        limit_below=below,
        last_used=NOW,
    )


@pytest.mark.parametrize(
    ("base", "factor", "days"),
    [
        # The founding table: what each class lives through without use.
        (0.7, 0.95, log(0.3 / 0.7) / log(0.95)),  # a preference: day 16.5
        (0.6, 0.98, log(0.5) / log(0.98)),  # a fact: day 34.3
        (0.4, 0.9, log(0.75) / log(0.9)),  # an event: day 2.7
        (0.8, 0.5, log(0.375) / log(0.5)),
    ],
)
def test_it_is_the_day_on_which_the_importance_reaches_the_limit(db, base, factor, days):
    assert abs(fades_at(db, base, factor=factor) - (NOW + days * DAY)) < timedelta(seconds=1e-3)


def test_what_is_below_the_limit_already_has_faded_when_it_was_last_used(db):
    assert fades_at(db, 0.2) == NOW
    assert fades_at(db, 0.0) == NOW


@pytest.mark.parametrize(
    ("base", "named"),
    [
        (0.9, {"lowest": 0.35}),
        (0.9, {"lowest": 0.3}),
        (0.5, {"factor": 1.0}),
        (0.5, {"below": 0.0}),
        (0.0, {"below": 0.0}),
        (1.0, {"factor": 0.9999999999}),
    ],
)
def test_what_does_not_fade_or_stops_above_the_limit_never_falls_below_it(db, base, named):
    assert fades_at(db, base, **named) is None


def test_a_floor_below_the_limit_does_not_keep_it_from_falling(db):
    assert fades_at(db, 0.9, lowest=0.29) == fades_at(db, 0.9)


@settings(
    deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.floats(0, 1),
    st.floats(0.01, 0.9999),
    st.none() | st.floats(0, 1),
    st.just(0.0) | st.floats(0.001, 1),
)
def test_it_agrees_with_effective_importance_on_both_sides(db, base, factor, lowest, below):
    moment = fades_at(db, base, factor=factor, lowest=lowest, below=below)

    def left(at):
        return value(db, "effective_importance", base_importance=base, daily_factor=factor,
                     lowest=lowest, last_used=NOW, as_of=at)  # fmt: skip

    second = timedelta(seconds=1)
    if moment is None:
        assert left(NOW + 500 * 365 * DAY) >= below
    else:
        assert left(moment + second) < below
        assert moment == NOW or left(moment - second) >= below
