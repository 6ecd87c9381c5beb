"""recall from cold storage: only when nothing live answers, and at half weight."""

import pytest

from memories import DAY, NOW, at_cosine, call, contents, erase, recall, remember

LATER = NOW + 60 * DAY


@pytest.fixture
def archived(db):
    """Remember something and archive it at once."""

    def make(content, because="faded", **named):
        memory = remember(db, content, **({"with_importance": 0.8} | named))
        call(db, "archive_memory", for_user="ann", target=memory, because=because, as_of=NOW)
        return memory

    return make


def test_the_archive_answers_when_nothing_live_does(db, archived):
    memory = archived("上个月失眠，医生开了褪黑素", as_type="state", vector=at_cosine(0.9))
    remember(db, "在杭州上班", vector=at_cosine(0))

    (hit,) = recall(db, "褪黑素还能吃吗", vector=at_cosine(1), at=LATER)
    assert hit["memory_id"] == memory
    assert (hit["archived"], hit["routes"]) == (True, ["archive"])
    assert (hit["vector_rank"], hit["keyword_rank"], hit["entity_rank"]) == (None, None, None)


def test_one_live_answer_keeps_the_archive_shut(db, archived):
    archived("plays the cello every day", vector=at_cosine(1))
    remember(db, "bought a cello", vector=at_cosine(0.31))

    hits = recall(db, "cello", vector=at_cosine(1), at=LATER)
    assert [(h["content"], h["archived"]) for h in hits] == [("bought a cello", False)]


def test_an_archived_memory_scores_half_of_its_parts(db, archived):
    archived("plays the cello", as_type="preference", vector=at_cosine(0.9), with_importance=0.7)
    (hit,) = recall(db, vector=at_cosine(1), at=LATER)

    whole = (
        0.9 * 0.8 / 0.9 * hit["similarity"]
        + 0.2 * 0.5**2
        - 0.05 * (1 - 0.95**60)
        + 0.05 * 0.7 * 0.95**60
    )
    assert hit["score"] == pytest.approx(whole / 2, abs=1e-9)
    assert (hit["similarity"], hit["keyword"]) == (pytest.approx(0.9, abs=1e-3), 0)


def test_a_use_before_archiving_still_counts(db):
    memory = remember(db, "plays the cello", as_type="preference", with_importance=0.7)
    call(db, "touch_memories", for_user="ann", targets=[memory], as_of=NOW + 50 * DAY)
    call(db, "archive_memory", for_user="ann", target=memory, as_of=NOW + 55 * DAY)
    (hit,) = recall(db, "cello", at=LATER)

    assert hit["forgetting"] == pytest.approx(1 - 0.95**10, abs=1e-9)
    assert hit["effective_importance"] == pytest.approx(0.7 * 0.95**10, abs=1e-9)


def test_words_alone_and_names_alone_reach_the_archive(db, archived):
    archived("plays the cello")
    archived("zzz", about=["Miso/pet"])

    assert contents(recall(db, "who plays the cello?", at=LATER)) == ["plays the cello"]
    assert contents(recall(db, "Miso?", at=LATER)) == ["zzz"]


def test_words_that_all_fit_count_as_one_and_half_of_them_less(db, archived):
    archived("plays the cello")
    archived("plays chess")

    hits = recall(db, "plays cello", at=LATER)
    assert contents(hits) == ["plays the cello", "plays chess"]
    assert hits[0]["keyword"] == pytest.approx(1, abs=1e-9)
    assert 0 < hits[1]["keyword"] < 0.5


def test_what_never_mattered_much_does_not_come_back(db, archived):
    archived("plays the cello badly", with_importance=0.49)
    archived("plays the cello well", with_importance=0.5)

    assert contents(recall(db, "cello", at=LATER)) == ["plays the cello well"]


@pytest.mark.parametrize("because", ["superseded", "manual", "faded"])
def test_what_was_replaced_never_comes_back(db, because):
    old = remember(db, "lives in Berlin", in_slot="city", with_importance=0.9)
    new = remember(db, "lives in Paris", in_slot="city", with_importance=0.9)
    call(db, "archive_memory", for_user="ann", target=old, because=because)
    erase(db, new)

    assert recall(db, "lives in Berlin", at=LATER) == []


def test_what_was_replaced_while_in_the_archive_never_comes_back(db, archived):
    archived("drinks americano", in_slot="coffee", with_importance=0.9)
    remember(db, "drinks latte", in_slot="coffee")

    assert contents(recall(db, "drinks americano", at=LATER)) == ["drinks latte"]
    assert recall(db, "americano", at=LATER) == []


def test_what_was_true_before_a_change_is_known_after_upkeep_has_archived_it(db):
    old = remember(db, "lives in Berlin", in_slot="city", at=NOW)
    remember(db, "lives in Paris", in_slot="city", at=NOW + 9 * DAY)
    call(db, "archive_memory", for_user="ann", target=old, because="superseded", as_of=LATER)

    seen = [contents(recall(db, "lives in", at=NOW + days * DAY)) for days in (-1, 8, 9, 90)]
    assert seen == [[], ["lives in Berlin"], ["lives in Paris"], ["lives in Paris"]]


def test_filters_and_time_hold_for_the_archive_too(db, archived):
    archived(
        "plays the cello",
        in_scope="project:x",
        with_tags=["music"],
        true_until=LATER,
        with_metadata={"n": 5},
    )

    def found(at=LATER - DAY, **filters):
        return len(recall(db, "cello", at=at, **filters))

    assert found() == 1
    assert found(in_scopes=["project:x"], with_tags=["music"], metadata_filter="$.n == 5") == 1
    assert found(in_scopes=["user"]) == 0
    assert found(of_types=["event"]) == 0
    assert found(with_tags=["work"]) == 0
    assert found(metadata_filter="$.n == 6") == 0
    assert found(at=LATER) == 0
    assert found(at=NOW - DAY) == 0


def test_what_is_far_in_meaning_or_shares_too_few_words_stays_in_the_archive(db, archived):
    archived("plays the cello", vector=at_cosine(0.2))

    assert recall(db, vector=at_cosine(1), at=LATER) == []
    assert recall(db, "zebra giraffe lion tiger panther cheetah cello", at=LATER) == []
    assert recall(db, vector=at_cosine(1), at_least=0.1, at=LATER) != []


def test_a_homonym_stays_in_the_archive(db, archived):
    archived("用户的猫叫年糕", about=["年糕/pet"], vector=at_cosine(0.9))

    def found(given, mode="soft"):
        return len(
            recall(
                db,
                "炒年糕",
                vector=at_cosine(1),
                query_entities=[given],
                entity_mode=mode,
                at=LATER,
            )
        )

    assert found("年糕/food") == 0
    assert found("年糕/pet") == 1
    assert found("年糕/food", "off") == 1


def test_in_hard_mode_a_name_in_the_archive_shuts_the_gate_there(db, archived):
    archived("vomits often", about=["Miso/pet"], vector=at_cosine(0.5))
    archived("the vet", vector=at_cosine(0.9))

    def found(question, mode):
        return contents(recall(db, question, vector=at_cosine(1), entity_mode=mode, at=LATER))

    assert found("Miso?", "hard") == ["vomits often"]
    assert found("Rex?", "hard") == ["the vet", "vomits often"]
    assert found("Miso?", "soft") == ["the vet", "vomits often"]


def test_archived_vectors_too_large_for_an_index_entry_are_searched_too(db, archived):
    archived("plays the cello", vector=[1.0] * 3000)

    (hit,) = recall(db, vector=[1.0] * 3000, at=LATER)
    assert hit["similarity"] == pytest.approx(1, abs=1e-3)


def test_only_the_best_of_the_archive_come(db, archived):
    for number in range(8):
        archived(f"cello {number}", vector=at_cosine(0.5 + number / 20))

    hits = recall(db, "cello", vector=at_cosine(1), max_results=3, at=LATER)
    assert contents(hits) == ["cello 7", "cello 6", "cello 5"]


def test_a_cold_hit_brings_its_history(db, archived):
    remember(db, "version 0", in_slot="s", at=NOW - DAY)
    archived("version 1", in_slot="s")

    (hit,) = recall(db, "version 1", at=LATER)
    assert [link["content"] for link in hit["history"]] == ["version 0"]
