"""store_vectors: the vectors of one memory, of models that are known."""

from uuid import UUID

import pytest

from memories import MODEL, call, know_model, refused, rows

FIRST = UUID(int=1)
SECOND = UUID(int=2)


@pytest.fixture(autouse=True)
def _models(db):
    know_model(db, MODEL, 2)
    know_model(db, "other", 3)


def store(db, vectors, model=MODEL, target=FIRST, cold=False, **named):
    call(
        db,
        "store_vectors",
        for_user="ann",
        target=target,
        is_cold=cold,
        vectors=vectors,
        vector_model=model,
        **named,
    )


def stored(db):
    return [
        tuple(r.values())
        for r in rows(
            db,
            "select memory_id, model_id, chunk, embedding::text, cold, indexable"
            " from aimemory.memory_vectors order by 1, 2, 3",
        )
    ]


def test_each_part_of_a_text_has_a_vector(db):
    store(db, ["[1,0]", "[0,1]"], cold=True)

    assert stored(db) == [
        (FIRST, MODEL, 0, "[1,0]", True, True),
        (FIRST, MODEL, 1, "[0,1]", True, True),
    ]


def test_new_vectors_replace_those_of_the_same_model_and_memory_only(db):
    store(db, ["[1,0]", "[0,1]"])
    store(db, ["[1,0,0]"], "other")
    store(db, ["[1,0]"], target=SECOND)
    store(db, ["[3,4]"])

    assert [row[:4] for row in stored(db)] == [
        (FIRST, "other", 0, "[1,0,0]"),
        (FIRST, MODEL, 0, "[3,4]"),
        (SECOND, MODEL, 0, "[1,0]"),
    ]


def test_a_changed_text_drops_the_vectors_of_every_model(db):
    store(db, ["[1,0,0]"], "other")
    store(db, ["[1,0]"], text_changed=True)

    assert [row[1] for row in stored(db)] == [MODEL]


@pytest.mark.parametrize("nothing", [None, []])
def test_without_new_vectors_a_changed_text_has_none(db, nothing):
    store(db, ["[1,0]"])
    store(db, nothing, None, text_changed=True)

    assert stored(db) == []


def test_a_vector_too_large_for_an_index_entry_is_marked(db):
    know_model(db, "large", 3000)
    store(db, [f"[{','.join(['1'] * 3000)}]"], "large")

    assert [row[5] for row in stored(db)] == [False]


@pytest.mark.parametrize(
    ("sqlstate", "vectors", "model"),
    [
        ("MM003", ["[1,0]"], None),
        ("MM003", ["[1,0]"], "unknown"),
        ("MM003", ["[1,0,0]"], MODEL),
        ("MM003", ["[1,0]", "[1,0,0]"], MODEL),
        ("MM001", ["[1,0]", "[0,0]"], MODEL),
        ("22003", ["[1e6,0]"], MODEL),
        ("22000", ["[NaN,0]"], MODEL),
    ],
)
def test_what_is_no_vector_of_the_model_is_refused(db, sqlstate, vectors, model):
    store(db, ["[1,0]"])
    before = stored(db)

    with refused(db, sqlstate):
        store(db, vectors, model)
    assert stored(db) == before
