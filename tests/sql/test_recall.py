"""recall: what it takes, what it leaves alone, and that it says the same every time."""

from datetime import UTC, datetime

import pytest

from memories import (
    DAY,
    MODEL,
    NOW,
    ask,
    at_cosine,
    call,
    contents,
    ids,
    know_model,
    recall,
    refused,
    remember,
    snapshot,
    text_of,
)


def test_the_flagship_case_works_with_words_alone(db):
    remember(db, "用户的猫叫年糕", about=["年糕/pet"])
    remember(db, "用户在杭州上班")

    (hit,) = recall(db, "年糕昨天吐了怎么办", at=NOW + DAY)
    assert hit["content"] == "用户的猫叫年糕"
    assert hit["routes"] == ["keyword", "entity"]
    assert (hit["matched_entities"], hit["matched_terms"]) == (["年糕/pet"], ["年", "年糕", "糕"])


def test_nothing_fitting_is_an_empty_result(db):
    remember(db, "likes tea", vector=at_cosine(0.2))

    assert recall(db, "quantum chromodynamics", vector=at_cosine(1)) == []
    assert recall(db, "tea", "nobody") == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_results": 0},
        {"max_results": None},
        {"entity_mode": "loose"},
        {"entity_mode": None},
        {"profile_name": "unknown"},
        {"profile_name": None},
        {"vector": (0, 0, 0)},
    ],
)
def test_an_argument_that_would_give_a_wrong_answer_is_refused(db, wrong):
    know_model(db)

    with refused(db, "MM001"):
        recall(db, "tea", **wrong)


@pytest.mark.parametrize(
    "wrong", [{"vector": (1, 0)}, {"vector": (1, 0, 0), "query_model": "unknown"}]
)
def test_a_vector_of_another_model_is_refused(db, wrong):
    know_model(db)

    with refused(db, "MM003"):
        recall(db, "tea", **wrong)


def test_null_is_as_good_as_left_out(db):
    remember(db, "likes tea")
    filters = ("in_scopes", "of_types", "with_tags", "metadata_filter", "query_entities")
    nothing = dict.fromkeys(filters) | {"at_least": None, "query_model": None}

    assert contents(recall(db, "tea", **nothing)) == ["likes tea"]
    assert recall(db, None, **nothing) == []
    for missing in ({"user": None}, {"at": None}):
        with refused(db, "MM001", "must not be null"):
            recall(db, "tea", **missing)


def test_at_least_decides_what_meaning_alone_may_bring(db):
    for cosine in (0.9, 0.5, 0.25, 0.0, -0.5):
        remember(db, f"at {cosine}", vector=at_cosine(cosine))

    def found(at_least):
        return len(recall(db, vector=at_cosine(1), at_least=at_least, max_results=10))

    assert [found(x) for x in (None, 0.95, 0.89, 0.4, 0.2, -0.1, -1)] == [2, 0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("wanted", [1, 4, 7, 2_000_000_000])
def test_no_more_come_than_wanted_and_no_fewer_than_there_are(db, wanted):
    for number in range(6):
        remember(db, f"tea {number}", vector=at_cosine(0.9))

    assert len(recall(db, "tea", vector=at_cosine(1), max_results=wanted)) == min(wanted, 6)


def test_every_filter_holds_on_every_route(db):
    remember(
        db,
        "tea for the project",
        about=["miso"],
        vector=at_cosine(0.9),
        in_scope="project:x",
        as_type="decision",
        with_tags=["a", "b"],
        with_metadata={"n": 5},
    )
    remember(db, "tea at home", about=["miso"], vector=at_cosine(0.9), with_metadata={"n": "5"})

    def found(**filters):
        hits = recall(db, "tea for miso", vector=at_cosine(1), **filters)
        assert all(hit["routes"] == ["vector", "keyword", "entity"] for hit in hits)
        return contents(hits)

    assert len(found()) == 2
    for matching in (
        {"in_scopes": ["project:x", "other"]},
        {"of_types": ["decision"]},
        {"with_tags": ["b"]},
        {"metadata_filter": "$.n > 4"},
    ):
        assert found(**matching) == ["tea for the project"]
    assert found(in_scopes=["user"]) == ["tea at home"]
    for nothing in (
        {"in_scopes": []},
        {"in_scopes": ["project:"]},
        {"of_types": ["state"]},
        {"with_tags": ["a", "c"]},
        {"metadata_filter": "$.n > 5"},
        {"in_scopes": ["user"], "of_types": ["decision"]},
    ):
        assert found(**nothing) == []


def test_a_session_of_another_scope_never_bleeds_in(db):
    for session in ("session:1", "session:10"):
        remember(db, f"tea in {session}", in_scope=session, vector=at_cosine(1))

    hits = recall(db, "tea", vector=at_cosine(1), in_scopes=["session:1"])
    assert contents(hits) == ["tea in session:1"]


def test_the_same_question_gives_the_same_order_a_hundred_times(db):
    for number in range(120):
        remember(db, f"tea {number}", vector=at_cosine(0.9), with_importance=0.5)
    first = recall(db, "tea", vector=at_cosine(1), max_results=10)

    # All are equal, so the ids decide, also about which 100 are looked at.
    assert ids(first) == sorted(ask(db, "select memory_id from aimemory.memories"))[:10]
    for _ in range(99):
        assert recall(db, "tea", vector=at_cosine(1), max_results=10) == first


def test_the_time_zone_of_the_session_changes_no_instant_and_no_order(db):
    old = remember(db, "lives in Berlin", in_slot="city", at=NOW - 9 * DAY)
    remember(db, "lives in Paris", in_slot="city", at=NOW - 8 * DAY)
    for day in range(5):
        remember(db, f"lives well {day}", at=NOW - day * DAY)
    seen = []
    for zone in ("UTC", "Asia/Shanghai", "America/Los_Angeles"):
        db.execute("select set_config('timezone', %s, true)", (zone,))
        seen.append(recall(db, "who lives in paris", max_results=9))

    for hits in seen:
        for hit in hits:
            for link in hit["history"]:
                for name in ("created_at", "superseded_at"):
                    link[name] = datetime.fromisoformat(link[name]).astimezone(UTC)
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0]) == 6
    assert [link for hit in seen[0] for link in hit["history"]] == [
        {
            "memory_id": str(old),
            "content": "lives in Berlin",
            "created_at": NOW - 9 * DAY,
            "superseded_at": NOW - 8 * DAY,
        }
    ]


def test_vectors_too_large_for_an_index_entry_are_searched_too(db):
    know_model(db, "large", 3000)
    near, far = ([1.0, tilt] + [0.0] * 2998 for tilt in (0.1, 5.0))
    for content, vector in (("near", near), ("far", far)):
        remember(db, content, vectors=[text_of(vector)], vector_model="large")
    assert ask(db, "select indexable from aimemory.memory_vectors") == [False, False]

    question = [1.0] + [0.0] * 2999
    hits = recall(db, vector=question, at_least=0.0)
    assert [(h["content"], round(h["similarity"], 3)) for h in hits] == [
        ("near", round(1 / (1 + 0.01) ** 0.5, 3)),
        ("far", round(1 / (1 + 25) ** 0.5, 3)),
    ]
    assert [h["vector_rank"] for h in hits] == [1, 2]


def test_only_vectors_of_the_model_asked_for_take_part(db):
    remember(db, "by the first model", vector=at_cosine(1))
    know_model(db, "other", 3)
    memory = remember(db, "by a second network", vectors=["[1,0,0]"], vector_model="other")
    both = remember(db, "by both", vector=at_cosine(0.8))
    call(
        db,
        "store_vectors",
        for_user="ann",
        target=both,
        is_cold=False,
        vectors=["[0.6,0.8,0]"],
        vector_model="other",
    )

    assert contents(recall(db, vector=at_cosine(1))) == ["by the first model", "by both"]
    others = recall(db, vector=at_cosine(1), query_model="other")
    assert contents(others) == ["by a second network", "by both"]
    assert [round(h["similarity"], 2) for h in others] == [1, 0.6]
    (word_only,) = recall(db, "network", vector=at_cosine(1), query_model=MODEL, at_least=2.0)
    assert (word_only["memory_id"], word_only["similarity"]) == (memory, None)


def test_reading_writes_nothing(db):
    memory = remember(db, "likes tea", about=["ann"], vector=at_cosine(1))
    remember(db, "likes old tea", with_importance=0.9)
    call(db, "archive_memory", for_user="ann", target=memory)
    before = snapshot(db)

    for question in ("likes tea ann", "likes old tea", "nothing"):
        recall(db, question, vector=at_cosine(1))
    assert snapshot(db) == before


def test_recall_works_where_nothing_can_be_written(db):
    remember(db, "likes tea", vector=at_cosine(1))
    db.execute("set local transaction_read_only = on")

    assert contents(recall(db, "tea", vector=at_cosine(1))) == ["likes tea"]
    assert set(
        ask(
            db,
            "select provolatile::text from pg_proc where pronamespace = 'aimemory'::regnamespace"
            " and proname in ('recall', 'check_recall', 'similar_to', 'list_memories',"
            " 'get_memories', 'memory_history')",
        )
    ) == {"s"}
