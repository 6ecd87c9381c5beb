"""fill_vectors: a late vector, unless the text has changed meanwhile."""

from memories import (
    MODEL,
    ask,
    at_cosine,
    call,
    contents,
    erase,
    recall,
    remember,
    row,
    text_of,
    value,
)


def fill(db, memory, text, user="ann", vector=(1, 0), model="new"):
    return value(
        db,
        "fill_vectors",
        for_user=user,
        target=memory,
        embedded_text=text,
        vectors=[text_of(vector)],
        vector_model=model,
    )


def vectors(db, model="new"):
    return ask(db, "select cold from aimemory.memory_vectors where model_id = %s order by 1", model)


def test_a_memory_without_a_vector_is_found_by_meaning_afterwards(db, in_every_state):
    memory = remember(db, "written without a vector")
    assert contents(recall(db, vector=at_cosine(1))) == ["lives in Paris"]

    assert fill(db, memory, "written without a vector", vector=at_cosine(1), model=MODEL) is True
    assert "written without a vector" in contents(recall(db, vector=at_cosine(1)))


def test_the_vector_of_an_archived_memory_is_cold(db, in_every_state):
    fill(db, in_every_state[1], "lives in Paris")
    fill(db, in_every_state[2], "likes tea")

    assert vectors(db) == [False, True]


def test_a_vector_of_an_old_text_is_not_stored(db, in_every_state):
    erased, changed, *_ = in_every_state
    call(db, "update_memory", for_user="ann", target=changed, new_content="lives in Rome")
    erase(db, erased)

    assert fill(db, changed, "lives in Paris") is False
    assert fill(db, erased, "lives in Berlin") is False
    assert vectors(db) == []


def test_nobody_fills_the_memories_of_others(db, in_every_state):
    assert fill(db, in_every_state[1], "lives in Paris", "bob") is False
    assert fill(db, in_every_state[1], "lives in Paris", "stranger") is False
    assert vectors(db) == []


def test_filling_changes_neither_time_nor_history(db, in_every_state):
    memory = in_every_state[1]
    before = row(db, "memories", memory)
    fill(db, memory, "lives in Paris")

    assert row(db, "memories", memory) == before
    assert len(call(db, "memory_history", for_user="ann", target=memory)) == 1
