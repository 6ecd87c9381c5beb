"""Forgetting does not depend on how often, when, or by how many it is run."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories import DAY, NOW, call, remember, snapshot, value

HOUR = timedelta(hours=1)
KINDS = ("fact", "preference", "event", "state", "decision")


@st.composite
def memories(draw: st.DrawFn) -> list[dict]:
    """Memories of every kind, some pinned, used, confirmed, dated or replaced."""
    made = []
    for number in range(draw(st.integers(1, 12))):
        made.append({
            "new_content": f"memory {number}",
            "for_user": draw(st.sampled_from(["ann", "bob"])),
            "as_type": draw(st.sampled_from(KINDS)),
            "with_importance": draw(st.sampled_from([0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0])),
            "is_pinned": draw(st.booleans()) and draw(st.booleans()),
            "in_slot": draw(st.sampled_from([None, None, None, "city"])),
            "happening_at": draw(st.sampled_from([None, None, NOW + 10 * DAY])),
            "true_until": draw(st.sampled_from([None, None, NOW + 5 * DAY])),
            "as_of": NOW + draw(st.integers(0, 48)) * HOUR,
        })  # fmt: skip
    return sorted(made, key=lambda memory: memory["as_of"])


def run(db: psycopg.Connection, at: datetime, **named: object) -> None:
    while value(db, "archive_due", as_of=at, **named):
        pass


END = NOW + 40 * DAY
SCHEDULES = {
    "daily": [NOW + day * DAY for day in range(1, 41)],
    "with days skipped": [NOW + day * DAY for day in (1, 4, 5, 19, 33, 40)],
    "hourly": [NOW + hour * HOUR for hour in range(1, 40 * 24 + 1, 5)] + [END],
    "twice at each time": [NOW + day * DAY for day in range(1, 41) for _ in range(2)],
}


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(memories(), st.sampled_from(sorted(SCHEDULES)), st.sampled_from([1, 3, 1000]))
def test_any_schedule_leaves_the_rows_that_one_run_at_the_end_leaves(db, made, schedule, batch):
    with db.transaction(force_rollback=True):
        for memory in made:
            call(db, "add_memory", **memory)
        with db.transaction(force_rollback=True):
            run(db, END)
            once = snapshot(db)
        for at in SCHEDULES[schedule]:
            run(db, at, max_rows=batch)
        assert snapshot(db) == once


def test_two_schedulers_at_once_leave_what_one_leaves(template, empty_database):
    """Ids are the same in both databases: one is a copy of the other."""
    url = empty_database(template)
    with psycopg.connect(url) as connection:
        for number in range(300):
            remember(connection, f"ate {number}", f"user {number % 7}",
                     as_type=KINDS[number % 5], with_importance=0.4 + number % 6 / 10)  # fmt: skip
    copy = empty_database(psycopg.conninfo.conninfo_to_dict(url)["dbname"])
    call_ = "call aimemory.maintain('archive_due', max_rows => 20, as_of => %s)"

    with psycopg.connect(url, autocommit=True) as one:
        one.execute(call_.encode(), [END])
    errors: list[Exception] = []

    def work() -> None:
        try:
            with psycopg.connect(copy, autocommit=True) as connection:
                for _ in range(5):
                    connection.execute(call_.encode(), [END])
        except Exception as error:
            errors.append(error)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert errors == []
    with psycopg.connect(url) as one, psycopg.connect(copy) as many:
        alone, together = snapshot(one), snapshot(many)
    for tables in (alone, together):
        del tables["maintenance_runs"]
    assert together == alone
    assert len(alone["archive"]) > 200


@pytest.mark.parametrize("job", ["archive_due", "refresh_due_dates"])
def test_upkeep_and_uses_of_the_same_memories_do_not_deadlock(fresh_database, job):
    """Both lock the user before anything else, and neither waits long for the other."""
    with psycopg.connect(fresh_database) as connection:
        ids = [remember(connection, f"likes tea {number}", as_type="event") for number in range(40)]
    errors: list[Exception] = []
    stop = threading.Event()

    def repeat(action) -> None:
        try:
            with psycopg.connect(fresh_database, autocommit=True) as connection:
                connection.execute("set deadlock_timeout = '100ms'")
                while not stop.is_set():
                    action(connection)
        except Exception as error:
            errors.append(error)

    def touch(targets):
        return lambda db: call(db, "touch_memories", for_user="ann", targets=targets, as_of=NOW)

    def upkeep(db):
        if job == "refresh_due_dates":
            db.execute("update aimemory.memory_types set ttl_seconds = 1000 + random() * 1000")
        db.execute(b"call aimemory.maintain(%s, as_of => %s)", [job, NOW + 3 * DAY])

    jobs = [touch(ids), touch(ids[::-1]), touch(ids[10:30]), upkeep]
    workers = [threading.Thread(target=repeat, args=[action]) for action in jobs]
    for worker in workers:
        worker.start()
    stop.wait(3)
    stop.set()
    for worker in workers:
        worker.join()

    assert errors == []
