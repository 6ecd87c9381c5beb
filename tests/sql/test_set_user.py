"""set_user: the user's switches; what is not given stays as it is."""

import pytest

from memories import NOW, ask, call, refused, remember, rows, snapshot


def set_user(db, user="ann", **named):
    call(db, "set_user", for_user=user, as_of=NOW, **named)


def switches(db, user="ann"):
    query = "select learning, time_zone from aimemory.users where user_id = %s"
    (found,) = rows(db, query, user)
    return found["learning"], found["time_zone"]


def test_each_switch_is_set_on_its_own(db):
    set_user(db, is_learning=False)
    assert switches(db) == (False, "UTC")
    set_user(db, in_zone="Asia/Shanghai")
    assert switches(db) == (False, "Asia/Shanghai")
    set_user(db, is_learning=True)
    assert switches(db) == (True, "Asia/Shanghai")
    set_user(db)
    assert switches(db) == (True, "Asia/Shanghai")


def test_other_users_keep_theirs(db):
    remember(db, "likes tea", "bob")
    set_user(db, is_learning=False, in_zone="Europe/Berlin")

    assert switches(db, "bob") == (True, "UTC")


def test_a_user_may_forbid_learning_before_anything_was_said(db):
    set_user(db, is_learning=False)

    assert ask(db, "select created_at from aimemory.users where not learning") == [NOW]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "Shanghai", "+08:00", "UTC+8", "asia", ""])
def test_an_unknown_zone_is_refused_and_nothing_is_set(db, zone):
    remember(db, "likes tea")
    before = snapshot(db)

    with refused(db, "MM001", "there is no time zone"):
        set_user(db, is_learning=False, in_zone=zone)
    assert snapshot(db) == before
