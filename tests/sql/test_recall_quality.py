"""The view recall_quality: what the log says of each day."""

import pytest
from psycopg.types.json import Jsonb

from memories import DAY, NOW, call, columns_of, remember, view


def asked(db, hits, *, at=NOW, given=(), took=1.0, tokens=None, degraded=False):
    candidates = [{"memory_id": str(hit), "score": 0.5, "routes": ["keyword"]} for hit in hits]
    call(db, "lock_user", for_user="ann")
    call(
        db,
        "log_recall",
        for_user="ann",
        asked="what?",
        what_came=Jsonb(candidates),
        given=list(given),
        took_ms=took,
        tokens_used=tokens,
        is_degraded=degraded,
        as_of=at,
    )


def test_a_day_is_one_row_of_shares_and_means(db):
    tea, milk = remember(db, "likes tea"), remember(db, "likes milk")
    asked(db, [tea, milk], given=[tea], took=10, tokens=100)
    asked(db, [tea], given=[tea], took=20, tokens=50, degraded=True)
    asked(db, [tea], took=30)
    asked(db, [], took=40)

    (day,) = view(db, "recall_quality")
    assert day.pop("day") == NOW.date()
    assert {name: float(number) for name, number in day.items()} == {
        "recalls": 4,
        "nothing_found_share": 0.25,
        "degraded_share": 0.25,
        "mean_hits": 1,
        "injected_share": 0.5,
        "mean_tokens": 75,
        "p50_latency_ms": 25,
        # a twentieth of the way from the highest, 40, down three steps of ten
        "p95_latency_ms": pytest.approx(38.5),
    }


def test_days_stand_apart(db):
    for at in (NOW, NOW + DAY, NOW + DAY):
        asked(db, [], at=at)

    assert columns_of(view(db, "recall_quality"), "day", "recalls") == [
        (NOW.date(), 1),
        ((NOW + DAY).date(), 2),
    ]


def test_a_day_is_that_of_the_session(db):
    asked(db, [], at=NOW.replace(hour=23))
    db.execute("set local time zone 'Asia/Shanghai'")

    assert view(db, "recall_quality")[0]["day"] == (NOW + DAY).date()


def test_days_without_times_and_tokens_say_so(db):
    asked(db, [], took=None)

    (day,) = view(db, "recall_quality")
    assert (day["p50_latency_ms"], day["mean_tokens"]) == (None, None)
