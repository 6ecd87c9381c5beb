"""recall in a crowd: a user gets what is there, however narrow the filter."""

import numpy as np
import psycopg
import pytest

from crowd import IN_PROJECT, LARGE, OWNED, SIZE, SMALL, crowded
from memories import at_cosine, contents, ids, recall, rows

QUESTION = np.linspace(-1, 1, SIZE)


@pytest.fixture(scope="module")
def crowd_url(template, empty_database):
    return crowded(template, empty_database)


@pytest.fixture
def crowd(crowd_url):
    """The crowded database, with a profile that weighs nothing but similarity."""
    with psycopg.connect(crowd_url) as connection, connection.transaction(force_rollback=True):
        connection.execute(
            "insert into aimemory.scoring_profiles (profile, vector_weight, keyword_weight,"
            " recency_weight, forgetting_weight, importance_weight, min_similarity)"
            " values ('vectors', 1, 0, 0, 0, 0, -9)"
        )
        yield connection


def nearest(db, user, how_many):
    """The ids nearest to the question by brute force, and their cosines."""
    stored = rows(
        db,
        "select memory_id, embedding::vector::real[] as vector from aimemory.memory_vectors"
        " where user_id = %s and not cold",
        user,
    )
    matrix = np.array([row["vector"] for row in stored], dtype=np.float64)
    cosines = matrix @ QUESTION / np.linalg.norm(matrix, axis=1) / np.linalg.norm(QUESTION)
    best = np.argsort(-cosines)[:how_many]
    return [stored[i]["memory_id"] for i in best], cosines[best]


@pytest.mark.parametrize(("user", "wanted"), [(SMALL, 10), (SMALL, 60), (LARGE, 10), ("u7", 10)])
def test_the_nearest_are_exactly_the_nearest(crowd, user, wanted):
    expected, cosines = nearest(crowd, user, wanted)

    hits = recall(crowd, user=user, vector=QUESTION, max_results=wanted, profile_name="vectors")
    assert ids(hits) == expected
    assert [h["similarity"] for h in hits] == pytest.approx(cosines, abs=1e-3)


def live(owned, which):
    """How many of memories 1 to owned are not archived and of this kind."""
    return sum(1 for i in range(1, owned + 1) if i % 40 != 39 and which(i))


FILTERS = {
    "nothing": ({}, lambda i: True),
    "a narrow scope": ({"in_scopes": ["project:x"]}, lambda i: i <= IN_PROJECT[LARGE]),
    "a rare tag": ({"with_tags": ["rare"]}, lambda i: i % 100 == 0),
    "metadata": ({"metadata_filter": "$.i > 4990"}, lambda i: i > 4990),
    "a type": ({"of_types": ["event"]}, lambda i: i % 5 == 2),
    "all of them": (
        {
            "in_scopes": ["user"],
            "of_types": ["fact"],
            "with_tags": ["rare"],
            "metadata_filter": "$.i < 1000",
        },
        lambda i: i % 100 == 0 and i < 1000,
    ),
}


@pytest.mark.parametrize("filtered", FILTERS)
@pytest.mark.parametrize("wanted", [5, 60])
def test_no_filter_starves_the_vector_route(crowd, filtered, wanted):
    filters, which = FILTERS[filtered]
    hits = recall(
        crowd,
        user=LARGE,
        vector=QUESTION,
        max_results=wanted,
        profile_name="vectors",
        **filters,
    )

    assert len(hits) == min(wanted, live(OWNED[LARGE], which))


@pytest.mark.parametrize("user", [SMALL, LARGE])
def test_a_word_that_nearly_every_memory_has_finds_a_narrow_scope_whole(crowd, user):
    hits = recall(crowd, "user", user, in_scopes=["project:x"], max_results=50)

    # Every eighth sentence begins with 用户喜欢 instead of "user …".
    expected = live(IN_PROJECT[user], lambda i: i % 8 != 7)
    assert len(hits) == expected


def test_a_rare_word_finds_its_one_memory_among_all(crowd):
    for number in (17, 1249):
        (hit,) = recall(crowd, f"what was {number}?", SMALL)
        assert hit["content"].endswith(f" {number}")


def test_a_name_is_found_in_a_narrow_scope(crowd):
    hits = recall(crowd, "entity 5", LARGE, in_scopes=["project:x"], max_results=50)

    assert [h["matched_entities"] for h in hits] == [["entity 5/thing"]]
    hits = recall(crowd, "alias 5", LARGE, max_results=1000)
    assert len(hits) == live(OWNED[LARGE], lambda i: i % 50 == 5)


def test_chinese_words_are_found_among_english_ones(crowd):
    hits = recall(crowd, "我常去上海哪家咖啡馆？", LARGE, max_results=1000)

    assert len(hits) == live(OWNED[LARGE], lambda i: i % 40 // 8 == 2)
    assert all("上海咖啡馆" in content for content in contents(hits))


def test_the_archive_of_a_large_user_answers(crowd):
    hits = recall(crowd, "199", LARGE)

    assert [(h["content"].split()[-1], h["archived"]) for h in hits] == [("199", True)]


def test_a_vector_of_the_wrong_size_is_no_silent_miss(crowd):
    with pytest.raises(psycopg.Error, match="3 dimensions"), crowd.transaction():
        recall(crowd, user=SMALL, vector=at_cosine(1))
