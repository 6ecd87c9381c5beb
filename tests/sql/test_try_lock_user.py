"""try_lock_user: has the user, or goes away at once."""

import psycopg

from memories import call, remember, value


def test_it_locks_a_user_that_nobody_else_is_writing_to(fresh_database):
    with psycopg.connect(fresh_database) as one, psycopg.connect(fresh_database) as two:
        remember(one, "likes tea")
        one.commit()

        assert value(one, "try_lock_user", for_user="ann") is True
        assert value(one, "try_lock_user", for_user="ann") is True
        assert value(two, "try_lock_user", for_user="ann") is False
        one.rollback()
        assert value(two, "try_lock_user", for_user="ann") is True


def test_it_keeps_writers_waiting_as_lock_user_does(fresh_database):
    with psycopg.connect(fresh_database) as one, psycopg.connect(fresh_database) as two:
        remember(one, "likes tea")
        one.commit()
        call(one, "lock_user", for_user="ann")

        assert value(two, "try_lock_user", for_user="ann") is False


def test_there_is_nothing_to_lock_of_an_unknown_user(db):
    assert value(db, "try_lock_user", for_user="nobody") is False
