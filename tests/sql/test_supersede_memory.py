"""supersede_memory: links lead forward, and nothing is overwritten."""

from memories import DAY, NOW, ask, call, count, refused, remember, row, snapshot, value

LATER = NOW + DAY


def supersede(db, older, newer, user="ann", **named):
    return value(
        db, "supersede_memory", for_user=user, older=older, newer=newer, as_of=LATER, **named
    )


def test_the_older_one_says_by_what_and_when_and_keeps_the_rest(db):
    old, new = remember(db, "lives in Berlin"), remember(db, "moved to Paris")
    before = row(db, "memories", old)

    assert supersede(db, old, new, why="moved", changed_by="judge") is True
    assert row(db, "memories", old) == before | {
        "status": "superseded",
        "superseded_by": new,
        "superseded_at": LATER,
    }
    revision = call(db, "memory_history", for_user="ann", target=old)[-1]
    assert (revision["action"], revision["reason"], revision["actor"], revision["details"]) == (
        "superseded",
        "moved",
        "judge",
        {"superseded_by": str(new)},
    )


def test_what_is_in_the_archive_can_be_superseded(db):
    old, new = remember(db, "drinks americano"), remember(db, "drinks latte")
    call(db, "archive_memory", for_user="ann", target=old, because="faded")

    assert supersede(db, old, new) is True
    archived = row(db, "archive", old)
    assert (archived["status"], archived["superseded_by"], archived["archive_reason"]) == (
        "superseded",
        new,
        "superseded",
    )
    assert count(db, "memories") == 1


def test_no_memory_supersedes_itself(db):
    memory = remember(db, "likes tea")

    with refused(db, "MM001"):
        supersede(db, memory, memory)


def test_the_newer_one_must_be_active_so_links_never_form_a_circle(db):
    first, second, third = (remember(db, text) for text in ("first", "second", "third"))
    supersede(db, first, second)
    supersede(db, second, third)
    archived = remember(db, "archived")
    call(db, "archive_memory", for_user="ann", target=archived)

    for newer in (first, second, archived):
        with refused(db, "MM002"):
            supersede(db, third, newer)
    assert ask(db, "select superseded_by from aimemory.memories where memory_id = %s", third) == [
        None
    ]


def test_what_has_been_superseded_keeps_its_first_successor(db):
    old, new, other = (remember(db, text) for text in ("old", "new", "other"))
    supersede(db, old, new)

    assert supersede(db, old, other) is False
    assert row(db, "memories", old)["superseded_by"] == new


def test_memories_of_two_users_never_supersede_each_other(db):
    mine, theirs = remember(db, "mine"), remember(db, "theirs", "bob")
    before = snapshot(db)

    with refused(db, "MM002"):
        supersede(db, mine, theirs)
    with refused(db, "MM002"):
        supersede(db, theirs, mine, "bob")
    assert supersede(db, theirs, mine) is False
    assert snapshot(db) == before
