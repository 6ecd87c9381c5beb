"""due_at: the first of the ends that a memory can come to."""

import psycopg
import pytest

from memories import DAY, NOW, ask

ARGUMENTS = (
    "its_importance",
    "its_pin",
    "its_end",
    "replaced_at",
    "kept_since",
    "last_used",
    "daily_factor",
    "lowest",
    "limit_below",
    "seconds_to_live",
    "not_before",
)
# Fades for ever above its limit, has no time to live and no end.
EVERLASTING = {
    "its_importance": 0.9,
    "its_pin": False,
    "its_end": None,
    "replaced_at": None,
    "kept_since": NOW,
    "last_used": NOW,
    "daily_factor": 0.5,
    "lowest": 0.35,
    "limit_below": 0.3,
    "seconds_to_live": None,
    "not_before": None,
}
FADING = {"its_importance": 0.6, "limit_below": 0.15, "lowest": None}  # after two days
WEEK = 7 * 86400


def due_at(db: psycopg.Connection, **named):
    values = EVERLASTING | named
    casts = {"daily_factor": "double precision"}
    arguments = ", ".join(
        f"{name} => %s::{'boolean' if name == 'its_pin' else casts.get(name, kind(name))}"
        for name in ARGUMENTS
    )
    return ask(db, f"select aimemory.due_at({arguments})", *(values[n] for n in ARGUMENTS))[0]


def kind(name):
    times = ("its_end", "replaced_at", "kept_since", "last_used", "not_before")
    return "timestamptz" if name in times else "double precision"


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({}, None),
        (FADING, NOW + 2 * DAY),
        ({"seconds_to_live": WEEK}, NOW + 7 * DAY),
        ({"its_end": NOW + 3 * DAY}, NOW + 3 * DAY),
        ({"replaced_at": NOW + DAY}, NOW + DAY),
        # The first of several.
        (FADING | {"seconds_to_live": WEEK}, NOW + 2 * DAY),
        (FADING | {"seconds_to_live": WEEK, "its_end": NOW + DAY}, NOW + DAY),
        (FADING | {"seconds_to_live": WEEK / 7}, NOW + DAY),
        # A use keeps it from fading, and not from running out of its time.
        (FADING | {"last_used": NOW + 9 * DAY}, NOW + 11 * DAY),
        (FADING | {"last_used": NOW + 9 * DAY, "seconds_to_live": WEEK}, NOW + 7 * DAY),
        # A pin holds everything back but a successor.
        (FADING | {"seconds_to_live": WEEK, "its_end": NOW, "its_pin": True}, None),
        ({"its_pin": True, "replaced_at": NOW + DAY}, NOW + DAY),
        # A change cannot have made it due before it was made.
        (FADING | {"not_before": NOW + DAY}, NOW + 2 * DAY),
        (FADING | {"not_before": NOW + 5 * DAY}, NOW + 5 * DAY),
        ({"replaced_at": NOW, "not_before": NOW + DAY}, NOW + DAY),
        ({"not_before": NOW + DAY}, None),
        # Beyond the calendar of most programs there is no date.
        ({"kept_since": "20000-01-01Z", "seconds_to_live": WEEK}, None),
        ({"its_end": "20000-01-01Z"}, None),
        (FADING | {"its_importance": 0.1, "last_used": "20000-01-01Z"}, None),
    ],
)
def test_the_first_end_counts(db, named, expected):
    assert due_at(db, **named) == expected
