"""close_session: the end of a conversation, which loses nothing and is not for ever."""

from memories import DAY, NOW, call, count, value
from turns import say, sessions


def close(db, session="s", user="ann", at=NOW):
    return value(db, "close_session", for_user=user, in_session=session, as_of=at)


def test_only_that_session_ends(db):
    for session in ("s", "s2"):
        say(db, "hello", session=session)
    say(db, "hello", user="bob")

    assert close(db, at=NOW + DAY) is True
    assert [s["closed_at"] for s in sessions(db)] == [NOW + DAY, None]
    assert [s["closed_at"] for s in sessions(db, "bob")] == [None]


def test_ending_it_twice_keeps_the_first_time(db):
    say(db, "hello")
    close(db)

    assert close(db, at=NOW + DAY) is False
    assert sessions(db)[0]["closed_at"] == NOW


def test_a_new_turn_opens_it_and_it_can_end_again(db):
    say(db, "hello")
    close(db)
    say(db, "one more thing")

    assert close(db, at=NOW + DAY) is True
    assert sessions(db)[0]["closed_at"] == NOW + DAY


def test_what_is_still_to_do_stays_in_the_queue(db):
    say(db, "I live in Paris")
    close(db)

    waiting = call(db, "pending_turns", for_user="ann", in_session="s")
    assert [t["content"] for t in waiting] == ["I live in Paris"]


def test_a_session_that_nobody_knows_is_not_made(db):
    assert close(db) is False
    assert (count(db, "sessions"), count(db, "users")) == (0, 0)
