"""update_memory: a correction in place; what it was before is kept."""

import pytest

from memories import (
    DAY,
    MODEL,
    NOW,
    add,
    ask,
    at_cosine,
    call,
    contents,
    know_model,
    recall,
    refused,
    remember,
    row,
    rows,
    snapshot,
    text_of,
)

LATER = NOW + DAY


def update(db, target, user="ann", **changes):
    return call(db, "update_memory", for_user=user, target=target, as_of=LATER, **changes)


def last_revision(db, memory):
    return call(db, "memory_history", for_user="ann", target=memory)[-1]


def test_only_what_is_given_changes(db):
    memory = remember(
        db,
        "likes tea",
        as_type="preference",
        with_importance=0.5,
        about=["ann"],
        with_tags=["drink"],
        with_metadata={"a": 1, "b": 2},
        in_slot="ann.drink",
        true_until=NOW + 9 * DAY,
    )
    before = row(db, "memories", memory)
    update(db, memory, to_importance=0.9)

    assert row(db, "memories", memory) == before | {"importance": 0.9, "updated_at": LATER}


def test_every_column_that_can_change_does(db):
    memory = remember(db, "likes tea", about=["ann"], with_tags=["x"], with_metadata={"a": 1})
    update(
        db,
        memory,
        new_content="likes green tea",
        to_type="preference",
        to_importance=0.8,
        about=["Ann/Person"],
        to_tags=["y", "z"],
        plus_metadata={"b": 2},
        to_standing=True,
        true_until=NOW + 9 * DAY,
    )
    now = row(db, "memories", memory)

    assert {
        name: now[name]
        for name in ("content", "memory_type", "importance", "entities", "tags", "standing")
    } == {
        "content": "likes green tea",
        "memory_type": "preference",
        "importance": 0.8,
        "entities": ["ann/person"],
        "tags": ["y", "z"],
        "standing": True,
    }
    assert (now["valid_until"], now["updated_at"], now["created_at"]) == (
        NOW + 9 * DAY,
        LATER,
        NOW,
    )


def test_metadata_is_merged_key_by_key(db):
    memory = remember(db, "likes tea", with_metadata={"a": 1, "b": {"c": 2}})
    update(db, memory, plus_metadata={"b": 3, "d": None})

    assert row(db, "memories", memory)["metadata"] == {"a": 1, "b": 3, "d": None}


def test_lists_can_be_emptied(db):
    memory = remember(db, "likes tea", about=["ann"], with_tags=["drink"])
    update(db, memory, about=[], to_tags=[])

    assert (row(db, "memories", memory)["entities"], row(db, "memories", memory)["tags"]) == (
        [],
        [],
    )


def test_the_revision_keeps_what_was_there_before(db):
    memory = remember(
        db, "likes tea", with_importance=0.5, about=["ann"], with_tags=["t"], with_metadata={"a": 1}
    )
    update(
        db,
        memory,
        new_content="likes coffee",
        to_importance=0.9,
        about=["bob"],
        to_tags=[],
        plus_metadata={"a": 2},
        what="merged",
        why="refined",
        changed_by="judge",
    )
    revision = last_revision(db, memory)

    assert (revision["action"], revision["reason"], revision["actor"], revision["content"]) == (
        "merged",
        "refined",
        "judge",
        "likes tea",
    )
    assert revision["changed_at"] == LATER
    assert revision["details"] == {
        "memory_type": "fact",
        "importance": 0.5,
        "entities": ["ann"],
        "tags": ["t"],
        "metadata": {"a": 1},
        "standing": False,
        "valid_until": None,
    }


def test_after_a_new_text_the_old_words_and_names_find_nothing(db):
    memory = remember(db, "plays the cello", about=["ann"])
    update(db, memory, new_content="plays the violin", about=["bob"])

    assert contents(recall(db, "cello", at=LATER)) == []
    assert contents(recall(db, "violin", at=LATER)) == ["plays the violin"]
    assert sorted(ask(db, "select term from aimemory.memory_terms")) == ["#bob", "play", "violin"]


def test_a_new_text_drops_the_vectors_of_every_model(db):
    memory = remember(db, "likes tea", vector=at_cosine(1))
    know_model(db, "other", 2)
    update(db, memory, vectors=["[1,0]"], vector_model="other")
    assert ask(db, "select count(*) from aimemory.memory_vectors") == [2]

    update(db, memory, new_content="likes coffee")
    assert ask(db, "select count(*) from aimemory.memory_vectors") == [0]


def test_a_new_text_with_its_vector_is_found_by_the_new_meaning_only(db):
    memory = remember(db, "likes tea", vector=at_cosine(1))
    update(
        db,
        memory,
        new_content="drives a car",
        vectors=[text_of((0, 0, 1))],
        vector_model=MODEL,
    )

    assert recall(db, vector=at_cosine(1), at=LATER) == []
    assert contents(recall(db, vector=(0, 0, 1), at=LATER)) == ["drives a car"]


def test_without_a_new_text_the_vectors_stay(db):
    memory = remember(db, "likes tea", vector=at_cosine(1))
    update(db, memory, to_importance=0.9, new_content="likes tea")

    assert ask(db, "select count(*) from aimemory.memory_vectors") == [1]


def test_a_text_that_another_memory_has_is_refused(db):
    remember(db, "likes tea")
    memory = remember(db, "likes coffee")

    with refused(db, "MM001", "says this already"):
        update(db, memory, new_content="Likes tea!")
    update(db, remember(db, "x", in_scope="project:x"), new_content="likes tea")
    update(db, memory, new_content="Likes COFFEE.")


def test_what_is_not_active_cannot_be_changed(db):
    superseded = remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city")
    archived = remember(db, "plays the cello")
    call(db, "archive_memory", for_user="ann", target=archived)
    before = snapshot(db)

    for target, user in ((superseded, "ann"), (archived, "ann"), (archived, "bob")):
        with refused(db, "MM002"):
            update(db, target, user, to_importance=0.1)
    assert snapshot(db) == before


def test_an_event_cannot_become_the_second_holder_of_a_slot(db):
    remember(db, "always has tea", in_slot="breakfast")
    memory = remember(db, "had bread", in_slot="breakfast", as_type="event")

    with refused(db, "MM001", "slot breakfast"):
        update(db, memory, to_type="fact")


@pytest.mark.parametrize(
    ("sqlstate", "wrong"),
    [
        ("MM001", {"to_type": "rumour"}),
        ("23514", {"to_importance": 2}),
        ("23514", {"new_content": ""}),
        ("23514", {"new_content": "x" * 100_001}),
        ("23514", {"what": "destroyed"}),
        ("MM003", {"vectors": ["[1,0,0]"]}),
    ],
)
def test_what_cannot_be_stored_is_refused_and_changes_nothing(db, sqlstate, wrong):
    memory = remember(db, "likes tea", vector=at_cosine(1))
    before = snapshot(db)

    with refused(db, sqlstate):
        update(db, memory, **wrong)
    assert snapshot(db) == before


def test_the_first_text_can_be_said_again_after_an_update(db):
    memory = remember(db, "likes tea")
    update(db, memory, new_content="likes coffee")

    assert add(db, "likes tea")["action"] == "inserted"
    assert len(rows(db, "select 1 from aimemory.memories")) == 2
