"""No id of one user reaches what belongs to another, whatever the two ids look like."""

from __future__ import annotations

import psycopg
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memories import (
    NOW,
    add,
    at_cosine,
    call,
    contents,
    erase,
    ids,
    recall,
    refused,
    remember,
    rows,
)

TRICKY = [
    "%",
    "_",
    ".",
    "*",
    "\\",
    "'",
    '"',
    "\n",
    "\t",
    " ",
    "/",
    ":",
    "{}",
    "$1",
    "%s",
    "🐱",
    "é",
]

user_ids = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40),
    st.lists(st.sampled_from([*TRICKY, "a", "b"]), min_size=1, max_size=8).map("".join),
    st.sampled_from(["x" * 500, "🐱" * 500, "x" * 499 + "y", "年" * 512]),
)
# The other one: any, or made of the first by adding, cutting, or changing its case.
pairs = user_ids.flatmap(
    lambda one: st.tuples(
        st.just(one),
        st.one_of(
            user_ids,
            st.sampled_from(TRICKY).map(lambda end: (one + end)[:512]),
            st.sampled_from(TRICKY).map(lambda start: (start + one)[:512]),
            st.just(one[:-1] or "z"),
            st.just(one.upper()[:512]),
            st.just(one.strip() or "z"),
        ),
    )
)


def everything(db: psycopg.Connection, user: str) -> list[list[dict]]:
    """What a user has in every table, and what is said to be theirs."""
    tables = ("memories", "memory_access", "memory_revisions", "memory_vectors", "memory_terms")
    return [
        sorted(
            rows(
                db, f"select to_jsonb(t)::text as line from aimemory.{t} t where user_id = %s", user
            ),
            key=str,
        )
        for t in (*tables, "archive", "entity_aliases", "recall_log")
    ]


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pairs)
def test_nothing_of_one_user_is_seen_or_changed_by_another(db, pair):
    mine, other = pair
    assume(mine != other)
    with db.transaction(force_rollback=True):
        named = {"about": ["miso/pet"], "vector": at_cosine(1), "in_slot": "s"}
        live = remember(db, "my secret tea", mine, **named, request_key="r")
        cold = remember(db, "my secret coffee", mine, vector=at_cosine(1), with_importance=0.9)
        call(db, "archive_memory", for_user=mine, target=cold, as_of=NOW)
        call(db, "set_alias", for_user=mine, other_name="kitty", of_entity="miso/pet")
        before = everything(db, mine)

        # The other user knows every id, word, name, key and vector.
        asked = "my secret tea or coffee of Miso, kitty"
        broadly = {"vector": at_cosine(1), "at_least": -1.0, "entity_mode": "off"}
        assert recall(db, asked, other, **broadly) == []
        theirs = add(db, "my secret tea", other, **named, request_key="r")
        assert (theirs["action"], theirs["replaced"]) == ("inserted", None)
        assert add(db, "my secret coffee", other)["action"] == "inserted"

        hits = recall(db, asked, other, **broadly, max_results=50)
        assert sorted(contents(hits)) == ["my secret coffee", "my secret tea"]
        assert not {live, cold} & set(ids(hits))
        assert call(db, "get_memories", for_user=other, wanted=[live, cold]) == []
        listed = call(db, "list_memories", for_user=other, with_status="all")
        assert len(listed) == 2
        assert not {live, cold} & set(ids(listed))
        assert call(db, "similar_to", for_user=other, target=live, at_least=-1.0) == []
        near = call(db, "similar_to", for_user=other, target=theirs["memory_id"], at_least=-1.0)
        assert near == []
        assert call(db, "memory_history", for_user=other, target=live) == []

        assert not erase(db, live, other)
        refusals = {"confirm_memory": live, "restore_memory": cold,
                    "pin_memory": live, "archive_memory": live}  # fmt: skip
        for function, target in refusals.items():
            assert call(db, function, for_user=other, target=target) == [{function: False}]
        assert call(db, "touch_memories", for_user=other, targets=[live, cold]) == [
            {"touch_memories": 0}
        ]
        with refused(db, "MM002"):
            call(db, "update_memory", for_user=other, target=live, new_content="x")
        with refused(db, "MM002"):
            call(
                db,
                "supersede_memory",
                for_user=other,
                older=theirs["memory_id"],
                newer=live,
            )
        filled = call(
            db,
            "fill_vectors",
            for_user=other,
            target=live,
            embedded_text="my secret tea",
            vectors=["[1,0,0]"],
            vector_model="tiny",
        )
        assert filled == [{"fill_vectors": False}]

        assert everything(db, mine) == before
        found = recall(db, asked, mine, vector=at_cosine(1))
        assert ids(found) == [live]


@pytest.mark.parametrize("user", ["%", "_", "%' or 1=1 --", "a%", ".*", "null", "*"])
def test_a_pattern_is_no_user(db, user):
    for owner in ("a", "ab", "acme", "acme-corp", "null "):
        remember(db, "likes tea", owner, vector=at_cosine(1))

    assert recall(db, "likes tea", user, vector=at_cosine(1)) == []
    assert call(db, "list_memories", for_user=user) == []


def test_two_scopes_of_one_user_of_which_one_begins_the_other_stay_apart(db):
    for scope in ("acme", "acme-corp", "acm", "ACME", "acme%"):
        remember(db, f"tea in {scope}", in_scope=scope, vector=at_cosine(1))

    for scope in ("acme", "acme-corp", "acme%"):
        hits = recall(db, "tea", vector=at_cosine(1), in_scopes=[scope])
        assert contents(hits) == [f"tea in {scope}"]
    assert recall(db, "tea", vector=at_cosine(1), in_scopes=["acm_", "%"]) == []
