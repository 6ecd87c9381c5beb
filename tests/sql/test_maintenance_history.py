"""The view maintenance_history: every run and its duration."""

from datetime import timedelta

from memories import clock, view


def ran(db, job, started, finished=None, **columns):
    values = {
        "run_id": "00000000-0000-0000-0000-000000000001",
        "job": job,
        "status": "done" if finished else "running",
        "started_at": started,
        "finished_at": finished,
    } | columns
    names = ", ".join(values)
    places = ", ".join(["%s"] * len(values))
    db.execute(
        f"insert into aimemory.maintenance_runs ({names}) values ({places})", [*values.values()]
    )


def test_a_run_has_its_duration_in_seconds(db):
    now = clock(db)
    ran(db, "archive_due", now, now + timedelta(seconds=2.5), rows_changed=7, batches=2, worker="a")

    (run,) = view(db, "maintenance_history")
    assert run["seconds"] == 2.5
    assert (run["job"], run["rows_changed"], run["batches"], run["worker"]) == (
        *("archive_due", 7, 2),
        "a",
    )


def test_one_that_still_runs_counts_so_far(db):
    ran(db, "archive_due", clock(db) - timedelta(minutes=2))

    (run,) = view(db, "maintenance_history")
    assert (run["status"], run["finished_at"], run["seconds"]) == ("running", None, 120)
