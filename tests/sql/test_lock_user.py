"""lock_user: one writer at a time for one user; tests/test_concurrency.py has the rest."""

import psycopg
import pytest

from memories import NOW, ask, call, refused


def test_the_first_write_makes_the_user_known(db):
    call(db, "lock_user", for_user="ann", as_of=NOW)
    call(db, "lock_user", for_user="ann")

    assert ask(db, "select created_at from aimemory.users") == [NOW]


def test_a_change_of_what_must_exist_makes_nobody_known(db):
    call(db, "lock_user", for_user="ann", create_missing=False)

    assert ask(db, "select user_id from aimemory.users") == []


def test_one_user_waits_for_nobody_else(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        call(first, "lock_user", for_user="ann")
        second.execute("set local lock_timeout = '5s'")
        call(second, "lock_user", for_user="bob")


def test_the_same_user_waits(fresh_database):
    with psycopg.connect(fresh_database) as first, psycopg.connect(fresh_database) as second:
        for name in ("ann", "bob"):
            call(first, "lock_user", for_user=name)
        first.commit()
        call(first, "lock_user", for_user="ann")
        second.execute("set local lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable), second.transaction():
            call(second, "lock_user", for_user="ann")
        with refused(second, "55P03"):
            call(second, "lock_user", for_user="ann", create_missing=False)
