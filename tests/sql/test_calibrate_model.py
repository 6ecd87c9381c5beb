"""calibrate_model: what a cosine of one model means in one script."""

import pytest

from memories import (
    MODEL,
    NOW,
    at_cosine,
    call,
    know_model,
    recall,
    refused,
    remember,
    rows,
)


def calibrate(db, low, high, model=MODEL, script="other", **named):
    call(
        db,
        "calibrate_model",
        for_model=model,
        for_script=script,
        low_cosine=low,
        high_cosine=high,
        as_of=NOW,
        **named,
    )


def test_the_latest_scale_of_each_sort_is_kept_with_the_time_of_measuring(db):
    know_model(db)
    calibrate(db, 0.1, 0.2)
    calibrate(db, 0.6, 0.9)
    calibrate(db, 0.7, 0.95, pairs_of="memories")

    scale = {"model_id": MODEL, "script": "other", "calibrated_at": NOW}
    assert rows(db, "select * from aimemory.calibrations order by comparing") == [
        scale | {"comparing": "memories", "similarity_floor": 0.7, "similarity_ceiling": 0.95},
        scale | {"comparing": "questions", "similarity_floor": 0.6, "similarity_ceiling": 0.9},
    ]


def test_the_scale_of_memories_with_each_other_does_not_touch_questions(db):
    remember(db, "drinks", vector=at_cosine(0.9))
    calibrate(db, 0.88, 0.96, pairs_of="memories")
    (hit,) = recall(db, "tea", vector=at_cosine(1))

    assert hit["similarity"] == pytest.approx(0.9, abs=1e-3)


@pytest.mark.parametrize(
    ("question", "memory", "cosine", "similarity"),
    [
        ("tea", "drinks", 0.75, 0.5),
        ("tea", "drinks", 0.9, 1.0),
        # Not cut at 1, or the best would tie.
        ("tea", "drinks", 0.96, 1.2),
        ("茶", "饮料", 0.9, 0.25),
        (None, "饮料", 0.9, 0.25),
        # Across scripts cosines are as low as between two English texts.
        ("茶", "drinks", 0.75, 0.5),
        ("tea", "饮料", 0.75, 0.5),
    ],
)
def test_similarity_is_read_on_the_scale_of_the_pair(db, question, memory, cosine, similarity):
    remember(db, memory, vector=at_cosine(cosine))
    calibrate(db, 0.6, 0.9)
    calibrate(db, 0.88, 0.96, script="cjk")
    (hit,) = recall(db, question, vector=at_cosine(1), at_least=0.0)

    # Vectors are stored in half precision: 11 bits.
    assert hit["similarity"] == pytest.approx(similarity, abs=0.02)


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.5, 0.5), (0.9, 0.6), (None, 0.5), (0.5, None), (0.5, float("nan")), (float("nan"), 0.5)],
)
def test_a_scale_without_a_span_is_refused(db, low, high):
    know_model(db)

    with refused(db, "MM001"):
        calibrate(db, low, high)


def test_an_unknown_model_is_refused(db):
    with refused(db, "MM003"):
        calibrate(db, 0.1, 0.9, "unknown")


def test_an_unknown_script_is_refused(db):
    know_model(db)

    with refused(db, "23514"):
        calibrate(db, 0.1, 0.9, script="klingon")
    with refused(db, "23514"):
        calibrate(db, 0.1, 0.9, pairs_of="dreams")
