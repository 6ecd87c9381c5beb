"""similar_to: the neighbours of a memory, without a model and without counting as a use."""

from uuid import uuid4

import pytest

from memories import (
    MODEL,
    at_cosine,
    call,
    contents,
    ids,
    know_model,
    remember,
    snapshot,
    text_of,
)


def similar(db, target, user="ann", **named):
    return call(db, "similar_to", for_user=user, target=target, **named)


@pytest.fixture
def target(db):
    memory = remember(db, "target", vector=at_cosine(1))
    remember(db, "near", vector=at_cosine(0.95), in_slot="s")
    remember(db, "far", vector=at_cosine(0.2))
    remember(db, "without a vector")
    remember(db, "of bob", "bob", vector=at_cosine(1))
    return memory


def test_the_nearest_come_first_with_their_cosine(db, target):
    found = similar(db, target, at_least=0.1)

    assert contents(found) == ["near", "far"]
    assert [hit["similarity"] for hit in found] == pytest.approx([0.95, 0.2], abs=1e-3)
    assert contents(similar(db, target)) == ["near"]
    assert contents(similar(db, target, at_least=0.1, max_results=1)) == ["near"]


def test_archived_and_superseded_memories_are_neighbours_too(db, target):
    near = similar(db, target)[0]["memory_id"]
    remember(db, "nearer", vector=at_cosine(0.99), in_slot="s")
    call(db, "archive_memory", for_user="ann", target=near)

    assert [(h["content"], h["status"], h["archived"]) for h in similar(db, target)] == [
        ("nearer", "active", False),
        ("near", "superseded", True),
    ]


def test_similarity_is_read_on_the_scale_of_memories_with_each_other(db, target):
    for pairs_of, low in (("memories", 0.9), ("questions", 0.1)):
        call(
            db,
            "calibrate_model",
            for_model=MODEL,
            for_script="other",
            low_cosine=low,
            high_cosine=1,
            pairs_of=pairs_of,
        )

    (near,) = similar(db, target)
    assert near["similarity"] == pytest.approx(0.5, abs=0.01)


def test_a_memory_in_parts_is_as_near_as_its_nearest_part(db, target):
    parts = [text_of(at_cosine(c)) for c in (0.1, 0.97)]
    remember(db, "in parts", vectors=parts, vector_model=MODEL)
    found = similar(db, target)

    assert contents(found) == ["in parts", "near"]


def test_only_vectors_of_the_active_model_are_compared(db, target):
    know_model(db, "other", 2)
    remember(db, "by another model", vectors=["[1,0]"], vector_model="other")

    assert contents(similar(db, target)) == ["near"]


def test_what_has_no_vector_or_is_somebody_elses_has_no_neighbours(db, target):
    bare = remember(db, "bare")

    assert similar(db, bare) == []
    assert similar(db, uuid4()) == []
    assert similar(db, target, "bob") == []


def test_of_equal_neighbours_the_ids_decide(db, target):
    twins = [remember(db, f"twin {n}", vector=at_cosine(0.99)) for n in range(6)]

    assert ids(similar(db, target, max_results=3)) == sorted(twins)[:3]


def test_looking_changes_nothing(db, target):
    before = snapshot(db)
    similar(db, target)

    assert snapshot(db) == before
