"""touch_memories: a use is counted for what was given to the caller, and for nothing else."""

import psycopg

from memories import DAY, NOW, call, recall, remember, row, snapshot, value


def touch(db, targets, user="ann", at=NOW + DAY):
    return value(db, "touch_memories", for_user=user, targets=targets, as_of=at)


def uses(db, memory):
    access = row(db, "memory_access", memory)
    return access["access_count"], access["last_access_at"]


def test_each_active_memory_counts_one_use(db):
    first, second, third = (remember(db, text) for text in ("first", "second", "third"))

    assert touch(db, [second, first]) == 2
    assert touch(db, [second], at=NOW + 2 * DAY) == 1
    assert uses(db, first) == (1, NOW + DAY)
    assert uses(db, second) == (2, NOW + 2 * DAY)
    assert uses(db, third) == (0, NOW)


def test_naming_a_memory_twice_counts_it_once(db):
    memory = remember(db, "likes tea")

    assert touch(db, [memory, memory]) == 1
    assert uses(db, memory)[0] == 1


def test_a_use_in_the_past_does_not_turn_the_clock_back(db):
    memory = remember(db, "likes tea")
    touch(db, [memory], at=NOW - DAY)

    assert uses(db, memory) == (1, NOW)


def archived(db, content, because="faded", **named):
    memory = remember(db, content, **named)
    call(db, "archive_memory", for_user="ann", target=memory, because=because, as_of=NOW)
    return memory


def test_an_archived_memory_that_is_used_is_live_again(db):
    memory = archived(db, "plays the cello", with_importance=0.8)

    assert touch(db, [memory]) == 1
    assert row(db, "memories", memory)["last_confirmed_at"] == NOW + DAY
    assert uses(db, memory) == (1, NOW + DAY)
    (hit,) = recall(db, "cello", at=NOW + DAY)
    assert not hit["archived"]
    back = call(db, "memory_history", for_user="ann", target=memory)[-1]
    assert (back["action"], back["reason"], back["actor"]) == ("restored", "used", "recall")


def test_an_archived_memory_whose_place_is_taken_stays_where_it_is(db):
    city = archived(db, "lives in Berlin", in_slot="city")
    words = archived(db, "likes tea")
    remember(db, "lives in Paris", in_slot="city")
    remember(db, "likes coffee")
    call(db, "update_memory", for_user="ann", target=remember(db, "x"), new_content="likes tea")
    before = snapshot(db)

    assert touch(db, [city, words]) == 0
    assert snapshot(db) == before


def test_what_is_superseded_put_away_unknown_or_somebody_elses_is_left_alone(db):
    old = remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city")
    archived = remember(db, "likes tea")
    call(db, "archive_memory", for_user="ann", target=archived)
    theirs = remember(db, "likes tea", "bob")
    before = snapshot(db)

    assert touch(db, [old, archived, theirs]) == 0
    assert touch(db, []) == 0
    assert touch(db, None) == 0
    assert touch(db, [old], "stranger") == 0
    assert snapshot(db) == before


def test_a_use_restarts_fading_and_is_no_update(db):
    memory = remember(db, "likes tea", as_type="preference", with_importance=0.8)
    before = row(db, "memories", memory)
    touch(db, [memory], at=NOW + 10 * DAY)
    (hit,) = recall(db, "tea", at=NOW + 10 * DAY)

    assert row(db, "memories", memory) == before
    assert (hit["effective_importance"], hit["forgetting"]) == (0.8, 0)


def test_a_search_does_not_wait_for_a_writer_and_its_use_is_not_counted(fresh_database):
    with psycopg.connect(fresh_database) as writer, psycopg.connect(fresh_database) as reader:
        memory = remember(writer, "likes tea")
        writer.commit()
        call(writer, "lock_user", for_user="ann")
        reader.execute("set lock_timeout = '1s'")

        assert touch(reader, [memory]) == 0
        writer.rollback()
        assert touch(reader, [memory]) == 1
        assert uses(reader, memory) == (1, NOW + DAY)
