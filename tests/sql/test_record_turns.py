"""record_turns: what was said is stored in order, once, and waits to be learnt from."""

from datetime import timedelta

import psycopg
import pytest

from memories import DAY, NOW, ask, call, count, refused, rows
from turns import say, sessions, turns


def test_the_turns_of_a_session_are_numbered_from_one(db):
    assert say(db, "hello", "I live in Paris") == [1, 2]
    assert say(db, "and like tea") == [3]
    assert say(db, "another session", session="s2") == [1]
    assert say(db, "another user", user="bob") == [1]

    assert [(t["turn_no"], t["content"]) for t in turns(db)] == [
        (1, "hello"),
        (2, "I live in Paris"),
        (3, "and like tea"),
    ]


def test_a_turn_is_stored_as_it_was_said_and_is_still_to_do(db):
    earlier = NOW - timedelta(minutes=5)
    numbers = call(
        db,
        "record_turns",
        for_user="ann",
        in_session="s",
        roles=["user", "assistant"],
        texts=["我住在\n上海 ", "好的"],
        said=[earlier, NOW],
        as_of=NOW,
    )

    assert numbers == [{"record_turns": [1, 2]}]
    fresh = {"extracted_at": None, "attempts": 0, "last_error": None}
    key = {"user_id": "ann", "session_id": "s"}
    assert turns(db) == [
        key
        | fresh
        | {"turn_no": 1, "role": "user", "content": "我住在\n上海 ", "said_at": earlier},
        key | fresh | {"turn_no": 2, "role": "assistant", "content": "好的", "said_at": NOW},
    ]


def test_the_first_turn_makes_the_user_and_the_session_known(db):
    say(db, "hello", "again")

    assert ask(db, "select created_at from aimemory.users where user_id = 'ann'") == [NOW]
    assert sessions(db) == [
        {
            "user_id": "ann",
            "session_id": "s",
            "started_at": NOW,
            "last_turn_at": NOW,
            "turn_count": 2,
            "closed_at": None,
        }
    ]


def test_a_closed_session_opens_again_and_goes_on_counting(db):
    say(db, "hello")
    call(db, "close_session", for_user="ann", in_session="s", as_of=NOW)

    assert say(db, "one more thing", at=NOW + DAY) == [2]
    (session,) = sessions(db)
    assert (session["closed_at"], session["started_at"], session["last_turn_at"]) == (
        None,
        NOW,
        NOW + DAY,
    )


def test_a_late_import_does_not_make_a_session_look_idle(db):
    say(db, "today")
    say(db, "from yesterday", at=NOW - DAY)

    assert sessions(db)[0]["last_turn_at"] == NOW


def test_nothing_said_is_no_turn(db):
    assert say(db) == []
    assert turns(db) == []


@pytest.mark.parametrize(
    ("wrong", "sqlstate"),
    [
        ({"roles": ["system"]}, "23514"),
        ({"roles": []}, "23502"),
        ({"said": []}, "23502"),
        ({"texts": [None]}, "23502"),
        ({"in_session": ""}, "23514"),
        ({"in_session": "s" * 513}, "23514"),
        ({"for_user": ""}, "23514"),
    ],
)
def test_what_is_no_turn_is_refused_and_leaves_nothing(db, wrong, sqlstate):
    right = {
        "for_user": "ann",
        "in_session": "s",
        "roles": ["user"],
        "texts": ["hello"],
        "said": [NOW],
    }

    with refused(db, sqlstate):
        call(db, "record_turns", **(right | wrong))
    assert (count(db, "sessions"), count(db, "turns"), count(db, "users")) == (0, 0, 0)


def test_two_writers_of_one_session_leave_no_gap_and_no_number_twice(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        for turn in range(5):
            assert say(first, f"first {turn}") == [2 * turn + 1]
            # Not committed yet: the other one has to wait rather than take the same number.
            second.execute("set local lock_timeout = '20ms'")
            with refused(second, "55P03"):
                say(second, f"too early {turn}")
            first.commit()
            assert say(second, f"second {turn}") == [2 * turn + 2]
            second.commit()

        assert [t["turn_no"] for t in turns(first)] == list(range(1, 11))


def test_a_writer_that_fails_leaves_no_gap(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        say(first, "kept")
        first.commit()
        say(first, "lost", "lost too")
        first.rollback()

        assert say(second, "next") == [2]


def test_what_was_committed_outlives_the_writer_and_waits(fresh_database):
    """A process that dies between the two steps loses nothing that was said."""
    with psycopg.connect(fresh_database) as writer:
        say(writer, "I live in Paris")
        writer.commit()
        say(writer, "never committed")
        writer.execute("select 1")
        writer.close()
    with psycopg.connect(fresh_database) as reader:
        waiting = call(reader, "pending_turns", for_user="ann", in_session="s")
        assert [t["content"] for t in waiting] == ["I live in Paris"]


def test_turns_are_never_mixed_up_between_users_with_one_session_id(db):
    say(db, "of ann")
    say(db, "of bob", user="bob")

    assert rows(db, "select user_id, content from aimemory.turns order by 1") == [
        {"user_id": "ann", "content": "of ann"},
        {"user_id": "bob", "content": "of bob"},
    ]
