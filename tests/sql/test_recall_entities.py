"""recall by names: what a question names decides what may answer."""

import pytest

from memories import DAY, NOW, at_cosine, call, contents, recall, remember


@pytest.fixture
def zoo(db):
    """Miso the cat, a note that is near in meaning, and one that is nearer."""
    remember(db, "Miso is three years old", about=["Miso/pet"], vector=at_cosine(0.1))
    remember(db, "likes vets", vector=at_cosine(0.5))
    remember(db, "the vet is in Main Street", vector=at_cosine(0.6))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("hard", {"Miso is three years old"}),
        # 0.55 without the name in common passes as well.
        ("soft", {"Miso is three years old", "the vet is in Main Street"}),
        # Without the gate meaning decides alone, here with words of one sort or another.
        ("off", {"Miso is three years old", "the vet is in Main Street", "likes vets"}),
    ],
)
def test_a_known_name_shuts_the_gate_as_far_as_the_mode_says(db, zoo, mode, expected):
    hits = recall(db, "How is Miso?", vector=at_cosine(1), entity_mode=mode)

    assert set(contents(hits)) == expected


def test_words_pass_the_gate_only_when_they_are_most_of_the_question(db):
    remember(db, "sleeps", about=["Miso"])
    remember(db, "the vet of the town in Main Street")
    remember(db, "vet")

    # The words miso, vet, main and street weigh about the same: three quarters and a quarter.
    hits = recall(db, "Miso vet Main Street?")
    assert set(contents(hits)) == {"sleeps", "the vet of the town in Main Street"}


@pytest.mark.parametrize("mode", ["off", "soft", "hard"])
def test_without_a_known_name_there_is_no_gate(db, zoo, mode):
    hits = recall(db, "How is Rex?", vector=at_cosine(1), entity_mode=mode)

    assert contents(hits) == ["the vet is in Main Street", "likes vets"]


def test_a_known_entity_answers_with_no_word_and_no_meaning_in_common(db):
    remember(db, "vomited yesterday", about=["Miso"], vector=at_cosine(-0.9))
    (hit,) = recall(db, "Miso?", vector=at_cosine(1))

    assert (hit["routes"], hit["matched_entities"], hit["entity_rank"]) == (["entity"], ["miso"], 1)


@pytest.mark.parametrize(
    ("stored", "given", "found"),
    [
        ("年糕/pet", ["年糕/pet"], True),
        ("年糕/pet", ["年糕"], True),
        ("年糕", ["年糕/pet"], True),
        ("年糕/pet", ["年糕/food"], False),
        ("年糕/pet", ["年糕/food", "年糕/pet"], True),
        ("GitHub Actions/tool", ["github  actions/TOOL"], True),
        ("方案B", ["方案 b"], True),
        ("Node.js", ["node js"], True),
        ("a" * 200, ["a" * 200], True),
    ],
)
def test_a_name_given_finds_what_has_it_and_not_its_homonym(db, stored, given, found):
    remember(db, "用户的猫", about=[stored], vector=at_cosine(0.9))
    hits = recall(db, "晚上吃什么", vector=at_cosine(1), query_entities=given)

    assert bool(hits) is found


def test_fried_rice_cakes_are_not_the_cat_of_that_name(db):
    remember(db, "用户的猫叫年糕", about=["年糕/pet"], vector=at_cosine(0.7))
    remember(db, "用户做菜喜欢清淡，不爱炒年糕", about=["年糕/food"], vector=at_cosine(0.7))
    question = {"question": "晚上想炒年糕吃", "vector": at_cosine(1)}

    assert contents(recall(db, **question, query_entities=["年糕/food"])) == [
        "用户做菜喜欢清淡，不爱炒年糕"
    ]
    assert contents(recall(db, **question, query_entities=["年糕/pet"])) == ["用户的猫叫年糕"]
    assert len(recall(db, **question, query_entities=["年糕/food"], entity_mode="off")) == 2


def test_a_name_that_begins_another_one_is_not_it(db):
    remember(db, "likes sushi", about=["Ann"])
    remember(db, "likes pasta", about=["Anna"])
    remember(db, "likes pizza", about=["Ann Lee"])

    assert contents(recall(db, "what about ann", query_entities=["Ann"])) == ["likes sushi"]
    assert contents(recall(db, "what does Anna want?")) == ["likes pasta"]
    assert set(contents(recall(db, "what does Ann Lee want?"))) == {"likes sushi", "likes pizza"}


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("年糕/pet", "年糕昨天吐了怎么办"),
        ("GitHub Actions/tool", "我们的GitHub Actions又挂了"),
        ("方案B", "方案b还要改吗"),
        ("C++/language", "怎么学C++"),
        ("O'Brien/person", "When does O'Brien arrive?"),
        ("上海/place", "去上海怎么走"),
        ("🐱", "🐱怎么了"),
    ],
)
def test_a_name_in_the_question_is_found_without_being_given(db, name, question):
    remember(db, "zzz", about=[name])
    (hit,) = recall(db, question)

    assert (hit["content"], hit["routes"]) == ("zzz", ["entity"])


def test_when_names_are_given_those_in_the_question_are_not_looked_for(db):
    remember(db, "zzz", about=["Miso"])
    remember(db, "yyy", about=["Rex"])

    assert contents(recall(db, "Miso or Rex?", query_entities=["Rex"])) == ["yyy"]
    assert recall(db, "Miso or Rex?", query_entities=[]) == []


def test_an_alias_leads_to_the_entity_and_to_its_kind(db):
    remember(db, "用户的父亲有高血压病史", about=["父亲/person"])
    remember(db, "zzz", about=["父亲/song"])
    assert recall(db, "想给老头子买个按摩椅") == []

    call(db, "set_alias", for_user="ann", other_name="老头子", of_entity="父亲/person")
    assert contents(recall(db, "想给老头子买个按摩椅")) == ["用户的父亲有高血压病史"]
    assert contents(recall(db, "按摩椅", query_entities=["老头子"])) == ["用户的父亲有高血压病史"]


def test_an_alias_of_one_user_means_nothing_to_another(db):
    remember(db, "has high blood pressure", "bob", about=["father"])
    call(db, "set_alias", for_user="ann", other_name="pops", of_entity="father")

    assert recall(db, "how is pops", "bob") == []


def test_more_names_in_common_rank_higher_than_a_rarer_one(db):
    remember(db, "rare", about=["Felix"])
    remember(db, "both", about=["Miso", "Rex"])
    for number in range(40):
        remember(db, f"other {number}", about=["Miso" if number % 2 else "Rex"])
    hits = recall(db, "Do Miso, Rex and Felix get along?", max_results=50)

    ranks = {h["content"]: h["entity_rank"] for h in hits}
    assert (ranks["both"], ranks["rare"], len(ranks)) == (1, 2, 42)
    both = next(h for h in hits if h["content"] == "both")
    assert both["matched_entities"] == ["miso", "rex"]


def test_a_name_known_only_in_the_future_shuts_no_gate(db):
    remember(db, "Miso is three", about=["Miso"], at=NOW + DAY)
    remember(db, "the vet", vector=at_cosine(0.5))

    assert contents(recall(db, "Miso?", vector=at_cosine(1))) == ["the vet"]


def test_a_name_known_only_in_another_scope_shuts_no_gate(db):
    remember(db, "Miso is three", about=["Miso"], in_scope="project:x")
    remember(db, "the vet", vector=at_cosine(0.5))

    assert contents(recall(db, "Miso?", vector=at_cosine(1), in_scopes=["user"])) == ["the vet"]
