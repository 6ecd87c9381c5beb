from __future__ import annotations

import numpy as np
import pytest

from aimemory.embedding import checked
from aimemory.errors import EmbeddingFailed


def check(vectors, count=1):
    return checked(vectors, model="some-model", dimensions=3, count=count)


def test_vectors_are_scaled_to_length_one():
    [vector] = check([[3, 0, 4]])

    np.testing.assert_allclose(vector, [0.6, 0, 0.8], rtol=1e-6)
    assert vector.dtype == np.float32


def test_a_huge_vector_does_not_overflow_float32():
    [vector] = check([[1e100, 0, 0]])

    np.testing.assert_allclose(vector, [1, 0, 0])


def test_a_row_does_not_keep_its_batch_in_memory():
    assert all(vector.base is None for vector in check([[1, 0, 0], [0, 1, 0]], count=2))


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1, 2]], "2 dimensions, expected 3"),
        ([[1, 2, 3, 4]], "4 dimensions, expected 3"),
        ([[[1, 2, 3]]], "expected 3"),
        ([1.0], "expected 3"),
        ([[1, 2, 3], [1, 2, 3]], "2 vectors for 1 texts"),
        ([], "0 vectors for 1 texts"),
        ([[1, float("nan"), 3]], "NaN"),
        ([[1, float("inf"), 3]], "NaN or infinity"),
        ([[0, 0, 0]], "only zeros"),
        ([["a", "b", "c"]], "no numbers"),
        ([[None, 1, 2]], "some-model"),
        (None, "some-model"),
    ],
)
def test_a_vector_that_would_match_nothing_or_everything_is_refused(vectors, message):
    with pytest.raises(EmbeddingFailed, match=message):
        check(vectors)


def test_vectors_of_unequal_length_are_refused():
    with pytest.raises(EmbeddingFailed, match="unequal length"):
        check([[1, 2, 3], [1, 2]], count=2)
