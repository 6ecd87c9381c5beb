"""restore_memory: back to life under the same id, unless another has its place."""

import pytest

from memories import (
    DAY,
    NOW,
    at_cosine,
    call,
    contents,
    count,
    erase,
    recall,
    refused,
    remember,
    row,
    snapshot,
    value,
)

LATER = NOW + 9 * DAY


def restore(db, target, user="ann", **named):
    return value(db, "restore_memory", for_user=user, target=target, as_of=LATER, **named)


def archive(db, target):
    return call(db, "archive_memory", for_user="ann", target=target, as_of=NOW + DAY)


def test_a_round_trip_through_the_archive_changes_the_clock_and_nothing_else(db):
    memory = remember(
        db,
        "plays the cello",
        vector=at_cosine(0.9),
        about=["ann/person", "cello"],
        with_tags=["music"],
        with_metadata={"a": 1},
        in_slot="ann.instrument",
        in_scope="project:x",
        request_key="k",
        is_pinned=True,
        is_standing=True,
        quoting="I play",
        said_by="user",
        from_session="s",
        from_turn=1,
        true_from=NOW - DAY,
        true_until=NOW + 99 * DAY,
        happening_at=NOW,
        with_importance=0.77,
    )
    call(db, "confirm_memory", for_user="ann", target=memory)
    call(db, "touch_memories", for_user="ann", targets=[memory])
    before = snapshot(db, "last_confirmed_at")
    archive(db, memory)
    assert count(db, "memories") == 0

    assert restore(db, memory) is True
    after = snapshot(db, "last_confirmed_at")
    assert len(after.pop("memory_revisions")) == len(before.pop("memory_revisions")) + 2
    assert after == before
    assert row(db, "memories", memory)["last_confirmed_at"] == LATER


def test_a_restored_memory_is_found_as_a_live_one(db):
    memory = remember(db, "plays the cello", vector=at_cosine(0.9))
    archive(db, memory)
    restore(db, memory)
    (hit,) = recall(db, "cello", vector=at_cosine(1), at=LATER)

    assert (hit["archived"], hit["routes"]) == (False, ["vector", "keyword"])


@pytest.mark.parametrize("archived", [False, True])
def test_a_superseded_memory_can_take_over_again_once_its_slot_is_free(db, archived):
    old = remember(db, "lives in Berlin", in_slot="city")
    new = remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)
    if archived:
        archive(db, old)
    with refused(db, "MM001", "slot city"):
        restore(db, old)

    erase(db, new)
    assert restore(db, old) is True
    back = row(db, "memories", old)
    assert (back["status"], back["superseded_by"], back["superseded_at"]) == ("active", None, None)
    assert back["last_confirmed_at"] == LATER
    assert contents(recall(db, "lives in", at=LATER)) == ["lives in Berlin"]


def test_a_memory_whose_text_is_active_under_another_id_stays_where_it_is(db):
    old = remember(db, "likes tea", in_slot="drink")
    between = remember(db, "likes coffee", in_slot="drink")
    call(db, "update_memory", for_user="ann", target=between, new_content="Likes tea!")
    before = snapshot(db)

    with refused(db, "MM001", "holds its text"):
        restore(db, old)
    assert snapshot(db) == before


def test_events_in_one_slot_do_not_stand_in_each_others_way(db):
    old = remember(db, "ate bread", as_type="event", in_slot="breakfast")
    archive(db, old)
    remember(db, "always has tea", in_slot="breakfast")

    assert restore(db, old) is True


def test_the_same_text_in_another_scope_is_no_conflict(db):
    old = remember(db, "likes tea", in_slot="drink")
    archive(db, old)
    remember(db, "likes tea", in_slot="drink", in_scope="project:x")

    assert restore(db, old) is True


def test_there_is_nothing_to_restore_when_it_lives_or_is_somebody_elses(db):
    memory = remember(db, "likes tea")
    assert restore(db, memory) is False

    archive(db, memory)
    assert restore(db, memory, "bob") is False
    assert count(db, "archive") == 1


def test_the_reason_is_kept_in_the_history(db):
    memory = remember(db, "likes tea")
    archive(db, memory)
    restore(db, memory, why="asked for", changed_by="ann")
    revision = call(db, "memory_history", for_user="ann", target=memory)[-1]

    assert (revision["action"], revision["reason"], revision["actor"], revision["changed_at"]) == (
        "restored",
        "asked for",
        "ann",
        LATER,
    )


def test_an_end_that_has_passed_is_lifted_or_it_would_go_again_at_once(db):
    memory = remember(db, "is on holiday", true_until=NOW + DAY)
    call(db, "archive_due", as_of=NOW + 2 * DAY)

    assert value(db, "restore_memory", for_user="ann", target=memory, as_of=NOW + 5 * DAY)
    assert row(db, "memories", memory)["valid_until"] is None
    assert value(db, "archive_due", as_of=NOW + 6 * DAY) == 0
