"""shared_entities: the same name, unless the kinds say that it is another thing."""

import pytest

from memories import call


@pytest.mark.parametrize(
    ("of_memory", "of_question", "names", "homonym"),
    [
        (["年糕/pet"], ["年糕/pet"], ["年糕/pet"], False),
        (["年糕/pet"], ["年糕"], ["年糕/pet"], False),
        (["年糕"], ["年糕/pet"], ["年糕"], False),
        (["年糕/pet"], ["年糕/food"], [], True),
        (["年糕/pet"], ["炒年糕/food"], [], False),
        (["炒年糕"], ["年糕"], [], False),
        (["python/language", "csv"], ["python/animal", "csv"], ["csv"], False),
        (["python/language", "ann"], ["python/animal"], [], True),
        # Asked for both things of that name: then it is one of them.
        (["年糕/pet"], ["年糕/food", "年糕/pet"], ["年糕/pet"], False),
        (["b", "a", "c"], ["c", "a"], ["a", "c"], False),
        ([], ["a"], [], False),
        (["a"], [], [], False),
        (["a"], None, [], False),
        (None, ["a"], [], False),
    ],
)
def test_what_a_question_and_a_memory_share(db, of_memory, of_question, names, homonym):
    assert call(db, "shared_entities", of_memory=of_memory, of_question=of_question) == [
        {"names": names, "homonym": homonym}
    ]
