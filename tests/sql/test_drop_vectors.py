"""drop_vectors: what an inactive model has left behind."""

from memories import MODEL, ask, call, fill_all, refused, value


def test_old_vectors_go_in_batches_and_the_model_stays_known(db, in_every_state):
    fill_all(db, "new", (1, 0))
    call(db, "activate_model", new_model="new")

    removed = [value(db, "drop_vectors", of_model=MODEL, max_rows=2) for _ in range(4)]
    assert removed == [2, 2, 1, 0]
    assert ask(db, "select model_id from aimemory.memory_vectors") == ["new"] * 5
    assert ask(db, "select model_id from aimemory.embedding_models order by 1") == ["new", MODEL]


def test_vectors_that_answer_cannot_be_dropped(db, in_every_state):
    with refused(db, "MM001", "is active"):
        call(db, "drop_vectors", of_model=MODEL)
    assert ask(db, "select count(*) from aimemory.memory_vectors") == [5]
