"""Upkeep from Python: every job, and extraction of idle conversations."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from aimemory import InvalidInput, MemoryStore
from aimemory.llm import OpenAIChat
from aimemory.upkeep import JOBS, Run, Upkeep, run_maintenance
from memories import ask, rows
from scripted_llm import Failure, ScriptedLLM

SECRET = "My boat is called Argo"


@pytest.fixture
def url(fresh_database: str) -> str:
    return fresh_database


@pytest.fixture
def conn(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def scripted() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        server.default = {"memories": []}
        yield server


@pytest.fixture
def opening(url: str, scripted: ScriptedLLM) -> Callable[[], MemoryStore]:
    """Opens a store whose language model is the scripted one."""

    def open_() -> MemoryStore:
        chat = OpenAIChat("scripted", base_url=scripted.base_url, api_key="any", max_retries=0)
        return MemoryStore.open(url, embedder="none", llm=chat)

    return open_


def later(**span: float) -> datetime:
    return datetime.now(UTC) + timedelta(**span)


def told(runs: list[Run]) -> dict[str, tuple[str, int]]:
    return {run.job: (run.status, run.rows_changed) for run in runs}


def waiting(opening: Callable[[], MemoryStore], *sessions: str, text: str = SECRET) -> None:
    """Record a turn in each session; a model would be asked for none of them yet."""
    with opening() as store:
        for session in sessions:
            assert store.record("ann", session, text) == []


def test_every_job_is_run_and_comes_back_with_what_it_did(url: str) -> None:
    with MemoryStore.open(url, embedder="none") as store:
        for number in range(5):
            store.add("ann", f"ate {number} apples", memory_type="event")

    runs = run_maintenance(url, batch_size=2, as_of=later(days=8))

    assert [run.job for run in runs] == [*JOBS]
    assert {run.status for run in runs} == {"done"}
    assert told(runs)["archive_due"] == ("done", 5)
    assert runs[1].batches == 4
    assert all(run.finished_at is not None and run.seconds >= 0 for run in runs)
    assert len({run.worker for run in runs}) == len(runs)


def test_a_rehearsal_counts_and_changes_nothing(
    url: str, conn: psycopg.Connection, opening: Callable[[], MemoryStore], scripted: ScriptedLLM
) -> None:
    waiting(opening, "s1", "s2", "s3")
    with opening() as store:
        store.add("ann", "ate an apple", memory_type="event")

    runs = told(run_maintenance(url, dry_run=True, as_of=later(days=8), open_store=opening))

    assert runs["extract_idle"] == ("done", 3)
    assert runs["archive_due"] == ("done", 1)
    assert scripted.requests == []
    assert ask(conn, "select count(*) from aimemory.archive") == [0]
    assert ask(conn, "select count(*) from aimemory.turns where extracted_at is null") == [3]


def test_a_job_that_fails_says_so_and_the_others_run(url: str, conn: psycopg.Connection) -> None:
    conn.execute("alter table aimemory.archive add constraint full_up check (content <> 'bad')")
    with MemoryStore.open(url, embedder="none") as store:
        store.add("ann", "bad", memory_type="event")

    runs = run_maintenance(url, as_of=later(days=8))

    failed = [run for run in runs if run.status == "failed"]
    assert [run.job for run in failed] == ["archive_due"]
    assert failed[0].failure is not None
    assert "full_up" in failed[0].failure
    assert len(runs) == len(JOBS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"job": "archiv"}, "archive_due, extract_idle"),
        ({"batch_size": 0}, "batch_size"),
        ({"log_days": -1.0}, "log_days"),
        ({"log_days": float("nan")}, "log_days"),
    ],
)
def test_bad_arguments_are_refused_before_anything_runs(
    url: str, conn: psycopg.Connection, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        run_maintenance(url, **arguments)  # type: ignore[arg-type]
    assert ask(conn, "select count(*) from aimemory.maintenance_runs") == [0]


def test_idle_conversations_are_learnt_from(
    url: str, conn: psycopg.Connection, opening: Callable[[], MemoryStore], scripted: ScriptedLLM
) -> None:
    waiting(opening, "s1", "s2")

    early = run_maintenance(url, "extract_idle", as_of=later(minutes=9), open_store=opening)
    due = run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)

    assert told(early) == {"extract_idle": ("done", 0)}
    assert told(due) == {"extract_idle": ("done", 2)}
    assert ask(conn, "select count(*) from aimemory.turns where extracted_at is null") == [0]
    assert len(scripted.requests) == 2


def test_with_nothing_to_learn_from_no_store_is_opened(url: str) -> None:
    """So no model is loaded, every minute, in a process that only archives."""

    def refuse() -> MemoryStore:
        raise AssertionError

    assert told(run_maintenance(url, "extract_idle", open_store=refuse)) == {
        "extract_idle": ("done", 0)
    }


def test_a_model_that_is_down_fails_the_run_keeps_the_turns_and_logs_no_text(
    url: str,
    conn: psycopg.Connection,
    opening: Callable[[], MemoryStore],
    scripted: ScriptedLLM,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    waiting(opening, "s1", "s2")
    scripted.default = Failure(status=503)

    (run,) = run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)
    again = run_maintenance(url, "extract_idle", as_of=later(minutes=12), open_store=opening)

    assert (run.status, run.rows_changed, run.batches) == ("failed", 0, 2)
    assert "2 conversations" in str(run.failure)
    assert told(again) == {"extract_idle": ("done", 0)}  # their next try comes later
    turns = rows(conn, "select * from aimemory.turns")
    assert {(turn["extracted_at"], turn["attempts"]) for turn in turns} == {(None, 1)}
    assert "Argo" not in caplog.text
    assert "ann" not in caplog.text.replace("cannot", "")
    scripted.default = {"memories": []}
    healed = run_maintenance(url, "extract_idle", as_of=later(minutes=41), open_store=opening)
    assert told(healed) == {"extract_idle": ("done", 2)}


def test_a_run_gives_up_when_the_service_is_down(
    url: str, conn: psycopg.Connection, opening: Callable[[], MemoryStore], scripted: ScriptedLLM
) -> None:
    """Each call may take half a minute to fail, and every conversation has five tries."""
    waiting(opening, *(f"s{number}" for number in range(8)))
    scripted.default = Failure(status=503)

    (run,) = run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)

    assert (run.status, run.batches) == ("failed", 5)
    assert sorted(ask(conn, "select attempts from aimemory.turns")) == [0] * 3 + [1] * 5


def test_one_bad_conversation_does_not_stop_the_others(
    url: str, opening: Callable[[], MemoryStore], scripted: ScriptedLLM
) -> None:
    waiting(opening, "bad", text="the bad one")
    waiting(opening, "good", text="the good one")
    scripted.default = lambda request: (
        Failure(status=503) if "bad" in request.user else {"memories": []}
    )

    runs = run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)

    assert told(runs) == {"extract_idle": ("done", 1)}


def test_two_workers_extract_once(
    url: str, conn: psycopg.Connection, opening: Callable[[], MemoryStore], scripted: ScriptedLLM
) -> None:
    waiting(opening, *(f"s{number}" for number in range(6)))
    begun = threading.Event()

    def answer(request: object) -> object:
        begun.set()
        threading.Event().wait(0.1)
        return {"memories": []}

    scripted.default = answer

    def work() -> list[Run]:
        return run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)

    with ThreadPoolExecutor(2) as workers:
        first = workers.submit(work)
        assert begun.wait(20)
        second = workers.submit(work)

    assert told(first.result()) == {"extract_idle": ("done", 6)}
    assert told(second.result()) == {"extract_idle": ("skipped", 0)}
    assert len(scripted.requests) == 6


def test_no_transaction_is_open_while_a_model_is_asked(
    url: str, conn: psycopg.Connection, opening: Callable[[], MemoryStore], scripted: ScriptedLLM
) -> None:
    waiting(opening, "s1")
    states: list[str] = []

    def answer(request: object) -> object:
        states.extend(
            ask(
                conn,
                "select state from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()",
            )
        )
        return {"memories": []}

    scripted.default = answer
    run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)

    assert states
    assert set(states) == {"idle"}


def test_extraction_stops_after_the_conversation_that_it_is_at(
    url: str, conn: psycopg.Connection, opening: Callable[[], MemoryStore], scripted: ScriptedLLM
) -> None:
    waiting(opening, "s1", "s2", "s3")
    with Upkeep(url, open_store=opening) as upkeep:

        def answer(request: object) -> object:
            upkeep.stop()
            return {"memories": []}

        scripted.default = answer
        run = upkeep.run("extract_idle", as_of=later(minutes=11))

    assert (run.status, run.rows_changed) == ("failed", 1)
    assert "stopped" in str(run.failure)
    assert ask(conn, "select count(*) from aimemory.turns where extracted_at is null") == [2]


def test_a_connection_that_breaks_ends_the_extraction(
    url: str, conn: psycopg.Connection, opening: Callable[[], MemoryStore], scripted: ScriptedLLM
) -> None:
    """Its lock is gone, so somebody else may be learning from the same turns."""
    waiting(opening, "s1", "s2", "s3")

    def answer(request: object) -> object:
        conn.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where application_name = 'aimemory extract_idle'"
        )
        return {"memories": []}

    scripted.default = answer
    with pytest.raises(psycopg.OperationalError):
        run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)

    assert len(scripted.requests) == 1
    scripted.default = {"memories": []}
    runs = run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)
    assert told(runs) == {"extract_idle": ("done", 2)}
    assert ask(conn, "select count(*) from aimemory.maintenance_runs where status = 'running'") == [
        0
    ]


def test_a_cancelled_job_undoes_its_batch_and_leaves_no_run_behind(
    url: str, conn: psycopg.Connection
) -> None:
    with MemoryStore.open(url, embedder="none") as store:
        store.add("ann", "ate an apple", memory_type="event")
    conn.execute(
        "create function public.slow() returns trigger language plpgsql as"
        " $$ begin perform pg_sleep(60); return new; end $$"
    )
    conn.execute(
        "create trigger slow after insert on aimemory.archive"
        " for each statement execute function public.slow()"
    )
    upkeep = Upkeep(url)
    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(upkeep.run, "archive_due", as_of=later(days=8))
        while not ask(conn, "select 1 from pg_stat_activity where wait_event = 'PgSleep'"):
            assert not running.done()
        upkeep.cancel()
        with pytest.raises(psycopg.errors.QueryCanceled):
            running.result(20)

    assert not upkeep.is_running()
    (run,) = rows(conn, "select * from aimemory.maintenance_runs where job = 'archive_due'")
    assert run["status"] == "failed"
    assert ask(conn, "select count(*) from aimemory.archive") == [0]


def test_a_job_that_is_cancelled_between_two_batches_leaves_no_run_behind(
    url: str, conn: psycopg.Connection
) -> None:
    """Where the procedure has no handler, and its connection goes: while it notes its end."""
    conn.execute(
        "create function public.slow() returns trigger language plpgsql as"
        " $$ begin perform pg_sleep(60); return new; end $$"
    )
    conn.execute(
        "create trigger slow before update on aimemory.maintenance_runs for each row"
        " when (new.status = 'done') execute function public.slow()"
    )
    upkeep = Upkeep(url)
    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(upkeep.run, "purge_runs")
        while not ask(conn, "select 1 from pg_stat_activity where wait_event = 'PgSleep'"):
            assert not running.done()
        upkeep.cancel()
        with pytest.raises(psycopg.errors.QueryCanceled):
            running.result(20)

    assert ask(conn, "select status from aimemory.maintenance_runs") == ["failed"]


def test_the_log_has_fields_and_no_user(
    url: str, opening: Callable[[], MemoryStore], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "aimemory")
    waiting(opening, "s1")
    run_maintenance(url, "extract_idle", as_of=later(minutes=11), open_store=opening)

    (record,) = [r for r in caplog.records if r.name == "aimemory.upkeep.jobs"]
    assert (record.job, record.status, record.rows) == ("extract_idle", "done", 1)  # type: ignore[attr-defined]
    assert record.levelname == "INFO"
    assert "ann" not in caplog.text
    assert "Argo" not in caplog.text
