"""delete_memory: nothing is left of it in any table."""

import pytest

from memories import (
    NOW,
    ask,
    at_cosine,
    call,
    contents,
    count,
    recall,
    remember,
    row,
    rows,
    snapshot,
    value,
)


def delete(db, target, user="ann"):
    return value(db, "delete_memory", for_user=user, target=target)


def where(db, what):
    """The tables that hold a text anywhere."""
    return [name for name, lines in snapshot(db).items() if any(what in line for line in lines)]


@pytest.fixture
def secret(db):
    """A memory that every table knows of, between one it replaced and one that replaced it."""
    older = remember(db, "old: plays the piano", in_slot="ann.instrument")
    secret = remember(
        db,
        "secret: plays the xylophone",
        in_slot="ann.instrument",
        about=["zanzibar/place"],
        quoting="secret: I play",
        vector=at_cosine(1),
    )
    call(db, "update_memory", for_user="ann", target=secret, to_importance=0.9)
    call(db, "touch_memories", for_user="ann", targets=[secret])
    for given in ([secret], [older], [older, secret]):
        call(
            db,
            "log_recall",
            for_user="ann",
            asked="what does Ann play?",
            what_came=f'[{{"memory_id": "{secret}", "score": 1}}, {{"memory_id": "{older}"}}]',
            given=given,
            rendered="block of " + " ".join(map(str, given)),
            as_of=NOW,
        )
    return secret


@pytest.mark.parametrize("state", ["active", "superseded", "archived"])
def test_no_table_knows_the_id_or_the_text_any_more(db, secret, state):
    if state == "superseded":
        remember(db, "plays the drums", in_slot="ann.instrument")
    if state == "archived":
        call(db, "archive_memory", for_user="ann", target=secret)
    assert len(where(db, str(secret))) >= 6

    assert delete(db, secret) is True
    assert where(db, str(secret)) == []
    for trace in ("secret", "xylophon", "zanzibar"):
        assert where(db, trace) == []


def test_what_is_logged_of_other_memories_stays(db, secret):
    delete(db, secret)

    (older,) = ask(db, "select memory_id from aimemory.memories")
    log = rows(db, "select injected_ids, candidates, block from aimemory.recall_log order by 1, 3")
    assert [(entry["injected_ids"], entry["block"]) for entry in log] == [
        ([], None),
        ([older], f"block of {older}"),
        ([older], None),
    ]
    assert all(entry["candidates"] == [{"memory_id": str(older)}] for entry in log)


def test_what_it_had_replaced_stays_replaced(db, secret):
    (older,) = ask(db, "select memory_id from aimemory.memories where status = 'superseded'")
    delete(db, secret)

    assert (row(db, "memories", older)["status"], row(db, "memories", older)["superseded_by"]) == (
        "superseded",
        None,
    )
    assert recall(db, "plays") == []


def test_no_route_finds_it_any_more(db, secret):
    question = {"question": "who plays the xylophone in zanzibar", "vector": at_cosine(1)}
    assert contents(recall(db, **question)) == ["secret: plays the xylophone"]

    delete(db, secret)
    assert recall(db, **question) == []
    assert call(db, "list_memories", for_user="ann", with_status="active") == []


def test_the_text_can_be_learnt_again_as_a_new_memory(db, secret):
    delete(db, secret)

    assert remember(db, "secret: plays the xylophone") != secret
    assert count(db, "memories") == 2


def test_others_and_their_memories_are_left_alone(db, secret):
    twin = remember(db, "secret: plays the xylophone", "bob", vector=at_cosine(1))
    before = snapshot(db)

    assert delete(db, secret, "bob") is False
    assert delete(db, twin) is False
    assert snapshot(db) == before


def test_a_second_delete_finds_nothing(db, secret):
    assert [delete(db, secret), delete(db, secret)] == [True, False]


def test_nobody_becomes_a_user_by_deleting_nothing(db, secret):
    delete(db, secret, "stranger")

    assert ask(db, "select user_id from aimemory.users") == ["ann"]
