"""faded: factor to the power of days, defined for every span of time."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import DAY, value


def faded(db, factor, span):
    return value(db, "faded", daily_factor=factor, span=span)


@pytest.mark.parametrize(
    ("factor", "days", "expected"),
    [(0.5, 1, 0.5), (0.5, 3, 0.125), (0.98, 0, 1), (1.0, 10_000, 1), (0.81, 0.5, 0.9)],
)
def test_a_factor_applies_once_a_day(db, factor, days, expected):
    assert faded(db, factor, DAY * days) == pytest.approx(expected, abs=1e-12)


def test_a_span_that_has_not_begun_fades_nothing(db):
    assert faded(db, 0.5, -DAY) == 1


@pytest.mark.parametrize("factor", [0.9, 0.01, 1e-300])
def test_twenty_years_are_nearly_nothing_and_no_underflow(db, factor):
    assert 0 < faded(db, factor, 20 * 365 * DAY) < 1e-30


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0.01, 1), st.floats(0, 30), st.floats(0, 30))
def test_two_spans_one_after_the_other_fade_as_one(db, factor, first, second):
    one, other = faded(db, factor, DAY * first), faded(db, factor, DAY * second)

    # An interval counts microseconds.
    assert (
        math.isclose(one * other, faded(db, factor, DAY * first + DAY * second), rel_tol=1e-8)
        or (first + second) * -math.log(factor) > 200
    )
