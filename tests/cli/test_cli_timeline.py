"""The command timeline."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from aimemory import MemoryStore
from terminal import Run

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def test_a_timeline_shows_what_was_and_what_is(run: Run, user: str, store: MemoryStore) -> None:
    added = store.add(user, "家里的猫叫年糕", created_at=START)
    store.update(user, added.memory_id, content="家里的猫叫汤圆", reason="a typo", changed_by="me")
    store.add(user, "flies to Rome", memory_type="event", event_at=START + 30 * DAY)

    shown = run("timeline", user)

    assert (shown.code, shown.err) == (0, "")
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert lines[0] == "when what memory id"
    local = START.astimezone().strftime("%Y-%m-%d %H:%M")
    assert lines[1] == f"{local} added 家里的猫叫年糕 {str(added.memory_id)[:8]}"
    assert "updated 家里的猫叫汤圆" in lines[2]
    assert lines[3:5] == ["before: 家里的猫叫年糕", "a typo, by me"]
    assert f"event: {(START + 30 * DAY).astimezone():%Y-%m-%d %H:%M}" in lines[6]


def test_a_span_and_a_limit_are_kept(run: Run, user: str, store: MemoryStore) -> None:
    for n in range(4):
        store.add(user, f"day {n}", created_at=START + n * DAY)

    def told(*options: str) -> list[str]:
        document = run("timeline", user, "--json", *options).document
        return [entry["content"] for entry in document["timeline"]]

    assert told("--since", "2026-01-02T12:00+00:00", "--until", "2026-01-04T12:00+00:00") == [
        "day 1",
        "day 2",
    ]
    assert told("--limit", "1") == ["day 3"]


def test_an_empty_timeline_and_a_wrong_span_say_so(run: Run, user: str) -> None:
    assert run("timeline", user).out == "nothing happened\n"

    failed = run("timeline", user, "--since", "2026-02-01", "--until", "2026-01-01")
    assert failed.code == 1
    assert "must not be after" in failed.err
