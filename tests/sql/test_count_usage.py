"""count_usage: how much a user's learning has cost today, added up and never lost."""

from datetime import UTC, datetime, timedelta, timezone

import psycopg
import pytest

from memories import NOW, call, refused

SECOND = timedelta(seconds=1)
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)


def use(db, calls=0, tokens=0, user="ann", at=NOW):
    (used,) = call(db, "count_usage", for_user=user, more_calls=calls, more_tokens=tokens, as_of=at)
    return used["calls"], used["tokens"]


def test_the_sums_of_the_day_come_back(db):
    assert use(db, 1, 500) == (1, 500)
    assert use(db, 2, 1500) == (3, 2000)
    assert use(db) == (3, 2000)
    assert use(db, 1, 10, "bob") == (1, 10)


def test_a_new_day_starts_at_nothing(db):
    use(db, 3, 2000, at=MIDNIGHT - SECOND)

    assert use(db, 1, 10, at=MIDNIGHT) == (1, 10)
    assert use(db, at=MIDNIGHT + timedelta(days=1)) == (0, 0)


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles", "Pacific/Kiritimati"])
def test_the_day_is_that_of_utc_wherever_the_session_or_the_caller_is(db, zone):
    call(db, "set_user", for_user="ann", in_zone=zone)
    db.execute(f"set local timezone = '{zone}'")
    shanghai = timezone(timedelta(hours=8))

    assert use(db, 1, 1, at=MIDNIGHT - SECOND) == (1, 1)
    assert use(db, 1, 1, at=(MIDNIGHT - 2 * SECOND).astimezone(shanghai)) == (2, 2)
    assert use(db, 1, 1, at=MIDNIGHT) == (1, 1)


def test_more_tokens_than_an_integer_holds_are_counted(db):
    use(db, 1, 2**31)

    assert use(db, 1, 2**31) == (2, 2**32)


def test_two_workers_add_up(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        assert use(first, 1, 100) == (1, 100)
        second.execute("set local lock_timeout = '20ms'")
        with refused(second, "55P03"):
            use(second, 1, 50)
        first.commit()

        assert use(second, 1, 50) == (2, 150)
        second.commit()
        assert use(first) == (2, 150)
