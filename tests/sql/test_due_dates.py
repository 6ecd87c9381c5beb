"""due_dates: when each live memory goes, and why."""

from memories import DAY, NOW, call, remember, rows


def dates(db):
    return {
        r["content"]: (r["falls_due_at"], r["reason"])
        for r in rows(
            db,
            "select m.content, d.* from aimemory.due_dates d join aimemory.memories m"
            " on m.user_id = d.user_id and m.memory_id = d.memory_id",
        )
    }


def test_every_live_memory_is_listed_with_its_reason(db):
    remember(db, "was born in Rome", with_importance=0.9)
    remember(db, "pinned", as_type="event", is_pinned=True)
    remember(db, "flew to Rome", as_type="event", with_importance=0.9)
    remember(db, "ate bread", as_type="event")
    remember(db, "is in Oslo", true_until=NOW + 2 * DAY)
    remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)
    call(db, "archive_memory", for_user="ann", target=remember(db, "gone"))
    found = dates(db)

    assert {content: reason for content, (_, reason) in found.items()} == {
        "was born in Rome": None,
        "pinned": None,
        "flew to Rome": "ttl",
        "ate bread": "faded",
        "is in Oslo": "ttl",
        "lives in Berlin": "superseded",
        "lives in Paris": "faded",
    }
    assert found["was born in Rome"][0] is None
    assert found["pinned"][0] is None
    assert found["flew to Rome"][0] == NOW + 7 * DAY
    assert found["is in Oslo"][0] == NOW + 2 * DAY
    assert found["lives in Berlin"][0] == NOW + DAY


def test_it_follows_the_rules_at_once_and_the_stored_date_does_not(db):
    remember(db, "flew to Rome", as_type="event", with_importance=0.9)
    db.execute("update aimemory.memory_types set ttl_seconds = 86400")

    (date,) = rows(db, "select due_at, falls_due_at from aimemory.due_dates")
    assert date == {"due_at": NOW + 7 * DAY, "falls_due_at": NOW + DAY}


def test_a_live_memory_without_a_row_of_access_is_listed_all_the_same(db):
    remember(db, "flew to Rome", as_type="event", with_importance=0.9)
    db.execute("delete from aimemory.memory_access")

    (date,) = rows(db, "select due_at, falls_due_at from aimemory.due_dates")
    assert date == {"due_at": None, "falls_due_at": NOW + 7 * DAY}
