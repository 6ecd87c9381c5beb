"""merge_memory: a memory learns a detail; what it said before is kept."""

from uuid import uuid4

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
    count,
    recall,
    refused,
    remember,
    row,
    rows,
    snapshot,
    text_of,
    value,
)

LATER = NOW + DAY


def merge(db, target, text="has a cat called 年糕, three years old", user="ann", **named):
    return value(
        db,
        "merge_memory",
        for_user=user,
        target=target,
        merged_text=text,
        **({"as_of": LATER} | named),
    )


@pytest.fixture
def cat(db):
    return remember(
        db,
        "has a cat called 年糕",
        with_importance=0.6,
        in_slot="cat.name",
        about=["年糕/pet"],
        with_tags=["pets"],
        vector=at_cosine(1),
    )


def test_the_text_before_stays_as_a_revision(db, cat):
    assert merge(db, cat, why="a new detail", changed_by="judge") == cat
    assert row(db, "memories", cat)["content"] == "has a cat called 年糕, three years old"

    revision = call(db, "memory_history", for_user="ann", target=cat)[-1]
    assert {k: revision[k] for k in ("action", "reason", "actor", "content", "changed_at")} == {
        "action": "merged",
        "reason": "a new detail",
        "actor": "judge",
        "content": "has a cat called 年糕",
        "changed_at": LATER,
    }


def test_everything_else_stays_and_its_clock_starts_anew(db, cat):
    before = row(db, "memories", cat)
    merge(db, cat)
    after = row(db, "memories", cat)

    changed = {name for name in before if after[name] != before[name]}
    assert changed == {"content", "content_hash", "keywords", "updated_at", "last_confirmed_at"}
    assert after["updated_at"] == after["last_confirmed_at"] == LATER


def test_a_merge_that_comes_late_does_not_turn_the_clock_back(db, cat):
    call(db, "confirm_memory", for_user="ann", target=cat, as_of=NOW + 9 * DAY)
    merge(db, cat)

    assert row(db, "memories", cat)["last_confirmed_at"] == NOW + 9 * DAY


def test_entities_of_both_are_kept_once_each(db, cat):
    merge(db, cat, about=["年糕/Pet", "Vet/place"])
    assert row(db, "memories", cat)["entities"] == ["vet/place", "年糕/pet"]

    merge(db, cat, "another text")
    assert row(db, "memories", cat)["entities"] == ["vet/place", "年糕/pet"]


@pytest.mark.parametrize(("given", "kept"), [(0.9, 0.9), (0.2, 0.6), (None, 0.6)])
def test_the_greater_importance_is_kept(db, cat, given, kept):
    merge(db, cat, to_importance=given)

    assert row(db, "memories", cat)["importance"] == kept


def test_it_is_found_by_its_new_words_and_its_new_meaning(db, cat):
    merge(db, cat, vectors=[text_of(at_cosine(0))], vector_model=MODEL)

    assert contents(recall(db, "three years", at=LATER))
    assert contents(recall(db, vector=at_cosine(0), at=LATER))
    assert not contents(recall(db, vector=at_cosine(1), at=LATER))


def test_a_vector_of_the_text_before_does_not_survive(db, cat):
    merge(db, cat)

    assert count(db, "memory_vectors") == 0


def test_an_archived_memory_comes_back_first(db, cat):
    call(db, "archive_memory", for_user="ann", target=cat, because="faded", as_of=NOW)
    assert merge(db, cat) == cat

    assert (count(db, "archive"), count(db, "memories")) == (0, 1)
    assert row(db, "memories", cat)["content"] == "has a cat called 年糕, three years old"
    history = call(db, "memory_history", for_user="ann", target=cat)
    assert [h["action"] for h in history] == ["added", "archived", "restored", "merged"]
    assert ask(db, "select distinct cold from aimemory.memory_terms") == [False]


def test_there_must_be_a_memory_to_complete(db, cat):
    theirs = remember(db, "has a dog", "bob")
    before = snapshot(db)

    for target, user in [(uuid4(), "ann"), (theirs, "ann"), (cat, "bob"), (cat, "eve")]:
        with refused(db, "MM002"):
            merge(db, target, user=user)
    assert snapshot(db) == before


@pytest.mark.parametrize("archived", [False, True])
def test_what_has_been_superseded_is_not_completed(db, archived):
    old = remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city")
    if archived:
        call(db, "archive_memory", for_user="ann", target=old)

    with refused(db, "MM002"):
        merge(db, old)


def test_a_text_that_another_memory_has_is_refused_and_nothing_is_half_done(db, cat):
    remember(db, "has a cat called 年糕, three years old")
    call(db, "archive_memory", for_user="ann", target=cat)
    before = snapshot(db)

    with refused(db, "MM001"):
        merge(db, cat)
    assert snapshot(db) == before


def test_the_new_text_counts_as_said_and_the_old_one_no_longer(db, cat):
    merge(db, cat)

    assert add(db, "has a cat called 年糕, three years old")["memory_id"] == cat
    assert add(db, "has a cat called 年糕")["action"] == "inserted"
    assert len(rows(db, "select 1 from aimemory.memories")) == 2
