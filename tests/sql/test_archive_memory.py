"""archive_memory: out of the live tables, with everything it has."""

import pytest

from memories import DAY, NOW, at_cosine, call, count, refused, remember, row, rows, value


def archive(db, target, user="ann", **named):
    return value(db, "archive_memory", for_user=user, target=target, **named)


def test_a_memory_moves_with_its_id_and_all_its_columns(db):
    memory = remember(
        db,
        "plays the cello",
        about=["ann"],
        with_tags=["music"],
        with_metadata={"a": 1},
        in_slot="ann.instrument",
        request_key="k",
        is_pinned=True,
        quoting="I play",
        said_by="user",
        from_session="s",
        from_turn=1,
        true_until=NOW + 99 * DAY,
        happening_at=NOW,
    )
    before = row(db, "memories", memory)

    assert archive(db, memory, because="ttl", as_of=NOW + 40 * DAY)
    assert count(db, "memories") == 0
    assert row(db, "archive", memory) == before | {
        "archived_at": NOW + 40 * DAY,
        "archive_reason": "ttl",
        "archived_importance": pytest.approx(0.6 * 0.98**40, abs=1e-12),
    }


def test_the_importance_at_that_time_respects_floor_and_last_use(db):
    strong = remember(db, "was born in Rome", with_importance=0.9)
    used = remember(db, "likes tea", with_importance=0.7)
    call(db, "touch_memories", for_user="ann", targets=[used], as_of=NOW + 390 * DAY)
    for memory in (strong, used):
        archive(db, memory, as_of=NOW + 400 * DAY)

    assert row(db, "archive", strong)["archived_importance"] == 0.35
    assert row(db, "archive", used)["archived_importance"] == pytest.approx(0.7 * 0.98**10)


def test_vectors_and_postings_become_cold(db):
    memory = remember(db, "plays the cello", about=["ann"], vector=at_cosine(1))
    archive(db, memory)

    assert rows(db, "select term, cold from aimemory.memory_terms order by term") == [
        {"term": "#ann", "cold": True},
        {"term": "cello", "cold": True},
        {"term": "play", "cold": True},
    ]
    assert rows(db, "select cold from aimemory.memory_vectors") == [{"cold": True}]


def test_the_reason_is_kept_in_the_history(db):
    memory = remember(db, "plays the cello")
    archive(db, memory, because="faded", changed_by="upkeep")
    revision = call(db, "memory_history", for_user="ann", target=memory)[-1]

    assert (revision["action"], revision["reason"], revision["actor"], revision["content"]) == (
        "archived",
        "faded",
        "upkeep",
        "plays the cello",
    )


def test_a_superseded_memory_keeps_its_link(db):
    old = remember(db, "lives in Berlin", in_slot="city")
    new = remember(db, "lives in Paris", in_slot="city")
    archive(db, old, because="superseded")

    assert row(db, "archive", old)["superseded_by"] == new


def test_there_is_nothing_to_archive_twice_or_for_others(db):
    memory = remember(db, "plays the cello")

    assert archive(db, memory, "bob") is False
    assert archive(db, memory) is True
    assert archive(db, memory) is False


def test_an_unknown_reason_is_refused(db):
    memory = remember(db, "plays the cello")

    with refused(db, "23514"):
        archive(db, memory, because="bored")
    assert count(db, "memories") == 1
