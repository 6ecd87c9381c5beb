"""list_memories: pages that lose nothing and show nothing twice."""

import pytest

from memories import DAY, NOW, ask, call, contents, erase, ids, refused, remember


def pages(db, size, between=lambda number: None, **filters):
    """All pages, one after the other; something may happen between two."""
    last, number, found = {}, 0, []
    while page := call(db, "list_memories", for_user="ann", page_size=size, **last, **filters):
        assert len(page) <= size
        found += page
        last = {"older_than": page[-1]["created_at"], "older_than_id": page[-1]["memory_id"]}
        number += 1
        between(number)
    return found


def fill(db, how_many):
    """So many memories, every three of the same instant."""
    db.execute(
        "insert into aimemory.users (user_id, created_at) values ('ann', %s)",
        (NOW,),
    )
    db.execute(
        "insert into aimemory.memories (user_id, memory_id, content, memory_type, importance,"
        " keywords, content_hash, created_at, updated_at, last_confirmed_at)"
        " select 'ann', gen_random_uuid(), 'memory ' || i, 'fact', 0.5, '', i::text, at, at, at"
        "   from generate_series(1, %s) i, lateral (select %s + i / 3 * interval '1 hour') t(at)",
        (how_many, NOW),
    )


def test_the_newest_come_first(db):
    for days in (2, 3, 1):
        remember(db, f"day {days}", at=NOW + days * DAY)

    assert contents(pages(db, 2)) == ["day 3", "day 2", "day 1"]


def test_a_thousand_memories_come_each_exactly_once(db):
    fill(db, 1000)

    found = ids(pages(db, 7))
    assert sorted(found) == ask(db, "select memory_id from aimemory.memories order by 1")
    assert len(found) == 1000


def test_what_is_added_and_erased_meanwhile_shifts_nothing(db):
    fill(db, 1000)
    originals = set(ask(db, "select memory_id from aimemory.memories"))
    erased = set()

    def disturb(number):
        remember(db, f"new {number}", at=NOW + 1000 * DAY)
        remember(db, f"in between {number}", at=NOW + number * DAY / 24)
        for victim in ask(
            db,
            "select memory_id from aimemory.memories where content like 'memory%%'"
            " order by created_at limit 3",
        ):
            erase(db, victim)
            erased.add(victim)

    found = ids(pages(db, 100, disturb))
    assert len(found) == len(set(found))
    assert originals - set(found) <= erased
    assert set(found) & originals >= originals - erased


def test_each_status_has_its_list(db):
    remember(db, "lives in Berlin", in_slot="city")
    remember(db, "lives in Paris", in_slot="city")
    archived = remember(db, "likes tea")
    call(db, "archive_memory", for_user="ann", target=archived)

    assert {
        status: sorted(contents(pages(db, 1, with_status=status)))
        for status in ("active", "superseded", "archived", "all")
    } == {
        "active": ["lives in Paris"],
        "superseded": ["lives in Berlin"],
        "archived": ["likes tea"],
        "all": ["likes tea", "lives in Berlin", "lives in Paris"],
    }


@pytest.mark.parametrize("status", ["deleted", "", None])
def test_an_unknown_status_is_refused(db, status):
    with refused(db, "MM001", "with_status"):
        call(db, "list_memories", for_user="ann", with_status=status)


def test_filters_let_through_what_matches_everything_asked_for(db):
    remember(db, "a", in_scope="p", with_tags=["x", "y"], with_metadata={"n": 5})
    remember(db, "b", in_scope="p", with_tags=["x"], with_metadata={"n": "five"})
    remember(db, "c", as_type="event", with_tags=["y"])

    def found(**filters):
        return sorted(contents(pages(db, 10, **filters)))

    assert found(in_scopes=["p"]) == ["a", "b"]
    assert found(of_types=["event"]) == ["c"]
    assert found(with_tags=["y"]) == ["a", "c"]
    assert found(with_tags=["x", "y"]) == ["a"]
    assert found(metadata_filter="$.n > 4") == ["a"]
    assert found(in_scopes=["p"], with_tags=["y"], metadata_filter='$.n == "five"') == []
    assert found(in_scopes=[]) == []


def test_no_page_has_rows_of_others(db):
    remember(db, "theirs", "bob")

    assert pages(db, 10) == []
