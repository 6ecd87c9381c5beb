"""archive_due_of: judges some memories of one user, and no others."""

from memories import DAY, NOW, ask, count, remember, row, value


def archive(db, targets, at, user="ann"):
    return value(db, "archive_due_of", for_user=user, targets=targets, as_of=at)


def test_only_those_that_were_named_and_are_due_move(db):
    named, unnamed = (remember(db, text, as_type="event") for text in ("ate", "drank"))
    lasting = remember(db, "was born in Rome", with_importance=0.9)

    assert archive(db, [named, lasting], NOW + 8 * DAY) == 1
    assert ask(db, "select memory_id from aimemory.archive") == [named]
    assert row(db, "memory_access", unnamed)["due_at"] is not None


def test_what_is_not_due_yet_is_not_looked_at(db):
    event = remember(db, "ate", as_type="event")

    assert archive(db, [event], NOW + DAY) == 0
    assert count(db, "memories") == 1


def test_a_memory_of_another_user_is_out_of_reach(db):
    event = remember(db, "ate", "bob", as_type="event")
    remember(db, "ate", as_type="event")

    assert archive(db, [event], NOW + 8 * DAY) == 0
    assert count(db, "memories", "bob") == 1
