"""missing_vectors: the work list of a change of models."""

from memories import MODEL, call, remember


def missing(db, model, **named):
    return call(db, "missing_vectors", for_model=model, **named)


def test_every_memory_is_work_to_do_whatever_its_state(db, in_every_state):
    assert missing(db, MODEL) == []
    assert {(m["user_id"], m["content"], m["archived"]) for m in missing(db, "new")} == {
        ("ann", "lives in Berlin", False),
        ("ann", "lives in Paris", False),
        ("ann", "likes tea", True),
        ("bob", "likes coffee", False),
        ("eve", "likes milk", False),
    }


def test_batches_follow_one_another_without_gap_or_overlap(db, in_every_state):
    found, last = [], {}
    while batch := missing(db, "new", max_rows=2, **last):
        found += batch
        last = {"after_user": batch[-1]["user_id"], "after_id": batch[-1]["memory_id"]}

    assert sorted(m["memory_id"] for m in found) == sorted(in_every_state)


def test_what_was_written_while_the_model_was_out_of_reach_is_found(db, in_every_state):
    memory = remember(db, "written without a vector")

    assert [m["memory_id"] for m in missing(db, MODEL)] == [memory]
