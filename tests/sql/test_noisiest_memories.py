"""The view noisiest_memories: what comes back whatever is asked."""

from psycopg.types.json import Jsonb

from memories import DAY, NOW, call, remember, view


def asked(db, *hits, given=(), at=NOW, user="ann"):
    call(
        db,
        "log_recall",
        for_user=user,
        asked="what?",
        what_came=Jsonb([{"memory_id": str(memory), "score": 1, "routes": []} for memory in hits]),
        given=list(given),
        as_of=at,
    )


def test_returns_are_counted_and_set_against_all_questions(db):
    tea, milk = remember(db, "likes tea"), remember(db, "likes milk", as_type="preference")
    asked(db, tea, milk, given=[milk])
    asked(db, tea, at=NOW + DAY)
    asked(db, tea, at=NOW + DAY)
    asked(db, at=NOW + 2 * DAY)
    asked(db, user="bob")

    found = view(db, "noisiest_memories", "returned desc")
    assert [{**row, "returned_share": float(row["returned_share"])} for row in found] == [
        {
            "user_id": "ann",
            "memory_id": tea,
            "content": "likes tea",
            "memory_type": "fact",
            "returned": 3,
            "injected": 0,
            "returned_share": 0.75,
            "returned_per_day": 1.5,
            "last_returned_at": NOW + DAY,
        },
        {
            "user_id": "ann",
            "memory_id": milk,
            "content": "likes milk",
            "memory_type": "preference",
            "returned": 1,
            "injected": 1,
            "returned_share": 0.25,
            "returned_per_day": 0.5,
            "last_returned_at": NOW,
        },
    ]


def test_a_log_of_one_moment_counts_as_a_day(db):
    tea = remember(db, "likes tea")
    asked(db, tea)
    asked(db, tea)

    assert view(db, "noisiest_memories")[0]["returned_per_day"] == 2
