"""forget: what the filters choose is erased, the receipt says how much, a rehearsal nothing."""

from datetime import timedelta
from hashlib import sha256

import pytest

from candidates import propose, vetoed
from memories import (
    DAY,
    NOW,
    ask,
    at_cosine,
    call,
    count,
    forget,
    refused,
    remember,
    rows,
    snapshot,
    value,
)
from turns import say, sessions, turns

COUNTS = (
    "memories", "archived", "revisions", "vectors", "terms", "candidates", "aliases", "turns",
    "sessions", "recalls", "vetoes", "users",
)  # fmt: skip


@pytest.fixture
def known(db):
    """Six memories, each unlike the others in one respect."""
    made = {
        "plain": remember(db, "likes green tea"),
        "scope": remember(db, "likes tea at work", in_scope="project:x"),
        "type": remember(db, "drank tea", as_type="event"),
        "tags": remember(db, "sells tea", with_tags=["a", "b"]),
        "about": remember(db, "Mochi knocked over the tea", about=["mochi/pet"]),
        "session": remember(db, "bought Tea", from_session="s", from_turn=1),
        "before": remember(db, "used to hate tea", at=NOW - DAY),
    }
    call(db, "archive_memory", for_user="ann", target=made["tags"], as_of=NOW)
    return made


def left(db, known):
    ids = set(ask(db, "select memory_id from aimemory.all_memories where user_id = 'ann'"))
    return known.keys() - {name for name, memory in known.items() if memory not in ids}


def counted(receipt):
    return {name: receipt[name] for name in COUNTS if receipt[name]}


@pytest.mark.parametrize(
    ("filters", "chosen"),
    [
        ({"in_scopes": ["project:x"]}, {"scope"}),
        ({"in_scopes": ["project:x", "user"]}, None),
        ({"of_types": ["event", "state"]}, {"type"}),
        ({"with_tags": ["a", "b"]}, {"tags"}),
        ({"with_tags": ["a", "c"]}, set()),
        ({"about": ["MOCHI"]}, {"about"}),
        ({"about": ["Mochi/pet", "nobody"]}, {"about"}),
        ({"about": ["mochi/food"]}, set()),
        ({"about": ["the cat"]}, {"about"}),
        ({"from_session": "s"}, {"session"}),
        ({"containing": "GREEN  tea"}, {"plain"}),
        ({"containing": "tea"}, None),
        ({"containing": "t_a"}, set()),
        ({"said_before": NOW}, {"before"}),
        ({"said_before": NOW - DAY}, set()),
        ({"wanted": []}, set()),
        ({"in_scopes": []}, set()),
        # all of them have to hold
        ({"containing": "tea", "of_types": ["event"]}, {"type"}),
        ({"from_session": "s", "said_before": NOW}, set()),
    ],
)
def test_the_filters_choose(db, known, filters, chosen):
    call(db, "set_alias", for_user="ann", other_name="the cat", of_entity="mochi/pet")
    chosen = known.keys() if chosen is None else chosen

    receipt = forget(db, **filters)
    assert left(db, known) == known.keys() - chosen
    assert receipt["memories"] + receipt["archived"] == len(chosen)
    assert (receipt["erasure_id"] is None) == (not any(counted(receipt).values()))


def test_ids_and_filters_together(db, known):
    forget(db, wanted=[known["plain"], known["type"]], of_types=["fact"])

    assert left(db, known) == known.keys() - {"plain"}


def test_what_a_memory_said_before_counts_as_containing_it(db):
    memory = remember(db, "the password is xyz")
    call(db, "update_memory", for_user="ann", target=memory, new_content="has a password")

    assert forget(db, containing="XYZ")["memories"] == 1
    assert count(db, "memory_revisions") == 0


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({}, "say what to forget: ids, scopes"),
        ({"everything": True, "of_types": ["fact"]}, "everything takes no other filter"),
        ({"everything": True, "wanted": []}, "leave it out, or ids"),
        ({"everything": True, "with_veto": True}, "cannot outlive its user"),
        ({"containing": " "}, "blank"),
        ({"containing": ""}, "blank"),
    ],
)
def test_what_is_not_clear_is_refused(db, known, filters, message):
    before = snapshot(db)
    with refused(db, "MM001", message):
        forget(db, **filters)
    assert snapshot(db) == before


def test_the_receipt_is_kept_without_content_and_without_the_user(db, known):
    receipt = forget(db, wanted=[known["about"]], said_before=NOW + DAY, as_of=NOW)

    assert counted(receipt) == {"memories": 1, "revisions": 1, "terms": 4}
    (kept,) = rows(db, "select * from aimemory.erasures")
    assert kept == {
        "erasure_id": receipt["erasure_id"],
        "subject": sha256(b"ann").hexdigest(),
        "filters": ["ids", "before"],
        "counts": {"memories": 1, "archived": 0, "revisions": 1, "vectors": 0, "terms": 4,
                   "candidates": 0, "turns": 0, "recalls": 0},
        "erased_at": NOW,
    }  # fmt: skip


def test_nothing_found_and_nobody_known_leave_no_receipt(db, known):
    before = snapshot(db)
    for user, filters in [("ann", {"containing": "coffee"}), ("bob", {"everything": True})]:
        receipt = forget(db, user, **filters, with_veto=user == "ann")
        assert counted(receipt) == {}
        assert receipt["erasure_id"] is None
    assert snapshot(db) == before


@pytest.mark.parametrize(
    "filters",
    [
        {"everything": True},
        {"containing": "tea", "with_veto": True},
        {"from_session": "s"},
        {"about": ["mochi"]},
    ],
)
def test_a_rehearsal_counts_what_a_run_erases_and_changes_nothing(db, known, filters):
    everywhere(db)
    before = snapshot(db)
    rehearsal = forget(db, **filters, is_rehearsal=True)
    assert snapshot(db) == before
    assert rehearsal.pop("erasure_id") is None

    run = forget(db, **filters)
    assert run.pop("erasure_id") is not None
    assert run == rehearsal
    assert run["filters"] == [{"from_session": "session"}.get(name, name) for name in filters][:1]


def everywhere(db, user="ann"):
    """Rows of a user in every table."""
    call(db, "set_alias", for_user=user, other_name="the cat", of_entity="mochi/pet")
    say(db, "I like tea", user=user)
    propose(db, "likes tea a lot", user, everything={"session_id": "s"})
    call(db, "add_veto", for_user=user, the_slot="city")
    call(db, "log_recall", for_user=user, asked="tea?", what_came="[]", from_session="s")
    remember(db, "likes oolong tea", user, vector=at_cosine(1), about=["mochi/pet"])


def test_everything_is_every_row_of_the_user_and_no_other_row(db, known):
    everywhere(db, "bob")
    others = snapshot(db)
    others = {t: [line for line in lines if '"ann"' not in line] for t, lines in others.items()}
    everywhere(db)

    receipt = forget(db, everything=True)
    assert {name for name in COUNTS if receipt[name] == 0} == set()
    assert {k: receipt[k] for k in ("memories", "archived", "sessions", "users", "aliases")} == {
        "memories": 7, "archived": 1, "sessions": 1, "users": 1, "aliases": 1,
    }  # fmt: skip
    (kept,) = ask(db, "select to_jsonb(e)::text from aimemory.erasures e")
    assert "ann" not in kept
    assert snapshot(db) | {"erasures": []} == others


def test_a_session_goes_with_its_turns_questions_and_candidates(db, known):
    everywhere(db)
    say(db, "something else", session="other")
    propose(db, "x", everything={"session_id": "other"})
    call(db, "log_recall", for_user="ann", asked="?", what_came="[]", from_session="other")

    receipt = forget(db, from_session="s")
    assert counted(receipt) == {
        "memories": 1, "revisions": 1, "terms": 2, "candidates": 1, "turns": 1, "sessions": 1,
        "recalls": 1,
    }  # fmt: skip
    assert [s["session_id"] for s in sessions(db)] == ["other"]
    assert (count(db, "candidates"), count(db, "recall_log"), len(turns(db, session="other"))) == (
        1, 1, 1,
    )  # fmt: skip


def test_words_and_time_erase_what_was_said_but_keep_the_session(db):
    say(db, "I like tea", "and coffee", at=NOW - DAY)
    say(db, "more TEA", "more coffee")
    propose(db, "coffee, please", everything={"evidence": "no tea, but coffee"})
    call(db, "log_recall", for_user="ann", asked="?", what_came="[]", rendered="Tea!")

    early = forget(db, containing="tea", said_before=NOW)
    assert counted(early) == {"turns": 1}
    assert counted(forget(db, containing="tea")) == {"turns": 1, "candidates": 1, "recalls": 1}
    assert counted(forget(db, said_before=NOW)) == {"turns": 1}
    assert [t["content"] for t in turns(db)] == ["more coffee"]
    assert [s["turn_count"] for s in sessions(db)] == [4]


def test_a_filter_of_memories_alone_leaves_the_conversations(db, known):
    everywhere(db)
    receipt = forget(db, from_session="s", of_types=["state"])

    assert counted(receipt) == {}
    assert len(turns(db)) == 1


def test_about_takes_the_aliases_of_what_it_names(db, known):
    call(db, "set_alias", for_user="ann", other_name="the cat", of_entity="mochi/pet")
    call(db, "set_alias", for_user="ann", other_name="dad", of_entity="father/person")

    assert forget(db, about=["Mochi"], of_types=["fact"])["aliases"] == 0
    assert forget(db, about=["Mochi"])["aliases"] == 1
    assert ask(db, "select alias from aimemory.entity_aliases") == ["dad"]


def test_a_veto_holds_for_what_it_says_what_it_said_and_its_slot(db):
    memory = remember(db, "lives in Berlin", in_slot="user.city", at=NOW - timedelta(hours=1))
    call(db, "update_memory", for_user="ann", target=memory, new_content="lives in Paris")
    old = remember(db, "likes tea")
    call(db, "archive_memory", for_user="ann", target=old)
    kept = remember(db, "likes coffee")

    assert forget(db, wanted=[memory, old], with_veto=True)["vetoes"] == 4
    assert vetoed(db, "lives in Berlin")
    assert vetoed(db, "Lives in Paris.")
    assert vetoed(db, "lives in Rome", "user.city")
    assert vetoed(db, "likes tea")
    assert not vetoed(db, "likes coffee", "user.drink")
    assert not vetoed(db, "likes tea", user="bob")
    # What is vetoed already is not vetoed twice.
    again = remember(db, "likes tea")
    assert forget(db, wanted=[again, kept], with_veto=True)["vetoes"] == 1


def test_without_a_veto_it_can_be_learnt_again(db, known):
    forget(db, wanted=[known["plain"]])

    assert not vetoed(db, "likes green tea")
    assert value(db, "is_vetoed", for_user="ann", the_content="likes green tea") is False


def test_words_are_looked_for_in_everything_that_describes_a_memory(db):
    remember(db, "likes tea", with_tags=["Acme"])
    remember(db, "likes rum", with_metadata={"source": "an ACME file"})
    remember(db, "likes gin", about=["Acme/company"])
    remember(db, "works hard", in_slot="acme.role")
    told = remember(db, "sings")
    call(db, "confirm_memory", for_user="ann", target=told, why="acme told us so")
    remember(db, "plays chess")
    call(db, "set_alias", for_user="ann", other_name="the firm", of_entity="acme")

    receipt = forget(db, containing="acme")

    assert (receipt["memories"], receipt["aliases"]) == (5, 1)
    assert "acme" not in str(snapshot(db)).lower()
    assert count(db, "memories") == 1
