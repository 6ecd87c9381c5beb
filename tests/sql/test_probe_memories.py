"""probe_memories: what a new memory may repeat, complete or contradict; it only reads."""

import pytest

from memories import (
    MODEL,
    NOW,
    at_cosine,
    call,
    contents,
    know_model,
    remember,
    snapshot,
    text_of,
)


def probe(db, content="something new", user="ann", scope="user", *, vector=None, **named):
    if vector is not None:
        named |= {"near_vector": text_of(vector), "near_model": named.pop("model", MODEL)}
    return call(db, "probe_memories", for_user=user, in_scope=scope, new_content=content, **named)


def archive(db, memory, user="ann"):
    call(db, "archive_memory", for_user=user, target=memory, because="faded", as_of=NOW)


def calibrate(db, low, high, pairs_of="memories", script="other"):
    call(
        db,
        "calibrate_model",
        for_model=MODEL,
        for_script=script,
        low_cosine=low,
        high_cosine=high,
        pairs_of=pairs_of,
    )


@pytest.mark.parametrize("archived", [False, True])
def test_the_same_words_are_found_live_and_archived(db, archived):
    memory = remember(db, "Likes tea.", as_type="preference", in_slot="drink", about=["ann/person"])
    remember(db, "likes coffee")
    if archived:
        archive(db, memory)

    assert probe(db, "likes TEA") == [
        {
            "memory_id": memory,
            "content": "Likes tea.",
            "memory_type": "preference",
            "slot": "drink",
            "entities": ["ann/person"],
            "archived": archived,
            "same_words": True,
            "same_slot": False,
            "similarity": None,
            "created_at": NOW,
        }
    ]


@pytest.mark.parametrize("archived", [False, True])
def test_the_same_slot_is_found_live_and_archived(db, archived):
    memory = remember(db, "lives in Berlin", in_slot="city")
    remember(db, "drinks tea", in_slot="drink")
    remember(db, "has no slot")
    if archived:
        archive(db, memory)

    (found,) = probe(db, "lives in Paris", in_slot="city")
    assert (found["memory_id"], found["archived"]) == (memory, archived)
    assert (found["same_words"], found["same_slot"]) == (False, True)


def test_an_event_holds_no_slot(db):
    remember(db, "ate an apple", as_type="event", in_slot="breakfast", vector=at_cosine(1))
    archive(db, remember(db, "ate bread", as_type="event", in_slot="breakfast"))

    assert probe(db, "ate rice", in_slot="breakfast") == []
    (found,) = probe(db, "ate rice", in_slot="breakfast", vector=at_cosine(1))
    assert (found["content"], found["slot"], found["same_slot"]) == (
        "ate an apple",
        "breakfast",
        False,
    )


def test_without_a_slot_no_memory_without_one_is_the_same(db):
    remember(db, "has no slot")

    assert probe(db) == []


@pytest.mark.parametrize("archived", [False, True])
def test_a_near_meaning_is_found_live_and_archived(db, archived):
    memory = remember(db, "near", vector=at_cosine(0.8))
    remember(db, "far", vector=at_cosine(0.6))
    if archived:
        archive(db, memory)

    (found,) = probe(db, vector=at_cosine(1))
    assert (found["content"], found["archived"]) == ("near", archived)
    assert (found["same_words"], found["same_slot"]) == (False, False)
    assert found["similarity"] == pytest.approx(0.8, abs=1e-3)
    assert contents(probe(db, vector=at_cosine(1), at_least=0.5)) == ["near", "far"]


def test_similarity_is_read_on_the_scale_of_memories_not_of_questions(db):
    remember(db, "near", vector=at_cosine(0.95))
    remember(db, "not so near", vector=at_cosine(0.9))
    calibrate(db, 0.2, 0.8, "questions")
    calibrate(db, 0.8, 1.0)

    (found,) = probe(db, vector=at_cosine(1))
    assert found["similarity"] == pytest.approx(0.75, abs=0.01)
    assert contents(probe(db, vector=at_cosine(1), at_least=0.45)) == ["near", "not so near"]


def test_the_script_of_the_new_text_chooses_the_scale(db):
    remember(db, "年糕", vector=at_cosine(0.95))
    calibrate(db, 0.8, 1.0, script="cjk")

    (in_chinese,) = probe(db, "我家的猫", vector=at_cosine(1))
    (in_english,) = probe(db, "my cat", vector=at_cosine(1))
    assert in_chinese["similarity"] == pytest.approx(0.75, abs=0.01)
    assert in_english["similarity"] == pytest.approx(0.95, abs=0.01)


def test_a_memory_in_parts_is_as_near_as_its_nearest_part(db):
    know_model(db)
    parts = [text_of(at_cosine(c)) for c in (0.1, 0.9)]
    remember(db, "in parts", vectors=parts, vector_model=MODEL)

    (found,) = probe(db, vector=at_cosine(1))
    assert found["similarity"] == pytest.approx(0.9, abs=1e-3)


def test_only_vectors_of_the_given_model_are_compared(db):
    know_model(db)
    know_model(db, "other", 2)
    remember(db, "by another model", vectors=["[1,0]"], vector_model="other")

    assert probe(db, vector=at_cosine(1)) == []
    assert contents(probe(db, vector=(1, 0), model="other")) == ["by another model"]


def test_all_ways_in_name_one_memory_once(db):
    memory = remember(db, "likes tea", in_slot="drink", vector=at_cosine(1))

    (found,) = probe(db, "likes tea", in_slot="drink", vector=at_cosine(1))
    assert found["memory_id"] == memory
    assert (found["same_words"], found["same_slot"]) == (True, True)
    assert found["similarity"] == pytest.approx(1, abs=1e-3)


def test_words_come_before_the_slot_and_the_slot_before_the_meaning(db):
    near = remember(db, "near", vector=at_cosine(0.99))
    nearer = remember(db, "nearer", vector=at_cosine(1))
    remember(db, "in the slot", in_slot="drink", vector=at_cosine(0))
    remember(db, "likes tea")
    archive(db, nearer)
    expected = ["likes tea", "in the slot", "nearer", "near"]

    found = probe(db, "likes tea", in_slot="drink", vector=at_cosine(1))
    assert contents(found) == expected
    assert found[-1]["memory_id"] == near
    for number in range(1, 4):
        few = probe(db, "likes tea", in_slot="drink", vector=at_cosine(1), max_results=number)
        assert contents(few) == expected[:number]


@pytest.mark.parametrize("archived", [False, True])
def test_what_has_been_superseded_is_never_found(db, archived):
    """Saying the old again is a change back, not a repetition."""
    old = remember(db, "lives in Berlin", in_slot="city", vector=at_cosine(1))
    remember(db, "lives in Paris", in_slot="city", vector=at_cosine(0))
    if archived:
        archive(db, old)

    found = probe(db, "lives in Berlin", in_slot="city", vector=at_cosine(1))
    assert contents(found) == ["lives in Paris"]


def test_other_scopes_and_other_users_are_never_found(db):
    for user, scope in [("ann", "project:x"), ("bob", "user")]:
        for text, archived in [("likes tea", False), ("likes green tea", True)]:
            memory = remember(
                db, text, user, in_scope=scope, in_slot=f"s {archived}", vector=at_cosine(1)
            )
            if archived:
                archive(db, memory, user)

    for text, slot in [("likes tea", "s False"), ("likes green tea", "s True")]:
        assert probe(db, text, in_slot=slot, vector=at_cosine(1)) == []
        assert len(probe(db, text, scope="project:x", in_slot=slot, vector=at_cosine(1))) == 2


def test_what_may_not_answer_takes_no_place_of_what_may(db):
    """A slot that changed often, or a project full of likenesses, hides nothing."""
    remember(db, "the only one", vector=at_cosine(0.9))
    for number in range(30):
        remember(db, f"in a project {number}", in_scope="project:x", vector=at_cosine(1))
        remember(db, f"version {number}", in_slot="changing", vector=at_cosine(1))

    found = probe(db, vector=at_cosine(1), max_results=2)
    assert contents(found) == ["version 29", "the only one"]


def test_of_equal_neighbours_the_ids_decide(db):
    twins = [remember(db, f"twin {n}", vector=at_cosine(0.99)) for n in range(6)]

    found = probe(db, vector=at_cosine(1), max_results=3)
    assert [f["memory_id"] for f in found] == sorted(twins)[:3]


def test_looking_changes_nothing_and_counts_as_no_use(db):
    remember(db, "likes tea", in_slot="drink", vector=at_cosine(1))
    archive(db, remember(db, "likes green tea", vector=at_cosine(1)))
    before = snapshot(db)

    assert len(probe(db, "likes tea", in_slot="drink", vector=at_cosine(1))) == 2
    assert snapshot(db) == before
