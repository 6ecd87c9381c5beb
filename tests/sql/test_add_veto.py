"""add_veto: what must never be learnt again, without keeping what it is."""

from candidates import vetoed
from memories import NOW, add, ask, refused, rows, value


def veto(db, user="ann", **named):
    return value(db, "add_veto", for_user=user, as_of=NOW, **named)


def test_the_hash_is_kept_and_the_text_is_not(db):
    made = veto(db, the_content="My salary is 4711.", why="private")

    (stored,) = rows(db, "select * from aimemory.vetoes")
    assert stored == {
        "user_id": "ann",
        "veto_id": made,
        "content_hash": value(db, "content_hash", input="my salary is 4711"),
        "slot": None,
        "reason": "private",
        "created_at": NOW,
    }


def test_a_slot_can_be_forbidden_whatever_is_said_in_it(db):
    veto(db, the_slot="user.salary")

    assert vetoed(db, "my salary is 1", "user.salary")
    assert not vetoed(db, "my salary is 1", "user.city")


def test_a_veto_on_nothing_is_refused(db):
    with refused(db, "23514"):
        veto(db)
    assert ask(db, "select user_id from aimemory.users") == []


def test_a_user_may_say_no_before_anything_was_said(db):
    veto(db, the_slot="user.salary")

    assert ask(db, "select user_id from aimemory.users") == ["ann"]


def test_what_is_added_on_purpose_is_stored_all_the_same(db):
    veto(db, the_content="likes tea")

    assert add(db, "likes tea")["action"] == "inserted"
