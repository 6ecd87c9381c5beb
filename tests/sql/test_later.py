"""later: seconds after a moment, whatever the time zone of the session."""

from datetime import UTC, datetime, timedelta

import pytest

from memories import ask

MARCH = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)


def later(db, moment, seconds):
    return ask(db, "select aimemory.later(%s, %s::double precision)", moment, seconds)[0]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_a_day_is_86400_seconds_even_when_the_clocks_change(db, zone):
    db.execute(f"set local time zone '{zone}'".encode())

    assert later(db, MARCH, 86400) == MARCH + timedelta(days=1)


def test_it_is_exact_to_a_microsecond(db):
    moment = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)

    assert later(db, moment, 1.5) - moment == timedelta(seconds=1.5)


def test_without_a_moment_or_without_seconds_there_is_none(db):
    assert later(db, None, 1) is None
    assert later(db, MARCH, None) is None


def test_a_span_beyond_the_calendar_is_no_date_instead_of_an_error(db):
    for never in ("'2026-03-01', 1e300", "'294200-01-01', 1", "'9999-01-01', 0",
                  "'9998-12-31 23:59:59+00', 1"):  # fmt: skip
        assert ask(db, f"select aimemory.later({never}) = 'infinity'") == [True]
    last = "'9998-12-31 23:59:58+00'"
    assert ask(db, f"select aimemory.later({last}, 1) > {last}") == [True]


def test_a_moment_at_infinity_stays_there(db):
    assert ask(db, "select aimemory.later('infinity', 5) = 'infinity'") == [True]
    assert ask(db, "select aimemory.later('-infinity', 5) = '-infinity'") == [True]
