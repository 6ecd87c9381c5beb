"""recall at another time: what was true then, and how it came to be what it is now."""

from datetime import datetime

import pytest

from memories import DAY, NOW, at_cosine, call, contents, erase, recall, remember, row


def links(hit):
    return [link["content"] for link in hit["history"]]


def test_before_and_after_a_change_each_time_has_its_answer(db):
    remember(db, "lives in Berlin", in_slot="city", vector=at_cosine(0.9), at=NOW)
    remember(db, "lives in Paris", in_slot="city", vector=at_cosine(0.9), at=NOW + 10 * DAY)

    def at(days):
        return contents(recall(db, "lives in", vector=at_cosine(1), at=NOW + days * DAY))

    assert at(-1) == []
    assert at(0) == ["lives in Berlin"]
    assert at(9.99) == ["lives in Berlin"]
    assert at(10) == ["lives in Paris"]
    assert at(1000) == ["lives in Paris"]


def test_a_memory_answers_only_while_it_is_valid(db):
    remember(db, "has a parking permit", true_from=NOW + 2 * DAY, true_until=NOW + 4 * DAY, at=NOW)

    seen = [bool(recall(db, "parking permit", at=NOW + days * DAY)) for days in (1, 2, 3, 4, 5)]
    assert seen == [False, True, True, False, False]


def test_what_has_run_out_is_gone_before_any_upkeep(db):
    memory = remember(db, "has a parking permit", true_until=NOW + DAY / 86_400)

    assert recall(db, "parking permit", at=NOW + DAY / 86_400) == []
    assert row(db, "memories", memory)["status"] == "active"


def test_what_is_learnt_later_is_not_known_before(db):
    remember(db, "plays the cello", at=NOW + DAY)

    assert recall(db, "cello", at=NOW) == []


def test_what_a_memory_has_replaced_comes_with_it_and_takes_no_place(db):
    remember(db, "不吃香菜", in_slot="香菜", at=NOW)
    remember(db, "吃香菜了", in_slot="香菜", at=NOW + DAY)
    remember(db, "不吃香菜", in_slot="香菜", at=NOW + 2 * DAY)
    remember(db, "爱吃香菜牛肉", at=NOW)

    hits = recall(db, "香菜吃不吃", max_results=2, at=NOW + 3 * DAY)
    assert contents(hits) == ["不吃香菜", "爱吃香菜牛肉"]
    assert hits[1]["history"] == []
    assert [
        (
            link["content"],
            datetime.fromisoformat(link["created_at"]),
            datetime.fromisoformat(link["superseded_at"]),
        )
        for link in hits[0]["history"]
    ] == [("吃香菜了", NOW + DAY, NOW + 2 * DAY), ("不吃香菜", NOW, NOW + DAY)]


def test_history_ends_at_the_time_that_is_asked_about(db):
    for day in range(4):
        remember(db, f"version {day}", in_slot="s", at=NOW + day * DAY)

    (hit,) = recall(db, "version", at=NOW + 2.5 * DAY)
    assert (hit["content"], links(hit)) == ("version 2", ["version 1", "version 0"])


def test_history_tells_of_predecessors_in_the_archive_too(db):
    first = remember(db, "version 0", in_slot="s", at=NOW)
    remember(db, "version 1", in_slot="s", at=NOW + DAY)
    call(db, "archive_memory", for_user="ann", target=first, because="superseded")
    remember(db, "version 2", in_slot="s", at=NOW + 2 * DAY)

    (hit,) = recall(db, "version", at=NOW + 3 * DAY)
    assert links(hit) == ["version 1", "version 0"]


def test_history_goes_five_steps_back(db):
    for day in range(9):
        remember(db, f"version {day}", in_slot="s", at=NOW + day * DAY)

    (hit,) = recall(db, "version", at=NOW + 9 * DAY)
    assert links(hit) == [f"version {day}" for day in (7, 6, 5, 4, 3)]


def test_two_memories_made_into_one_are_both_its_history(db):
    merged = remember(db, "has a cat called Miso", at=NOW + DAY)
    for day, content in ((0, "has a cat"), (0.5, "cat is Miso")):
        part = remember(db, content, at=NOW + day * DAY)
        call(
            db,
            "supersede_memory",
            for_user="ann",
            older=part,
            newer=merged,
            as_of=NOW + (1 + day) * DAY,
        )

    (hit,) = recall(db, "cat", at=NOW + 9 * DAY)
    assert links(hit) == ["cat is Miso", "has a cat"]
    meanwhile = {h["content"]: links(h) for h in recall(db, "cat", at=NOW + 1.2 * DAY)}
    assert meanwhile == {"has a cat called Miso": ["has a cat"], "cat is Miso": []}


def test_of_many_that_became_one_the_latest_twenty_are_told(db):
    merged = remember(db, "likes tea of all sorts", at=NOW)
    for day in range(25):
        part = remember(db, f"likes tea number {day}", at=NOW)
        call(
            db,
            "supersede_memory",
            for_user="ann",
            older=part,
            newer=merged,
            as_of=NOW + day * DAY,
        )

    (hit,) = recall(db, "tea", at=NOW + 99 * DAY)
    assert links(hit) == [f"likes tea number {day}" for day in range(24, 4, -1)]


@pytest.mark.parametrize("archived", [False, True])
def test_after_its_successor_is_erased_a_memory_stays_in_the_past(db, archived):
    old = remember(db, "lives in Berlin", in_slot="city", with_importance=0.9, at=NOW)
    new = remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)
    if archived:
        call(db, "archive_memory", for_user="ann", target=old, because="manual")
    erase(db, new)

    assert recall(db, "lives in Berlin", at=NOW + 2 * DAY) == []
