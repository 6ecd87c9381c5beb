"""purge_runs: old history goes; what runs stays."""

import pytest

from memories import DAY, NOW, ask, call, value


@pytest.fixture
def history(db):
    for days in (1, 90, 91, 200):
        run = value(db, "start_run", which=f"job {days}", as_of=NOW - days * DAY)
        if days != 200:
            call(db, "finish_run", this_run=run, outcome="done", as_of=NOW - days * DAY)
    return db


def jobs(db):
    return ask(db, "select job from aimemory.maintenance_runs order by started_at")


def test_runs_older_than_the_limit_go_unless_they_run_still(history):
    assert value(history, "purge_runs", as_of=NOW) == 1
    assert jobs(history) == ["job 200", "job 90", "job 1"]


def test_a_rehearsal_counts_and_deletes_nothing(history):
    assert value(history, "purge_runs", keep_days=89, is_rehearsal=True, as_of=NOW) == 2
    assert len(jobs(history)) == 4
