"""add_memory: what is stored, what is a repetition, what takes the place of what."""

import pytest

from memories import (
    DAY,
    MODEL,
    NOW,
    add,
    ask,
    at_cosine,
    call,
    contents,
    count,
    know_model,
    recall,
    refused,
    remember,
    row,
    rows,
    snapshot,
    text_of,
)


def active(db, user="ann"):
    return ask(
        db,
        "select content from aimemory.memories where user_id = %s and status = 'active' order by 1",
        user,
    )


def test_everything_given_is_stored(db):
    memory = remember(
        db,
        "Ann moved to Berlin.",
        as_type="event",
        with_importance=0.55,
        in_scope="project:x",
        in_slot="ann.city",
        about=["Ann/Person", "Berlin"],
        with_tags=["home"],
        with_metadata={"user_id": "bob", "n": 1},
        from_session="s1",
        from_turn=3,
        said_by="user",
        quoting="I moved to Berlin",
        happening_at=NOW - DAY,
        true_from=NOW,
        true_until=NOW + DAY,
        is_pinned=True,
        is_standing=True,
        request_key="k1",
        changed_by="tester",
    )
    stored = row(db, "memories", memory)
    derived = {name: stored.pop(name) for name in ("keywords", "content_hash", "memory_id")}

    assert sorted(stored.pop("entities")) == ["ann/person", "berlin"]
    assert stored == {
        "user_id": "ann",
        "content": "Ann moved to Berlin.",
        "memory_type": "event",
        "importance": 0.55,
        "scope": "project:x",
        "slot": "ann.city",
        "tags": ["home"],
        "evidence": "I moved to Berlin",
        "speaker": "user",
        "session_id": "s1",
        "turn_no": 3,
        "status": "active",
        "superseded_by": None,
        "superseded_at": None,
        "valid_from": NOW,
        "valid_until": NOW + DAY,
        "event_at": NOW - DAY,
        "created_at": NOW,
        "updated_at": NOW,
        "last_confirmed_at": NOW,
        "confirm_count": 0,
        "pinned": True,
        "standing": True,
        "idempotency_key": "k1",
        "metadata": {"user_id": "bob", "n": 1},
    }
    assert "'berlin':1A" in derived["keywords"]
    (revision,) = call(db, "memory_history", for_user="ann", target=memory)
    assert (revision["action"], revision["actor"]) == ("added", "tester")
    assert row(db, "memory_access", memory)["last_access_at"] == NOW


@pytest.mark.parametrize(
    ("kind", "importance"),
    [("fact", 0.6), ("preference", 0.7), ("event", 0.4), ("state", 0.6), ("decision", 0.8)],
)
def test_importance_is_that_of_the_type_unless_given(db, kind, importance):
    assert row(db, "memories", remember(db, "x", as_type=kind))["importance"] == importance


def test_the_same_words_again_confirm_the_memory_that_is_there(db):
    first = add(db, "用户的猫叫年糕")
    again = add(db, "用户的猫叫年糕！", at=NOW + DAY)

    assert first | {"memory_id": None} == {
        "action": "inserted",
        "reason": None,
        "memory_id": None,
        "replaced": None,
    }
    assert again == first | {"action": "duplicate", "reason": "same_content"}
    stored = row(db, "memories", first["memory_id"])
    assert (stored["confirm_count"], stored["last_confirmed_at"]) == (1, NOW + DAY)
    assert (stored["content"], stored["created_at"]) == ("用户的猫叫年糕", NOW)


def test_the_same_words_of_another_user_or_scope_are_another_memory(db):
    actions = [
        add(db, "likes tea")["action"],
        add(db, "likes tea", "bob")["action"],
        add(db, "likes tea", in_scope="project:x")["action"],
    ]

    assert actions == ["inserted"] * 3


def test_a_slot_holds_one_memory_and_the_newer_one_takes_it(db):
    old = remember(db, "lives in Berlin", in_slot="ann.city")
    new = add(db, "lives in Paris", in_slot="ann.city", at=NOW + DAY)

    assert (new["action"], new["reason"], new["replaced"]) == ("superseded", "slot", old)
    before = row(db, "memories", old)
    assert (before["status"], before["superseded_by"], before["superseded_at"]) == (
        "superseded",
        new["memory_id"],
        NOW + DAY,
    )
    assert before["content"] == "lives in Berlin"
    assert active(db) == ["lives in Paris"]


def test_slots_of_different_scopes_and_users_do_not_meet(db):
    actions = [
        add(db, "a", in_slot="s")["action"],
        add(db, "b", in_slot="s", in_scope="project:x")["action"],
        add(db, "c", "bob", in_slot="s")["action"],
        add(db, "d", in_slot="S")["action"],
    ]

    assert actions == ["inserted"] * 4


def test_an_event_neither_takes_a_slot_nor_gives_it_up(db):
    remember(db, "ate bread", as_type="event", in_slot="ann.breakfast")
    remember(db, "ate an apple", as_type="event", in_slot="ann.breakfast")
    remember(db, "always has tea", in_slot="ann.breakfast")
    remember(db, "ate rice", as_type="event", in_slot="ann.breakfast")

    assert active(db) == ["always has tea", "ate an apple", "ate bread", "ate rice"]


def test_twenty_facts_about_one_entity_supersede_nothing(db):
    for number in range(20):
        remember(db, f"Miso fact number {number}", about=["miso/pet"], in_slot=f"miso.{number}")

    assert len(active(db)) == 20


def test_going_back_and_forth_makes_a_new_version_each_time(db):
    first = remember(db, "不吃香菜", in_slot="香菜")
    second = remember(db, "吃香菜了", in_slot="香菜", at=NOW + DAY)
    third = add(db, "不吃香菜", in_slot="香菜", at=NOW + 2 * DAY)

    assert (third["action"], third["replaced"]) == ("superseded", second)
    assert third["memory_id"] != first
    links = rows(db, "select memory_id, superseded_by from aimemory.memories order by created_at")
    assert [link["superseded_by"] for link in links] == [second, third["memory_id"], None]


def test_what_is_said_again_comes_back_from_the_archive_under_its_id(db):
    memory = remember(db, "plays the cello", with_importance=0.7)
    call(db, "archive_memory", for_user="ann", target=memory, because="faded")
    again = add(db, "Plays the cello!", at=NOW + 90 * DAY, with_importance=0.4)

    assert again == {
        "action": "duplicate",
        "reason": "restored",
        "memory_id": memory,
        "replaced": None,
    }
    assert row(db, "memories", memory)["importance"] == 0.7
    assert count(db, "archive") == 0


def test_what_was_replaced_does_not_come_back_from_the_archive_but_anew(db):
    old, new = remember(db, "lives in Berlin"), remember(db, "moved to Paris")
    call(db, "supersede_memory", for_user="ann", older=old, newer=new)
    call(db, "archive_memory", for_user="ann", target=old, because="superseded")
    again = add(db, "lives in Berlin", at=NOW + DAY)

    assert (again["action"], again["memory_id"] != old) == ("inserted", True)
    assert count(db, "archive") == 1


def test_a_change_of_mind_supersedes_what_is_in_the_archive_by_now(db):
    old = remember(db, "drinks americano", in_slot="ann.coffee")
    call(db, "archive_memory", for_user="ann", target=old, because="faded", as_of=NOW + DAY)
    new = add(db, "drinks latte", in_slot="ann.coffee", at=NOW + 2 * DAY)

    assert (new["action"], new["replaced"]) == ("superseded", old)
    archived = row(db, "archive", old)
    assert (archived["status"], archived["superseded_by"], archived["archive_reason"]) == (
        "superseded",
        new["memory_id"],
        "superseded",
    )


def test_an_old_text_that_is_in_the_archive_does_not_undo_the_slot_of_today(db):
    loose = remember(db, "drinks latte")
    call(db, "archive_memory", for_user="ann", target=loose)
    today = remember(db, "drinks tea", in_slot="ann.drink")
    again = add(db, "drinks latte", in_slot="ann.drink", at=NOW + DAY)

    assert (again["action"], again["replaced"]) == ("superseded", today)
    assert active(db) == ["drinks latte"]


def test_a_repeated_request_gives_the_same_id_and_changes_nothing(db):
    memory = remember(db, "likes tea", request_key="r1")
    again = add(db, "likes something else", request_key="r1", at=NOW + DAY)

    assert again == {
        "action": "duplicate",
        "reason": "idempotency_key",
        "memory_id": memory,
        "replaced": None,
    }
    assert row(db, "memories", memory)["confirm_count"] == 0
    assert active(db) == ["likes tea"]


def test_a_request_repeated_after_archiving_gives_the_same_id(db):
    memory = remember(db, "likes tea", request_key="r1")
    call(db, "archive_memory", for_user="ann", target=memory)

    assert add(db, "likes tea", request_key="r1")["memory_id"] == memory
    assert count(db, "archive") == 1


def test_request_keys_of_two_users_do_not_meet(db):
    assert add(db, "likes tea", request_key="r1")["action"] == "inserted"
    assert add(db, "likes tea", "bob", request_key="r1")["action"] == "inserted"


@pytest.mark.parametrize(
    ("sqlstate", "wrong"),
    [
        ("MM001", {"as_type": "rumour"}),
        ("23514", {"with_importance": 1.01}),
        ("23514", {"with_importance": -0.01}),
        ("23514", {"with_importance": float("nan")}),
        ("23514", {"new_content": "x" * 100_001}),
        ("23514", {"new_content": ""}),
        ("23502", {"new_content": None}),
        ("23514", {"in_scope": ""}),
        ("23514", {"in_slot": "x" * 513}),
        ("23514", {"with_metadata": "[1]"}),
        ("23514", {"true_from": NOW, "true_until": NOW}),
        ("23514", {"for_user": ""}),
        ("23514", {"for_user": "x" * 513}),
        ("23502", {"for_user": None}),
        ("MM003", {"vectors": ["[1,0,0]"]}),
        ("MM003", {"vectors": ["[1,0,0]"], "vector_model": "unknown"}),
        ("MM003", {"vectors": ["[1,0]"], "vector_model": MODEL}),
        ("MM003", {"vectors": ["[1,0,0]", "[1,0]"], "vector_model": MODEL}),
        ("MM001", {"vectors": ["[0,0,0]"], "vector_model": MODEL}),
        ("22003", {"vectors": ["[70000,0,0]"], "vector_model": MODEL}),
    ],
)
def test_what_cannot_be_stored_is_refused_and_leaves_no_trace(db, sqlstate, wrong):
    know_model(db)
    before = snapshot(db)

    with refused(db, sqlstate):
        call(db, "add_memory", **({"for_user": "ann", "new_content": "x"} | wrong))
    assert snapshot(db) == before


def test_a_hundred_thousand_characters_can_be_stored_and_found(db):
    db.execute("set local statement_timeout = '30s'")
    remember(db, "The code word is xylophone. " + "年糕今天吐了怎么办。" * 9_997)

    assert len(recall(db, "xylophone")) == 1


def test_a_long_text_keeps_one_vector_per_part(db):
    know_model(db)
    parts = [text_of(at_cosine(c)) for c in (0.1, 0.9)]
    memory = remember(db, "long", vectors=parts, vector_model=MODEL)

    assert ask(
        db,
        "select chunk from aimemory.memory_vectors where memory_id = %s and not cold order by 1",
        memory,
    ) == [0, 1]


def test_hostile_text_is_stored_as_it_is(db):
    text = "'; drop table aimemory.memories; -- % %s {0} \\ & | ! ( ) : * < > 😀 \u202e"
    memory = remember(db, text, about=[text], with_tags=[text], in_slot=text, in_scope=text)

    assert row(db, "memories", memory)["content"] == text
    assert contents(recall(db, "drop table", in_scopes=[text])) == [text]


def test_an_archived_text_whose_slot_is_taken_is_stored_anew_instead_of_failing(db):
    old = remember(db, "drinks latte", in_slot="user.coffee")
    call(db, "archive_memory", for_user="ann", target=old, because="faded", as_of=NOW + DAY)
    holder = remember(db, "drinks espresso", in_slot="user.coffee", at=NOW + 2 * DAY)
    db.execute(
        "update aimemory.archive set status = 'active', superseded_by = null, superseded_at = null"
    )

    done = add(db, "drinks latte", at=NOW + 3 * DAY)

    assert (done["action"], done["replaced"]) == ("inserted", None)
    assert done["memory_id"] not in (old, holder)
    assert row(db, "archive", old)["content"] == "drinks latte"
    assert row(db, "memories", holder)["status"] == "active"


def test_what_is_said_again_holds_again_with_the_dates_of_today(db):
    known = remember(db, "is on holiday", true_until=NOW + DAY)
    trip = remember(db, "flies to Rome", as_type="event", happening_at=NOW + DAY)

    done = add(db, "is on holiday", at=NOW + 5 * DAY, true_until=NOW + 9 * DAY)
    assert done["reason"] == "same_content"
    assert row(db, "memories", known)["valid_until"] == NOW + 9 * DAY
    assert row(db, "memory_access", known)["due_at"] == NOW + 9 * DAY
    add(db, "is on holiday", at=NOW + 10 * DAY)
    assert row(db, "memories", known)["valid_until"] is None
    add(db, "flies to Rome", as_type="event", at=NOW + 5 * DAY, happening_at=NOW + 60 * DAY)
    assert row(db, "memories", trip)["event_at"] == NOW + 60 * DAY


def test_what_comes_back_from_the_archive_is_not_over_already(db):
    known = remember(db, "is on holiday", true_until=NOW + DAY)
    call(db, "archive_due", as_of=NOW + 2 * DAY)

    done = add(db, "is on holiday", at=NOW + 5 * DAY, true_until=NOW + 9 * DAY)
    assert (done["reason"], done["memory_id"]) == ("restored", known)
    assert contents(recall(db, "who is on holiday?", at=NOW + 6 * DAY)) == ["is on holiday"]
    assert call(db, "archive_due", as_of=NOW + 6 * DAY) == [{"archive_due": 0}]
