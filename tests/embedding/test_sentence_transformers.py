"""MiniLM from a local folder. Heavy: needs torch."""

from __future__ import annotations

import socket

import pytest

from aimemory.embedding import known_model, measure, open_embedder, unreadable_share
from aimemory.errors import EmbeddingFailed

pytestmark = pytest.mark.heavy


def test_minilm_cannot_tell_chinese_cats_from_dogs_and_says_so(minilm):
    cat, dog = minilm.embed_documents(["我喜欢猫", "我喜欢狗"])

    assert cat @ dog == pytest.approx(1, abs=1e-6)
    assert unreadable_share(minilm, "我喜欢猫") >= 0.5
    assert unreadable_share(minilm, "I like cats 🐈") < 0.2


def test_a_folder_is_loaded_without_asking_the_hub(minilm_folder, monkeypatch):
    def refused(*arguments):
        raise AssertionError(f"connected to {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refused)
    embedder = open_embedder(f"sentence-transformers:{minilm_folder}")
    assert embedder.dimensions == 384


def test_a_known_folder_has_the_models_full_name(minilm):
    assert minilm.model == "sentence-transformers/all-MiniLM-L6-v2"
    assert minilm.max_tokens == 256 == known_model(minilm.model).max_tokens


def test_folders_called_model_are_told_apart(minilm_folder, tmp_path):
    for owner in ["mine", "yours"]:
        (tmp_path / owner).mkdir()
        (tmp_path / owner / "model").symlink_to(minilm_folder)

    names = [
        open_embedder(f"sentence-transformers:{tmp_path / owner / 'model'}").model
        for owner in ["mine", "yours"]
    ]

    assert names == ["mine/model", "yours/model"]


@pytest.mark.parametrize("folder", ["/no/such/folder", "./no-such-folder"])
def test_a_missing_folder_is_not_looked_for_on_the_hub(folder):
    with pytest.raises(EmbeddingFailed, match="no folder"):
        open_embedder(f"sentence-transformers:{folder}")


def test_a_folder_without_a_model_is_an_embedding_failure(tmp_path):
    with pytest.raises(EmbeddingFailed, match="cannot load"):
        open_embedder(f"sentence-transformers:{tmp_path}")


def test_the_prompts_of_a_models_own_configuration_are_used(minilm_folder, tmp_path):
    folder = tmp_path / "prompted"
    folder.mkdir()
    for file in minilm_folder.iterdir():
        if file.name != "config_sentence_transformers.json":
            (folder / file.name).symlink_to(file)
    (folder / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "Question: ", "document": "Memory: "}}'
    )
    prompted = open_embedder(f"sentence-transformers:{folder}")
    plain = open_embedder(f"sentence-transformers:{minilm_folder}")

    assert prompted.embed_query("tea") @ plain.embed_query("Question: tea") > 0.9999
    assert prompted.embed_documents(["tea"])[0] @ plain.embed_query("Memory: tea") > 0.9999
    assert prompted.token_count("tea") > plain.token_count("tea")


def test_the_table_holds_what_the_shipped_english_pairs_give(minilm):
    result = measure(minilm)

    known = known_model(minilm.model)
    assert result.matches == 30
    assert (result.floor, result.ceiling) == pytest.approx(known.scales["other"], abs=0.005)
