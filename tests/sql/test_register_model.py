"""register_model: a model becomes known once, the first one active."""

import pytest

from memories import NOW, call, know_model, refused, rows


def test_the_first_model_becomes_the_active_one_and_the_second_does_not(db):
    assert know_model(db, "e5", 384, for_queries="query: ", for_documents="passage: ", as_of=NOW)
    assert not know_model(db, "bge", 512)

    assert rows(db, "select * from aimemory.embedding_models where model_id = 'e5'") == [
        {
            "model_id": "e5",
            "dimensions": 384,
            "query_prefix": "query: ",
            "document_prefix": "passage: ",
            "active": True,
            "created_at": NOW,
        }
    ]


def test_registering_again_changes_nothing(db):
    know_model(db, "e5", 384, as_of=NOW)
    before = rows(db, "select * from aimemory.embedding_models")

    assert know_model(db, "e5", 384)
    assert rows(db, "select * from aimemory.embedding_models") == before


def test_another_size_under_the_same_name_is_refused(db):
    know_model(db, "e5", 384)

    with refused(db, "MM003", "384 dimensions and now gives 768"):
        know_model(db, "e5", 768)


def scales(db):
    return {
        (r["comparing"], r["script"]): (r["similarity_floor"], r["similarity_ceiling"])
        for r in rows(db, "select * from aimemory.calibrations")
    }


def test_known_scales_fill_the_gaps_and_never_replace_what_was_measured(db):
    know_model(db, "e5", 384)
    call(db, "calibrate_model", for_model="e5", for_script="cjk", low_cosine=0.8, high_cosine=0.9)
    known = {"questions": {"cjk": [0.1, 0.2], "other": [0.7, 0.85]}, "memories": {"cjk": [0, 0.5]}}
    know_model(db, "e5", 384, known_scales=known)
    know_model(db, "e5", 384, known_scales={"questions": {"other": [0, 1]}})

    assert scales(db) == {
        ("questions", "cjk"): (0.8, 0.9),
        ("questions", "other"): (0.7, 0.85),
        ("memories", "cjk"): (0, 0.5),
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"vector_size": 0},
        {"vector_size": 16_001},
        {"known_scales": {"questions": {"klingon": [0, 1]}}},
        {"known_scales": {"questions": {"cjk": [1, 0]}}},
    ],
)
def test_an_impossible_model_is_refused(db, wrong):
    with refused(db, "23514"):
        call(db, "register_model", **({"new_model": "e5", "vector_size": 384} | wrong))
    assert rows(db, "select 1 from aimemory.embedding_models") == []
