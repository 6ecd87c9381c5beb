"""get_user: switches and today's use; an unknown user is no row and is not made one."""

from memories import DAY, NOW, call, remember, snapshot


def get_user(db, user="ann", at=NOW):
    return call(db, "get_user", for_user=user, as_of=at)


def test_a_new_user_is_learnt_from_and_has_used_nothing(db):
    remember(db, "likes tea")

    assert get_user(db) == [
        {"learning": True, "time_zone": "UTC", "usage_calls": 0, "usage_tokens": 0}
    ]


def test_switches_and_the_use_of_the_day_are_shown(db):
    call(db, "set_user", for_user="ann", is_learning=False, in_zone="Asia/Shanghai")
    call(db, "count_usage", for_user="ann", more_calls=2, more_tokens=900, as_of=NOW)
    switches = {"learning": False, "time_zone": "Asia/Shanghai"}

    assert get_user(db) == [switches | {"usage_calls": 2, "usage_tokens": 900}]
    assert get_user(db, at=NOW + DAY) == [switches | {"usage_calls": 0, "usage_tokens": 0}]


def test_an_unknown_user_is_no_row_and_stays_unknown(db):
    call(db, "set_user", for_user="bob", is_learning=False)
    before = snapshot(db)

    assert get_user(db) == []
    assert snapshot(db) == before
