"""start_run, count_batch, finish_run: one row tells the story of a run."""

from datetime import timedelta

from memories import NOW, call, rows, value

MINUTE = timedelta(minutes=1)


def runs(db):
    return rows(db, "select * from aimemory.maintenance_runs order by started_at")


def test_a_run_begins_counts_its_batches_and_ends(db):
    run = value(db, "start_run", which="archive_due", by_worker="night", as_of=NOW)
    assert runs(db)[0]["status"] == "running"
    call(db, "count_batch", this_run=run, how_many=5)
    call(db, "count_batch", this_run=run, how_many=2)
    call(db, "finish_run", this_run=run, outcome="done", as_of=NOW + MINUTE)

    assert runs(db) == [
        {
            "run_id": run,
            "job": "archive_due",
            "status": "done",
            "dry_run": False,
            "started_at": NOW,
            "finished_at": NOW + MINUTE,
            "rows_changed": 7,
            "batches": 2,
            "worker": "night",
            "error": None,
        }
    ]


def test_a_failure_is_kept_with_its_reason(db):
    run = value(db, "start_run", which="archive_due", is_rehearsal=True, as_of=NOW)
    call(db, "finish_run", this_run=run, outcome="failed", failure="disk full", as_of=NOW)

    (told,) = runs(db)
    assert (told["status"], told["error"], told["dry_run"]) == ("failed", "disk full", True)


def test_a_run_that_never_ended_is_ended_by_the_next_of_its_job_only(db):
    value(db, "start_run", which="archive_due", as_of=NOW)
    value(db, "start_run", which="purge_runs", as_of=NOW + MINUTE)
    value(db, "start_run", which="archive_due", as_of=NOW + 2 * MINUTE)

    assert [(r["job"], r["status"], r["finished_at"]) for r in runs(db)] == [
        ("archive_due", "failed", NOW + 2 * MINUTE),
        ("purge_runs", "running", None),
        ("archive_due", "running", None),
    ]
