"""check_recall: arguments that would quietly give a wrong answer."""

import pytest

from memories import MODEL, NOW, call, know_model, refused

FINE = {
    "for_user": "ann",
    "query_vector": None,
    "query_model": None,
    "max_results": 5,
    "entity_mode": "soft",
    "profile_name": "balanced",
    "as_of": NOW,
}


def check(db, **changed):
    call(db, "check_recall", **(FINE | changed))


@pytest.mark.parametrize(
    "wrong",
    [
        {"for_user": None},
        {"as_of": None},
        {"max_results": 0},
        {"max_results": -1},
        {"max_results": None},
        {"entity_mode": "Soft"},
        {"entity_mode": None},
        {"profile_name": "unknown"},
        {"profile_name": None},
        {"query_vector": "[0,0,0]"},
    ],
)
def test_a_wrong_argument_is_refused(db, wrong):
    know_model(db)

    with refused(db, "MM001"):
        check(db, **wrong)
    check(db)


@pytest.mark.parametrize(
    "wrong",
    [
        {"query_vector": "[1,0]"},
        {"query_vector": "[1,0]", "query_model": MODEL},
        {"query_vector": "[1,0,0]", "query_model": "unknown"},
        {"query_vector": "[1,0,0]", "query_model": "other"},
    ],
)
def test_a_vector_that_no_stored_one_can_be_compared_with_is_refused(db, wrong):
    know_model(db)
    know_model(db, "other", 2)

    with refused(db, "MM003"):
        check(db, **wrong)
    check(db, query_vector="[1,0,0]")
    check(db, query_vector="[1,0]", query_model="other")


def test_a_vector_is_refused_while_no_model_is_known(db):
    with refused(db, "MM003", "reembed"):
        check(db, query_vector="[1,0,0]")
