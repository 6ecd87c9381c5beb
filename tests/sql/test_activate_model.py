"""activate_model: the switch from one model to another."""

from memories import MODEL, ask, at_cosine, call, contents, fill_all, recall, refused


def active(db):
    return ask(db, "select model_id from aimemory.embedding_models where active")


def test_the_new_model_answers_from_the_switch_on_and_the_old_one_until_then(db, in_every_state):
    fill_all(db, "new", (1, 0))
    assert contents(recall(db, vector=at_cosine(1))) == ["lives in Paris"]
    with refused(db, "MM003", "2 dimensions"):
        recall(db, vector=(1, 0))

    call(db, "activate_model", new_model="new")
    assert active(db) == ["new"]
    assert contents(recall(db, vector=(1, 0))) == ["lives in Paris"]
    assert contents(recall(db, vector=at_cosine(1), query_model=MODEL)) == ["lives in Paris"]


def test_the_switch_is_refused_while_vectors_are_missing(db, in_every_state):
    with refused(db, "MM003", "no vector of new"):
        call(db, "activate_model", new_model="new")
    assert active(db) == [MODEL]


def test_an_unknown_model_is_refused(db, in_every_state):
    with refused(db, "MM003", "not registered"):
        call(db, "activate_model", new_model="unknown")
    assert active(db) == [MODEL]


def test_switching_to_the_active_model_changes_nothing(db, in_every_state):
    call(db, "activate_model", new_model=MODEL)

    assert active(db) == [MODEL]
