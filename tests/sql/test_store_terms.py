"""store_terms: the postings of one memory, renewed."""

from uuid import UUID

from memories import call, rows

FIRST = UUID(int=1)
SECOND = UUID(int=2)


def store(db, old, new, target=FIRST, cold=False, user="ann"):
    call(
        db, "store_terms", for_user=user, target=target, is_cold=cold, old_words=old, new_words=new
    )


def postings(db, user="ann"):
    return [
        tuple(r.values())
        for r in rows(
            db,
            "select memory_id, cold, term, frequency, words from aimemory.memory_terms"
            " where user_id = %s order by 1, 3",
            user,
        )
    ]


def test_words_are_counted_and_names_get_a_posting_of_their_own(db):
    store(db, "", "'tea':2,5 'cup':3 'ann':1A,7 'berlin':1A")

    # Four words in all: tea twice, cup, and ann, which is a name besides.
    assert postings(db) == [
        (FIRST, False, "#ann", 1, 4),
        (FIRST, False, "#berlin", 1, 4),
        (FIRST, False, "ann", 1, 4),
        (FIRST, False, "cup", 1, 4),
        (FIRST, False, "tea", 2, 4),
    ]


def test_names_alone_count_as_a_memory_of_one_word(db):
    store(db, "", "'ann':1A")

    assert postings(db) == [(FIRST, False, "#ann", 1, 1)]


def test_the_old_postings_go_and_those_of_others_stay(db):
    for target, user in ((FIRST, "ann"), (SECOND, "ann"), (FIRST, "bob")):
        store(db, "", "'tea':2 'ann':1A", target, user=user)
    store(db, "'tea':2 'ann':1A", "'coffee':2")

    assert postings(db) == [
        (FIRST, False, "coffee", 1, 1),
        (SECOND, False, "#ann", 1, 1),
        (SECOND, False, "tea", 1, 1),
    ]
    assert len(postings(db, "bob")) == 2


def test_a_memory_that_turns_cold_or_warm_takes_its_postings_along(db):
    words = "'tea':2 'ann':1A"
    store(db, "", words)
    for cold in (True, False):
        store(db, words, words, cold=cold)
        assert [p[1] for p in postings(db)] == [cold, cold]


def test_no_words_leave_no_postings(db):
    store(db, "", "'tea':2")
    store(db, "'tea':2", "")

    assert postings(db) == []
