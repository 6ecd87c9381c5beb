"""standing_memories: what applies to every answer now, most important first."""

import pytest

from memories import DAY, NOW, call, contents, remember, snapshot


def standing(db, user="ann", **named):
    return call(db, "standing_memories", for_user=user, **({"as_of": NOW} | named))


def test_only_what_is_standing_is_in_the_profile(db):
    memory = remember(db, "answer in Chinese", as_type="preference", is_standing=True)
    remember(db, "likes tea")
    remember(db, "answer briefly", "bob", is_standing=True)

    assert standing(db) == [
        {
            "memory_id": memory,
            "content": "answer in Chinese",
            "memory_type": "preference",
            "importance": 0.7,
            "created_at": NOW,
            "updated_at": NOW,
            "history": [],
        }
    ]
    assert standing(db, "eve") == []


def test_the_most_important_comes_first_and_of_equals_the_fresher(db):
    for content, importance, days in [("old", 0.5, 3), ("fresh", 0.5, 1), ("first", 0.9, 9)]:
        remember(db, content, with_importance=importance, at=NOW - days * DAY, is_standing=True)

    assert contents(standing(db)) == ["first", "fresh", "old"]
    assert contents(standing(db, max_rows=2)) == ["first", "fresh"]


def test_of_memories_alike_in_everything_the_ids_decide(db):
    twins = [remember(db, f"twin {n}", is_standing=True) for n in range(6)]

    assert [m["memory_id"] for m in standing(db, max_rows=4)] == sorted(twins)[:4]


def test_what_was_replaced_is_told_with_what_replaced_it(db):
    old = remember(db, "answer in English", in_slot="language", is_standing=True, at=NOW - 2 * DAY)
    remember(db, "answer in Chinese", in_slot="language", is_standing=True, at=NOW - DAY)

    (current,) = standing(db)
    (before,) = current["history"]
    assert current["content"] == "answer in Chinese"
    assert (before["memory_id"], before["content"]) == (str(old), "answer in English")
    assert before["created_at"].startswith("2026-02-27T12:00")
    assert before["superseded_at"].startswith("2026-02-28T12:00")


def test_asked_about_the_past_it_tells_what_applied_then(db):
    days = {"answer in English": 3, "answer in German": 2, "answer in Chinese": 1}
    for content, ago in days.items():
        remember(db, content, in_slot="language", is_standing=True, at=NOW - ago * DAY)

    for content, ago in days.items():
        (then,) = standing(db, as_of=NOW - ago * DAY)
        assert then["content"] == content
        assert len(then["history"]) == (ago < 3)


def test_what_was_replaced_is_told_from_the_archive_too_newest_first(db):
    old = [remember(db, text, is_standing=True) for text in ("one", "two")]
    new = remember(db, "three", is_standing=True)
    for days, memory in zip((2, 1), old, strict=True):
        named = {"for_user": "ann", "older": memory, "newer": new, "as_of": NOW - days * DAY}
        call(db, "supersede_memory", **named)
    call(db, "archive_memory", for_user="ann", target=old[0])

    (current,) = standing(db)
    assert [before["content"] for before in current["history"]] == ["two", "one"]


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        (None, ["everywhere", "in x", "in y"]),
        (["user"], ["everywhere"]),
        (["user", "project:x"], ["everywhere", "in x"]),
        ([], []),
    ],
)
def test_only_the_given_scopes_apply(db, scopes, expected):
    for content, scope, importance in [
        ("everywhere", "user", 0.9),
        ("in x", "project:x", 0.8),
        ("in y", "project:y", 0.7),
    ]:
        remember(db, content, in_scope=scope, with_importance=importance, is_standing=True)

    assert contents(standing(db, in_scopes=scopes)) == expected


def test_it_applies_only_while_it_is_valid(db):
    remember(db, "on holiday: answer briefly", is_standing=True, true_until=NOW + DAY)
    remember(db, "from tomorrow on: answer at length", is_standing=True, true_from=NOW + DAY)

    assert contents(standing(db)) == ["on holiday: answer briefly"]
    assert contents(standing(db, as_of=NOW + DAY)) == ["from tomorrow on: answer at length"]


def test_what_is_archived_no_longer_applies(db):
    memory = remember(db, "answer in Chinese", is_standing=True)
    call(db, "archive_memory", for_user="ann", target=memory, as_of=NOW)

    assert standing(db) == []
    assert contents(standing(db, as_of=NOW - DAY / 2)) == []


def test_what_was_archived_later_applied_until_then(db):
    memory = remember(db, "answer in Chinese", is_standing=True)
    call(db, "archive_memory", for_user="ann", target=memory, as_of=NOW + 2 * DAY)

    assert contents(standing(db, as_of=NOW + DAY)) == ["answer in Chinese"]
    assert standing(db, as_of=NOW + 2 * DAY) == []


def test_looking_changes_nothing_and_counts_as_no_use(db):
    remember(db, "answer in Chinese", is_standing=True)
    before = snapshot(db)
    standing(db)

    assert snapshot(db) == before
