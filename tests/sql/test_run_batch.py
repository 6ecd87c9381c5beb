"""run_batch: the right function for each name, and the sign to stop."""

import pytest

from memories import DAY, NOW, call, refused, remember

START = {"at_user": "", "at_id": "00000000-0000-0000-0000-000000000000"}


def batch(db, which, at=NOW, **named):
    values = START | {"is_complete": True, "max_rows": 2, "is_rehearsal": False, "log_days": 90.0}
    (done,) = call(db, "run_batch", which=which, as_of=at, **(values | named))
    return done["done"], done["is_last"]


def test_it_is_the_last_when_nothing_was_done(db):
    for number in range(3):
        remember(db, f"ate {number}", as_type="event")

    assert batch(db, "archive_due", NOW + 8 * DAY) == (2, False)
    assert batch(db, "archive_due", NOW + 8 * DAY) == (1, False)
    assert batch(db, "archive_due", NOW + 8 * DAY) == (0, True)


def test_a_rehearsal_counts_all_in_one_batch(db):
    for number in range(3):
        remember(db, f"ate {number}", as_type="event")

    assert batch(db, "archive_due", NOW + 8 * DAY, is_rehearsal=True) == (3, True)


def test_a_walk_is_over_when_it_has_no_place_to_go_on_from(db):
    for number in range(3):
        remember(db, f"ate {number}", as_type="event")
    db.execute("update aimemory.memory_access set due_at = null")

    assert batch(db, "refresh_due_dates") == (2, False)
    assert batch(db, "refresh_due_dates", max_rows=5) == (1, True)


@pytest.mark.parametrize("which", ["close_idle_sessions", "purge_recall_log", "purge_runs"])
def test_the_other_jobs_have_nothing_to_do_in_an_empty_database(db, which):
    assert batch(db, which) == (0, True)


def test_an_unknown_job_is_refused(db):
    with refused(db, "MM001", "no upkeep job tidy"):
        batch(db, "tidy")
