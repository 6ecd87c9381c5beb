"""erase_memories: nothing is left of them in any table."""

import pytest

from candidates import propose
from memories import (
    NOW,
    ask,
    at_cosine,
    call,
    contents,
    count,
    erase,
    recall,
    remember,
    row,
    rows,
    snapshot,
    value,
)
from turns import say, sessions, turns


def where(db, what):
    """The tables that hold a text anywhere."""
    return [name for name, lines in snapshot(db).items() if any(what in line for line in lines)]


def erased(db, *targets):
    return value(db, "erase_memories", for_user="ann", targets=[*targets])


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
    say(db, "secret: I play", "plays the piano")
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

    assert erase(db, secret) is True
    assert where(db, str(secret)) == []
    for trace in ("secret", "xylophon", "zanzibar"):
        assert where(db, trace) == []


def test_the_log_keeps_what_else_was_found_but_no_question_and_no_prompt(db, secret):
    other = remember(db, "likes tea")
    for asked, block in [
        ("secret: I play, said Ann", None),
        ("tea?", "- secret: I play"),
        ("tea?", "tea"),
    ]:
        call(db, "log_recall", for_user="ann", asked=asked, rendered=block, given=[other],
             what_came=f'[{{"memory_id": "{other}"}}]')  # fmt: skip
    assert erased(db, secret)["recalls"] == 5

    (older,) = ask(db, "select memory_id from aimemory.memories where status = 'superseded'")
    log = rows(db, "select query, block, injected_ids, candidates from aimemory.recall_log")
    known = [{"memory_id": str(older)}], [{"memory_id": str(other)}]
    assert sorted(log, key=str) == sorted(
        [
            *({"query": "", "block": None, "injected_ids": given, "candidates": known[0]}
              for given in ([], [older], [older])),
            *({"query": "", "block": None, "injected_ids": [other], "candidates": known[1]}
              for _ in range(2)),
            {"query": "tea?", "block": "tea", "injected_ids": [other], "candidates": known[1]},
        ],
        key=str,
    )  # fmt: skip


def test_the_turns_that_it_came_from_or_that_quote_it_do_not_bring_it_back(db):
    numbers = say(
        db, "I live in a lighthouse", "and I like tea", "what a lighthouse", "是的", "好的，是的"
    )
    say(db, "Yes: I live in a lighthouse!", "in a lighthouse", session="other")
    say(db, "I live in a lighthouse", user="bob")
    memory = remember(db, "home: lighthouse", quoting="I live in a lighthouse",
                      from_session="s", from_turn=numbers[2])  # fmt: skip
    agreed = remember(db, "agreed to it", quoting="是的")

    assert erased(db, memory, agreed)["turns"] == 4
    assert [t["content"] for t in turns(db)] == ["and I like tea", "好的，是的"]
    assert [t["content"] for t in turns(db, session="other")] == ["in a lighthouse"]
    assert len(turns(db, "bob")) == 1
    assert [(s["session_id"], s["turn_count"]) for s in sessions(db)] == [("other", 2), ("s", 5)]


def test_its_candidates_go_and_those_of_the_same_words_lose_the_words(db):
    said = {"evidence": "my cat is Mochi, and I like tea", "session_id": "s"}
    same = propose(db, "The cat is called Mochi.", everything=said)
    tea = propose(db, "likes tea", everything=said)
    memory = remember(db, "the cat is called Mochi", quoting=said["evidence"])
    twin = remember(db, "drinks tea", quoting=said["evidence"])
    cold = remember(db, "drank tea", quoting=said["evidence"])
    call(db, "archive_memory", for_user="ann", target=cold)
    call(db, "add_veto", for_user="ann", the_slot="x", why="no: my cat is Mochi, and I like tea")

    assert erased(db, memory)["candidates"] == 1
    assert same not in ask(db, "select candidate_id from aimemory.candidates")
    assert rows(db, "select candidate_id, content, proposal from aimemory.candidates") == [
        {"candidate_id": tea, "content": "likes tea",
         "proposal": {"evidence": "", "session_id": "s"}}
    ]  # fmt: skip
    assert (row(db, "memories", twin)["evidence"], row(db, "archive", cold)["evidence"]) == (
        None,
        None,
    )
    assert row(db, "memories", twin)["content"] == "drinks tea"
    assert where(db, "Mochi") == []


def test_the_history_of_another_memory_does_not_tell_it(db):
    other = remember(db, "the cat is called Mochi")
    call(db, "update_memory", for_user="ann", target=other, new_content="the cat has a name")
    bigger = remember(db, "knows that the cat is called Mochi by all")
    memory = remember(db, "the cat is called Mochi")
    erased(db, memory)

    history = "select content from aimemory.memory_revisions where memory_id = %s order by revision"
    assert ask(db, history, other) == ["", ""]
    # It is the other memory itself that says it, and its owner can erase that.
    assert ask(db, history, bigger) == ["knows that the cat is called Mochi by all"]


def test_what_it_said_before_is_erased_as_well(db):
    say(db, "well, the cat is called Mochi", "nothing")
    memory = remember(db, "the cat is called Mochi")
    call(db, "update_memory", for_user="ann", target=memory, new_content="the pet has a name")
    erased(db, memory)

    assert where(db, "Mochi") == []


def test_links_from_metadata_are_taken_out(db):
    older, kept = remember(db, "old"), remember(db, "older")
    newer = remember(db, "new", with_metadata={"supersedes": [str(older), str(kept)], "n": 1})
    call(db, "update_memory", for_user="ann", target=newer, to_importance=0.9)
    erased(db, older)

    assert row(db, "memories", newer)["metadata"] == {"supersedes": [str(kept)], "n": 1}
    assert where(db, str(older)) == []


def test_many_are_erased_at_once_in_every_state_and_all_are_counted(db):
    kept = remember(db, "the one that is kept", vector=at_cosine(1))
    before = snapshot(db)
    old = [remember(db, f"fact {n}", vector=at_cosine(1), about=["mochi/pet"]) for n in range(60)]
    for memory in old[:7]:
        call(db, "archive_memory", for_user="ann", target=memory)
    call(db, "supersede_memory", for_user="ann", older=old[8], newer=kept)

    counts = erased(db, *old, kept.__class__(int=0))
    # 53 words, two terms each ("fact", the number) and the name; 7 + 1 revisions more.
    assert counts == {
        "memories": 53, "archived": 7, "revisions": 68, "vectors": 60, "terms": 180,
        "candidates": 0, "turns": 0, "recalls": 0,
    }  # fmt: skip
    assert snapshot(db) == before


def test_what_it_had_replaced_stays_replaced(db, secret):
    (older,) = ask(db, "select memory_id from aimemory.memories where status = 'superseded'")
    erase(db, secret)

    assert (row(db, "memories", older)["status"], row(db, "memories", older)["superseded_by"]) == (
        "superseded",
        None,
    )
    assert recall(db, "plays") == []


def test_no_route_finds_it_any_more(db, secret):
    question = {"question": "who plays the xylophone in zanzibar", "vector": at_cosine(1)}
    assert contents(recall(db, **question)) == ["secret: plays the xylophone"]

    erase(db, secret)
    assert recall(db, **question) == []
    assert call(db, "list_memories", for_user="ann", with_status="active") == []


def test_the_text_can_be_learnt_again_as_a_new_memory(db, secret):
    erase(db, secret)

    assert remember(db, "secret: plays the xylophone") != secret
    assert count(db, "memories") == 2


def test_ids_of_nobody_are_nothing(db):
    assert erased(db) == {}
    assert ask(db, "select user_id from aimemory.users") == []


def test_others_and_their_memories_are_left_alone(db, secret):
    twin = remember(db, "secret: plays the xylophone", "bob", vector=at_cosine(1))
    before = snapshot(db)

    assert erase(db, secret, "bob") is False
    assert erase(db, twin) is False
    assert snapshot(db) == before


def test_a_second_delete_finds_nothing(db, secret):
    assert [erase(db, secret), erase(db, secret)] == [True, False]


def test_nobody_becomes_a_user_by_deleting_nothing(db, secret):
    erase(db, secret, "stranger")

    assert ask(db, "select user_id from aimemory.users") == ["ann"]
