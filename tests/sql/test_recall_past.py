"""recall about the past: what upkeep has put away since was live then, and answers as such."""

import pytest

from memories import DAY, NOW, at_cosine, call, contents, recall, remember


def archive(db, memory, at, because="faded"):
    call(db, "archive_memory", for_user="ann", target=memory, because=because, as_of=at)


@pytest.fixture
def cello(db):
    """Known from NOW on, in the archive from day 10 on."""
    memory = remember(db, "plays the cello", about=["cello"], with_importance=0.4,
                      vector=at_cosine(1))  # fmt: skip
    archive(db, memory, NOW + 10 * DAY)
    return memory


WAYS = {
    "words": {"question": "who plays?"},
    "meaning": {"vector": at_cosine(0.9)},
    "a name": {"question": "cello?", "query_entities": ["cello"]},
    "everything": {"question": "who plays the cello?", "vector": at_cosine(0.9)},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_memory_archived_later_is_found_by_every_route_with_its_full_weight(db, cello, way):
    (hit,) = recall(db, at=NOW + 5 * DAY, **WAYS[way])
    assert not hit["archived"]
    assert "archive" not in hit["routes"]

    call(db, "restore_memory", for_user="ann", target=cello, as_of=NOW + 11 * DAY)
    db.execute("update aimemory.memories set last_confirmed_at = %s", [NOW])
    (live,) = recall(db, at=NOW + 5 * DAY, **WAYS[way])
    assert hit["score"] == pytest.approx(live["score"])
    assert hit["routes"] == live["routes"]


@pytest.mark.parametrize("way", WAYS)
def test_from_the_moment_of_archiving_on_it_is_cold(db, cello, way):
    # Its importance of 0.4 is below what may answer from the archive.
    assert recall(db, at=NOW + 10 * DAY, **WAYS[way]) == []


def test_it_competes_with_what_was_live_as_well(db, cello):
    remember(db, "plays the piano")
    found = recall(db, "who plays the cello or the piano?", at=NOW + 5 * DAY)

    assert sorted(contents(found)) == ["plays the cello", "plays the piano"]


def test_what_was_replaced_and_put_away_still_held_before(db):
    remember(db, "lives in Berlin", in_slot="city", at=NOW)
    remember(db, "lives in Paris", in_slot="city", at=NOW + 10 * DAY)
    call(db, "archive_due", as_of=NOW + 11 * DAY)
    asked = "where does she live?"

    assert contents(recall(db, asked, at=NOW + 5 * DAY)) == ["lives in Berlin"]
    assert contents(recall(db, asked, at=NOW + 10 * DAY - DAY / 1e9)) == ["lives in Berlin"]
    assert contents(recall(db, asked, at=NOW + 10 * DAY)) == ["lives in Paris"]


def test_what_was_archived_before_that_time_still_answers_from_the_archive_alone(db):
    old = remember(db, "plays the cello", with_importance=0.8)
    archive(db, old, NOW + DAY)
    other = remember(db, "likes tea")
    archive(db, other, NOW + 10 * DAY)

    (hit,) = recall(db, "who plays the cello?", at=NOW + 5 * DAY)
    assert (hit["content"], hit["archived"]) == ("plays the cello", True)
    found = recall(db, "plays the cello, likes tea?", at=NOW + 5 * DAY)
    assert [(h["content"], h["archived"]) for h in found] == [("likes tea", False)]


def test_another_user_s_past_makes_no_difference(db, cello):
    bob = remember(db, "plays the cello", "bob")

    assert [h["memory_id"] for h in recall(db, "cello", "bob", at=NOW + 5 * DAY)] == [bob]


def test_words_weigh_what_they_weighed_then_when_everything_has_been_archived_since(db):
    texts = [f"practised the violin on day {number}" for number in range(70)]
    texts += [f"swam {number} lengths" for number in range(90)]
    ids = [remember(db, text, with_importance=0.9) for text in texts]
    asked = {"question": "violin and lengths", "max_results": 200, "at": NOW + DAY}
    before = [(h["memory_id"], h["score"]) for h in recall(db, **asked)]
    for memory in ids:
        archive(db, memory, NOW + 2 * DAY)

    assert len(before) == 160
    assert [(h["memory_id"], h["score"]) for h in recall(db, **asked)] == before
