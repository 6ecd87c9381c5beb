"""purge_recall_log: the oldest entries go, in batches, whoever they belong to."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from memories import DAY, NOW, ask, call, value


@pytest.fixture
def logged(db):
    for days, user in ((1, "ann"), (95, "bob"), (91, "ann"), (100, "eve")):
        call(db, "lock_user", for_user=user)
        call(db, "log_recall", for_user=user, asked=f"{days}", what_came=Jsonb([]),
             as_of=NOW - days * DAY)  # fmt: skip
    return db


def left(db):
    return ask(db, "select query from aimemory.recall_log order by recalled_at")


def test_entries_older_than_the_limit_go(logged):
    assert value(logged, "purge_recall_log", keep_days=95, as_of=NOW) == 1
    assert left(logged) == ["95", "91", "1"]


def test_a_batch_takes_the_oldest_of_all_users(logged):
    assert value(logged, "purge_recall_log", max_rows=2, as_of=NOW) == 2
    assert left(logged) == ["91", "1"]
    assert value(logged, "purge_recall_log", max_rows=2, as_of=NOW) == 1
    assert value(logged, "purge_recall_log", max_rows=2, as_of=NOW) == 0


def test_a_rehearsal_counts_and_deletes_nothing(logged):
    assert value(logged, "purge_recall_log", is_rehearsal=True, as_of=NOW) == 3
    assert len(left(logged)) == 4


def test_a_user_who_is_being_written_to_keeps_nobody_waiting(fresh_database):
    with psycopg.connect(fresh_database) as writer, psycopg.connect(fresh_database) as job:
        for user in ("ann", "bob"):
            call(writer, "lock_user", for_user=user)
            call(writer, "log_recall", for_user=user, asked="?", what_came=Jsonb([]), as_of=NOW)
        writer.commit()
        call(writer, "lock_user", for_user="ann")
        job.execute("set lock_timeout = '1s'")

        # Ann's entry is as old as Bob's, and there is room for one.
        assert value(job, "purge_recall_log", keep_days=1, max_rows=1, as_of=NOW + 9 * DAY) == 1
        assert ask(job, "select user_id from aimemory.recall_log") == ["ann"]
        writer.rollback()
        assert value(job, "purge_recall_log", keep_days=1, as_of=NOW + 9 * DAY) == 1
