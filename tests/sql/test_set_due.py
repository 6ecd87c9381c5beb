"""set_due: every write and every use leaves the right due date behind."""

from datetime import timedelta
from math import log

import pytest

from memories import DAY, NOW, ask, call, remember, row, rows, value

FACT = log(0.5) / log(0.98) * DAY  # 0.6 to 0.3
PREFERENCE = log(0.3 / 0.7) / log(0.95) * DAY


def due(db, memory):
    return row(db, "memory_access", memory)["due_at"]


def near(moment):
    return pytest.approx(moment.timestamp(), abs=1e-3)


def due_in_days(db, memory):
    return (due(db, memory) - NOW) / DAY


def test_a_new_memory_has_the_date_of_its_type(db):
    assert due(db, remember(db, "f")).timestamp() == near(NOW + FACT)
    assert due(db, remember(db, "p", as_type="preference")).timestamp() == near(NOW + PREFERENCE)
    assert due(db, remember(db, "s", as_type="state", with_importance=1.0)) == NOW + timedelta(
        days=log(0.3) / log(0.95)
    )
    assert due(db, remember(db, "e", as_type="event", with_importance=0.9)) == NOW + 7 * DAY
    assert due(db, remember(db, "born in Rome", with_importance=0.8)) is None
    assert due(db, remember(db, "pinned", is_pinned=True)) is None
    assert due(db, remember(db, "ends", true_until=NOW + DAY)) == NOW + DAY


def test_an_event_to_come_is_not_due_before_it_has_been(db):
    surgery = remember(db, "surgery", as_type="event", happening_at=NOW + 40 * DAY,
                       with_importance=0.9)  # fmt: skip

    assert due(db, surgery) == NOW + 47 * DAY


def test_a_use_moves_the_fading_and_not_the_time_to_live(db):
    fact = remember(db, "f")
    event = remember(db, "e", as_type="event", with_importance=0.9)
    call(db, "touch_memories", for_user="ann", targets=[fact, event], as_of=NOW + 5 * DAY)

    assert due(db, fact).timestamp() == near(NOW + 5 * DAY + FACT)
    assert due(db, event) == NOW + 7 * DAY


def test_a_confirmation_moves_both(db):
    event = remember(db, "e", as_type="event", with_importance=0.9)
    call(db, "confirm_memory", for_user="ann", target=event, as_of=NOW + 5 * DAY)

    assert due(db, event) == NOW + 12 * DAY


def test_a_merge_an_update_and_a_pin_renew_it(db):
    fact = remember(db, "f")
    call(db, "update_memory", for_user="ann", target=fact, to_importance=0.8, as_of=NOW + DAY)
    assert due(db, fact) is None
    call(db, "update_memory", for_user="ann", target=fact, to_importance=0.4, as_of=NOW + DAY)
    assert due_in_days(db, fact) == pytest.approx(log(0.75) / log(0.98), abs=1e-6)
    call(db, "update_memory", for_user="ann", target=fact, to_type="event", as_of=NOW + DAY)
    assert due_in_days(db, fact) == pytest.approx(log(0.75) / log(0.9), abs=1e-6)
    call(db, "merge_memory", for_user="ann", target=fact, merged_text="more", as_of=NOW + 2 * DAY)
    assert due_in_days(db, fact) == pytest.approx(2 + log(0.75) / log(0.9), abs=1e-6)
    call(db, "pin_memory", for_user="ann", target=fact, as_of=NOW + 2 * DAY)
    assert due(db, fact) is None


def test_what_is_unpinned_late_is_due_from_that_moment(db):
    event = remember(db, "e", as_type="event", is_pinned=True)
    call(db, "pin_memory", for_user="ann", target=event, is_pinned=False, as_of=NOW + 50 * DAY)

    assert due(db, event) == NOW + 50 * DAY


def test_what_was_replaced_is_due_at_once_even_when_pinned(db):
    old = remember(db, "lives in Berlin", in_slot="city", is_pinned=True)
    remember(db, "lives in Paris", in_slot="city", at=NOW + DAY)
    other = remember(db, "plays chess")
    newer = remember(db, "plays go")
    call(db, "supersede_memory", for_user="ann", older=other, newer=newer, as_of=NOW + 2 * DAY)

    assert due(db, old) == NOW + DAY
    assert due(db, other) == NOW + 2 * DAY


def test_what_comes_back_has_a_date_again_and_what_leaves_has_none(db):
    fact = remember(db, "f")
    call(db, "archive_memory", for_user="ann", target=fact, as_of=NOW + DAY)
    assert due(db, fact) is None
    call(db, "restore_memory", for_user="ann", target=fact, as_of=NOW + 90 * DAY)

    assert due(db, fact).timestamp() == near(NOW + 90 * DAY + FACT)


def test_a_conversation_counts_as_one_use_and_still_starts_the_clock(db):
    fact = remember(db, "f")
    for hours, session in ((1, "a"), (2, "a"), (3, "b"), (4, None), (5, None), (6, "b")):
        call(db, "touch_memories", for_user="ann", targets=[fact], in_session=session,
             as_of=NOW + timedelta(hours=hours))  # fmt: skip

    access = row(db, "memory_access", fact)
    assert access["access_count"] == 4  # a, b, and two that belong to no conversation
    assert access["last_access_at"] == NOW + timedelta(hours=6)
    assert access["last_session_id"] == "b"


def test_another_user_s_memory_is_left_alone(db):
    mine, other = remember(db, "f"), remember(db, "f", "bob")
    before = row(db, "memory_access", other, "bob")

    renewed = value(db, "set_due", for_user="ann", targets=[mine, other], used_at=NOW + DAY,
                    as_of=NOW + DAY)  # fmt: skip

    assert renewed == 1
    assert row(db, "memory_access", other, "bob") == before


def test_the_date_stored_by_any_write_is_the_one_the_view_computes(db):
    for number, (kind, weight) in enumerate(
        (kind, weight)
        for kind in ("fact", "preference", "event", "state", "decision")
        for weight in (0.0, 0.2, 0.3, 0.4, 0.6, 0.8, 0.9, 1.0)
    ):
        remember(db, f"memory {number}", as_type=kind, with_importance=weight)

    dates = rows(db, "select due_at, falls_due_at from aimemory.due_dates")
    assert len(dates) == 40
    assert all(d["due_at"] == d["falls_due_at"] for d in dates)
    assert ask(db, "select count(*) from aimemory.due_dates where due_at is null") == [6]
