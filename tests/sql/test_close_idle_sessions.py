"""close_idle_sessions: quiet sessions end in batches; none with something to do does."""

from datetime import timedelta

import psycopg

from memories import NOW, ask, value
from turns import say, sessions, settle

HOUR = timedelta(hours=1)


def close_idle(db, **named):
    return value(db, "close_idle_sessions", **({"as_of": NOW} | named))


def closed(db):
    return ask(
        db,
        "select session_id from aimemory.sessions where closed_at is not null"
        " order by last_turn_at, user_id, session_id",
    )


def quiet(db, session, hours=2, user="ann"):
    """A session with one turn that has been learnt from."""
    say(db, "hello", user=user, session=session, at=NOW - hours * HOUR)
    settle(db, 1, user=user, session=session)


def test_only_quiet_ones_are_closed(db):
    quiet(db, "an hour ago", 1)
    quiet(db, "half an hour ago", 0.5)

    assert close_idle(db) == 1
    assert closed(db) == ["an hour ago"]
    assert close_idle(db, idle_seconds=60) == 1
    assert close_idle(db, idle_seconds=60) == 0


def test_a_session_with_something_to_do_stays_open(db):
    for session in ("done", "half done", "failed"):
        say(db, "one", "two", session=session, at=NOW - 2 * HOUR)
    settle(db, 1, 2, session="done")
    settle(db, 1, session="half done")
    for _ in range(5):
        settle(db, 1, 2, session="failed", failure="no answer")

    assert close_idle(db) == 1
    assert closed(db) == ["done"]


def test_batches_end_the_quietest_first_and_come_to_an_end(db):
    for hours, user in [(3, "ann"), (5, "bob"), (4, "eve"), (2, "eve")]:
        quiet(db, f"{hours} hours", hours, user)

    assert [close_idle(db, max_rows=3), closed(db)] == [3, ["5 hours", "4 hours", "3 hours"]]
    assert [close_idle(db, max_rows=3), close_idle(db, max_rows=3)] == [1, 0]


def test_what_is_closed_keeps_its_time(db):
    quiet(db, "s")
    close_idle(db, as_of=NOW)
    close_idle(db, as_of=NOW + HOUR)

    assert sessions(db)[0]["closed_at"] == NOW


def test_a_session_that_speaks_up_at_that_moment_stays_open_and_keeps_nobody_waiting(
    fresh_database,
):
    with psycopg.connect(fresh_database) as speaker, psycopg.connect(fresh_database) as job:
        quiet(speaker, "s")
        quiet(speaker, "s", user="bob")
        speaker.commit()
        say(speaker, "one more thing")
        job.execute("set lock_timeout = '1s'")

        assert close_idle(job) == 1
        job.commit()
        assert ask(job, "select user_id from aimemory.sessions where closed_at is null") == ["ann"]
