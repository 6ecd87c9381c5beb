"""recall's score: every part by its formula, and the sum of the parts to nine digits."""

import pytest

from memories import DAY, MODEL, NOW, at_cosine, call, contents, recall, remember, text_of

# factor per day, floor (for importance of 0.8 and more)
FADING = {
    "fact": (0.98, 0.35),
    "preference": (0.95, None),
    "event": (0.90, None),
    "state": (0.95, None),
    "decision": (0.98, 0.35),
}
LIFE = {
    "fact": {"with_importance": 0.9, "days": 400},
    "preference": {"with_importance": 0.7, "days": 10},
    "event": {"with_importance": 0.4, "days": 3.5},
    "state": {"with_importance": 0.6, "days": 20},
    "decision": {"with_importance": 0.8, "days": 75},
}


@pytest.fixture
def corpus(db):
    """One memory of each type, of different age and nearness; the state was used since."""
    for number, (kind, life) in enumerate(LIFE.items()):
        memory = remember(
            db,
            f"{kind} about green tea" + " and more" * number,
            as_type=kind,
            with_importance=life["with_importance"],
            vector=at_cosine(0.9 - 0.15 * number),
            at=NOW - life["days"] * DAY,
        )
        if kind == "state":
            call(db, "touch_memories", for_user="ann", targets=[memory], as_of=NOW - 5 * DAY)


def unused_days(kind):
    return 5 if kind == "state" else LIFE[kind]["days"]


def test_each_part_follows_its_formula(db, corpus):
    hits = recall(db, "green tea state", vector=at_cosine(1), at_least=0.0)
    assert len(hits) == 5

    for hit in hits:
        kind = hit["memory_type"]
        factor, floor = FADING[kind]
        importance, age = LIFE[kind]["with_importance"], LIFE[kind]["days"]
        faded = importance * factor ** unused_days(kind)
        assert hit["recency"] == pytest.approx(0.5 ** (age / 30), abs=1e-9)
        assert hit["forgetting"] == pytest.approx(1 - factor ** unused_days(kind), abs=1e-9)
        assert hit["effective_importance"] == pytest.approx(max(faded, floor or 0), abs=1e-9)


def balanced(hit):
    v, k, r = (0.6, 0.3, 0.1)
    if hit["memory_type"] == "preference":
        # Recency weighs 0.2, and the two others make room for it in proportion.
        v, k, r = 0.6 * 0.8 / 0.9, 0.3 * 0.8 / 0.9, 0.2
    return (
        v * hit["similarity"]
        + k * hit["keyword"]
        + r * hit["recency"]
        - 0.05 * hit["forgetting"]
        + 0.05 * hit["effective_importance"]
    )


def seed003(hit):
    age = LIFE[hit["memory_type"]]["days"]
    return 1.2 * hit["similarity"] + 0.5 * hit["importance"] * max(0.3, 1 - age / 30)


@pytest.mark.parametrize("formula", [balanced, seed003])
def test_the_score_is_the_weighted_sum_of_the_parts(db, corpus, formula):
    hits = recall(
        db,
        "green tea state",
        vector=at_cosine(1),
        at_least=0.0,
        profile_name=formula.__name__,
    )

    assert [hit["score"] for hit in hits] == pytest.approx([formula(h) for h in hits], abs=1e-9)
    assert [hit["score"] for hit in hits] == sorted((h["score"] for h in hits), reverse=True)
    assert len({round(hit["score"], 6) for hit in hits}) == 5


def test_without_a_vector_words_take_over_its_weight(db, corpus):
    """Otherwise recency would weigh three times what the profile says."""
    hits = recall(db, "green tea state")

    assert len(hits) == 5
    for hit in hits:
        assert hit["similarity"] is None
        stand_in = hit | {"similarity": hit["keyword"]}
        assert hit["score"] == pytest.approx(balanced(stand_in), abs=1e-9)


def test_without_words_meaning_takes_over_their_weight(db, corpus):
    hits = recall(db, vector=at_cosine(1))

    assert len(hits) > 0
    for hit in hits:
        assert hit["keyword"] == 0
        stand_in = hit | {"keyword": hit["similarity"]}
        assert hit["score"] == pytest.approx(balanced(stand_in), abs=1e-9)


def test_a_profile_of_ones_own_weighs_as_it_says(db, corpus):
    db.execute(
        "insert into aimemory.scoring_profiles (profile, vector_weight, keyword_weight,"
        " recency_weight, forgetting_weight, importance_weight) values ('own', 0, 0, 0, 0, 1)"
    )
    hits = recall(db, "tea", profile_name="own")

    assert [h["score"] for h in hits] == [h["effective_importance"] for h in hits]


def test_a_similarity_is_that_of_the_vectors(db):
    for cosine in (1, 0.8, 0.5, 0.31):
        remember(db, f"at {cosine}", vector=at_cosine(cosine))
    hits = recall(db, vector=at_cosine(1))

    assert [h["similarity"] for h in hits] == pytest.approx([1, 0.8, 0.5, 0.31], abs=1e-3)
    assert [h["vector_rank"] for h in hits] == [1, 2, 3, 4]
    assert {tuple(h["routes"]) for h in hits} == {("vector",)}


def test_a_memory_found_by_words_shows_its_similarity_all_the_same(db):
    remember(db, "likes tea", vector=at_cosine(0.1))
    (hit,) = recall(db, "tea", vector=at_cosine(1))

    assert (hit["vector_rank"], hit["routes"]) == (None, ["keyword"])
    assert hit["similarity"] == pytest.approx(0.1, abs=1e-3)


def test_of_two_equal_memories_the_fresher_one_wins(db):
    remember(db, "likes tea a", vector=at_cosine(1), at=NOW - 60 * DAY)
    remember(db, "likes tea b", vector=at_cosine(1), at=NOW - DAY)
    remember(db, "likes tea c", vector=at_cosine(1), at=NOW - 30 * DAY)

    assert contents(recall(db, vector=at_cosine(1))) == [
        "likes tea b",
        "likes tea c",
        "likes tea a",
    ]


def test_an_event_to_come_has_not_begun_to_fade(db):
    remember(
        db,
        "has surgery on the 15th",
        as_type="event",
        happening_at=NOW + 10 * DAY,
        at=NOW - 20 * DAY,
    )
    (hit,) = recall(db, "surgery")

    assert (hit["forgetting"], hit["effective_importance"]) == (0, 0.4)


@pytest.mark.parametrize("profile", ["balanced", "seed003"])
def test_no_importance_is_too_small_and_no_age_too_great(db, profile):
    remember(db, "likes tea", with_importance=5e-324, vector=at_cosine(1))
    remember(db, "likes old tea", with_importance=0, vector=at_cosine(1))
    hits = recall(db, "tea", vector=at_cosine(1), at=NOW + 20_000 * DAY, profile_name=profile)

    assert [h["effective_importance"] for h in hits] == [0, 0]


def test_a_small_importance_never_beats_a_near_meaning(db):
    remember(db, "noise", with_importance=0.9, vector=at_cosine(0.35))
    remember(db, "answer", with_importance=0.4, vector=at_cosine(0.8))

    assert contents(recall(db, vector=at_cosine(1))) == ["answer", "noise"]


def test_the_best_part_of_a_long_text_counts(db):
    remember(db, "short text", vector=at_cosine(0.7))
    parts = [text_of(at_cosine(cosine)) for cosine in (0.4, 0.9, -1)]
    remember(db, "long text", vectors=parts, vector_model=MODEL)
    hits = recall(db, vector=at_cosine(1))

    assert contents(hits) == ["long text", "short text"]
    assert hits[0]["similarity"] == pytest.approx(0.9, abs=1e-3)
