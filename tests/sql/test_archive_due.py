"""archive_due: what is due, nothing else, and without ever waiting."""

from __future__ import annotations

import psycopg
import pytest

from memories import DAY, NOW, ask, call, contents, recall, remember, row, rows, value


def archive_due(db, at, **named):
    return value(db, "archive_due", as_of=at, **named)


def archived(db):
    return {
        r["content"]: r["archive_reason"]
        for r in rows(db, "select content, archive_reason from aimemory.archive")
    }


def test_each_kind_goes_in_its_time_and_for_its_reason(db):
    remember(db, "was born in Rome", with_importance=0.9)
    remember(db, "is called Ann", with_importance=0.9, is_pinned=True)
    remember(db, "likes tea", as_type="preference")
    remember(db, "ate bread", as_type="event")
    remember(db, "flew to Rome", as_type="event", with_importance=0.9)
    remember(db, "has a cold", as_type="state", with_importance=1.0)
    remember(db, "is in Oslo", true_until=NOW + 2 * DAY)
    remember(db, "lives in Berlin", in_slot="city", with_importance=0.9)
    remember(db, "lives in Paris", in_slot="city", with_importance=0.9, at=NOW + DAY)

    left = []
    for days in (0, 1, 2, 3, 7, 17, 24, 800):
        archive_due(db, NOW + days * DAY)
        left.append(set(archived(db)))

    assert archived(db) == {
        "lives in Berlin": "superseded",  # day 1
        "is in Oslo": "ttl",  # day 2
        "ate bread": "faded",  # 0.4 to 0.3 at 0.9 a day: day 2.7
        "flew to Rome": "ttl",  # 0.9 would fade on day 10.4; a week ends before
        "likes tea": "faded",  # day 16.5
        "has a cold": "faded",  # 1.0 to 0.3 at 0.95: day 23.5, before its 30 days
    }
    assert [len(names) for names in left] == [0, 1, 2, 3, 4, 5, 6, 6]


def test_it_is_archived_as_of_the_moment_it_fell_due(db):
    event = remember(db, "flew to Rome", as_type="event", with_importance=0.9)
    archive_due(db, NOW + 100 * DAY)

    gone = row(db, "archive", event)
    assert gone["archived_at"] == NOW + 7 * DAY
    assert gone["archived_importance"] == pytest.approx(0.9 * 0.9**7)


def test_exactly_then_and_not_a_microsecond_before(db):
    remember(db, "flew to Rome", as_type="event", with_importance=0.9)

    assert archive_due(db, NOW + 7 * DAY - DAY / 86_400_000_000) == 0
    assert archive_due(db, NOW + 7 * DAY) == 1


def test_an_event_to_come_waits_for_its_day(db):
    remember(db, "surgery", as_type="event", happening_at=NOW + 45 * DAY, with_importance=0.9)

    assert archive_due(db, NOW + 51 * DAY) == 0
    assert archive_due(db, NOW + 52 * DAY) == 1


def test_a_batch_is_bounded_and_the_longest_due_go_first(db):
    for number in range(5):
        remember(db, f"ate {number}", as_type="event", at=NOW + number * DAY)

    assert archive_due(db, NOW + 30 * DAY, max_rows=2) == 2
    assert set(archived(db)) == {"ate 0", "ate 1"}
    assert archive_due(db, NOW + 30 * DAY, max_rows=2) == 2
    assert archive_due(db, NOW + 30 * DAY, max_rows=2) == 1
    assert archive_due(db, NOW + 30 * DAY, max_rows=2) == 0


def test_a_user_who_is_being_written_to_is_left_for_later_and_keeps_nobody_waiting(fresh_database):
    with psycopg.connect(fresh_database) as writer, psycopg.connect(fresh_database) as upkeep:
        for user in ("ann", "bob", "eve"):
            remember(writer, "ate bread", user, as_type="event")
        writer.commit()
        call(writer, "lock_user", for_user="ann")
        upkeep.execute("set lock_timeout = '1s'")

        # Ann's row is the first in the index, and there is room for one only.
        assert archive_due(upkeep, NOW + 8 * DAY, max_rows=1) == 1
        assert archive_due(upkeep, NOW + 8 * DAY) == 1
        assert archive_due(upkeep, NOW + 8 * DAY) == 0
        assert ask(upkeep, "select user_id from aimemory.memories") == ["ann"]
        writer.rollback()
        assert archive_due(upkeep, NOW + 8 * DAY) == 1


def test_a_memory_that_is_being_used_is_left_alone_and_then_lives_on(fresh_database):
    with psycopg.connect(fresh_database) as reader, psycopg.connect(fresh_database) as upkeep:
        used = remember(reader, "likes tea")
        remember(reader, "likes rum")
        reader.commit()
        at = NOW + 40 * DAY
        call(reader, "touch_memories", for_user="ann", targets=[used], as_of=at)
        upkeep.execute("set lock_timeout = '1s'")

        assert archive_due(upkeep, at) == 0
        reader.commit()
        assert archive_due(upkeep, at) == 1
        assert ask(upkeep, "select content from aimemory.memories") == ["likes tea"]


def test_a_date_that_the_rules_no_longer_bear_out_is_mended_instead_of_followed(db):
    remember(db, "likes tea")
    db.execute("update aimemory.memory_types set decay_factor = 0.999 where memory_type = 'fact'")

    assert archive_due(db, NOW + 40 * DAY, is_rehearsal=True) == 0
    assert archive_due(db, NOW + 40 * DAY) == 0
    (date,) = rows(db, "select due_at, falls_due_at from aimemory.due_dates")
    assert date["due_at"] == date["falls_due_at"] > NOW + 600 * DAY


def test_dates_that_are_mended_do_not_end_the_batch_before_what_is_due(db):
    for number in range(5):
        remember(db, f"state {number}", as_type="state")
    for number in range(3):
        remember(db, f"ate {number}", as_type="event", at=NOW + 20 * DAY)
    db.execute(
        "update aimemory.memory_types set decay_factor = 1, ttl_seconds = null"
        " where memory_type = 'state'"
    )

    assert archive_due(db, NOW + 40 * DAY, max_rows=2) == 2
    assert archive_due(db, NOW + 40 * DAY, max_rows=2) == 1
    assert set(archived(db)) == {"ate 0", "ate 1", "ate 2"}


def test_a_rehearsal_knows_what_new_rules_make_due(db):
    remember(db, "likes tea")
    remember(db, "ate bread", as_type="event")
    call(db, "refresh_due_dates", as_of=NOW)
    db.execute("update aimemory.memory_types set archive_below = 0.7 where memory_type = 'fact'")
    at = NOW + 8 * DAY

    assert archive_due(db, at, is_rehearsal=True) == 2
    assert archive_due(db, at) == 1
    call(db, "refresh_due_dates", as_of=at)
    assert archive_due(db, at, is_rehearsal=True) == 1
    assert archive_due(db, at) == 1


def test_a_date_without_a_live_memory_is_cleared(db):
    memory = remember(db, "likes tea")
    call(db, "archive_memory", for_user="ann", target=memory, as_of=NOW)
    db.execute("update aimemory.memory_access set due_at = %s", [NOW])

    assert archive_due(db, NOW + DAY) == 0
    assert row(db, "memory_access", memory)["due_at"] is None


def test_a_rehearsal_counts_the_same_and_moves_nothing(db):
    for number in range(4):
        remember(db, f"ate {number}", as_type="event")

    assert archive_due(db, NOW + 8 * DAY, is_rehearsal=True) == 4
    assert archive_due(db, NOW + 8 * DAY, is_rehearsal=True, max_rows=3) == 3
    assert archived(db) == {}
    assert archive_due(db, NOW + 8 * DAY) == 4


def test_the_cat_is_still_known_after_two_years_and_an_old_breakfast_is_not(db):
    remember(db, "我家猫叫年糕", with_importance=0.9, about=["年糕/pet"])
    remember(db, "今天早上吃了面包", as_type="event", with_importance=0.4)
    remember(db, "早上开了会", as_type="event", with_importance=0.4, at=NOW + 729 * DAY)

    archive_due(db, NOW + 21 * DAY)
    assert recall(db, "早上吃了什么面包", at=NOW + 21 * DAY) == []
    archive_due(db, NOW + 730 * DAY)
    assert contents(recall(db, "年糕昨天吐了怎么办", at=NOW + 730 * DAY)) == ["我家猫叫年糕"]
