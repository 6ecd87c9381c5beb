"""Servers that misbehave, seen through the real openai client."""

from __future__ import annotations

import os
import socket
import time

import numpy as np
import pytest

from aimemory.embedding import KnownModel, open_embedder
from aimemory.embedding.openai import MAX_CHARACTERS, MAX_INPUTS, OpenAIEmbedder
from aimemory.errors import EmbeddingFailed

THREE = KnownModel(name="three", dimensions=3, max_tokens=100)


@pytest.fixture
def fake(fake_server):
    """Return an embedder that asks the fake server and never retries."""
    return OpenAIEmbedder(
        "three", known=THREE, base_url=fake_server.base_url, api_key="any", max_retries=0
    )


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([1.0, float("nan"), 0.0], "NaN"),
        ([0.0, 0.0, 0.0], "only zeros"),
        ([1.0, 2.0], "2 dimensions, expected 3"),
        ([], "0 dimensions, expected 3"),
    ],
)
def test_an_unusable_vector_is_refused(fake, fake_server, vector, message):
    fake_server.answer([vector])
    with pytest.raises(EmbeddingFailed, match=message):
        fake.embed_query("text")


def test_fewer_vectors_than_texts_are_refused(fake, fake_server):
    fake_server.answer([[1.0, 0.0, 0.0]])
    with pytest.raises(EmbeddingFailed, match="1 vectors for 2 texts"):
        fake.embed_documents(["one", "two"])


def test_no_vectors_are_refused(fake, fake_server):
    fake_server.answer([])
    with pytest.raises(EmbeddingFailed, match="no embeddings"):
        fake.embed_query("text")


def test_vectors_are_put_in_the_order_of_their_index(fake, fake_server):
    fake_server.answer([[0, 1, 0], [1, 0, 0]], indexes=[1, 0])

    first, second = fake.embed_documents(["one", "two"])

    assert (first[0], second[1]) == (1, 1)


def test_two_vectors_with_one_index_are_refused(fake, fake_server):
    fake_server.answer([[0, 1, 0], [1, 0, 0]], indexes=[0, 0])
    with pytest.raises(EmbeddingFailed, match="numbered them wrongly"):
        fake.embed_documents(["one", "two"])


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "refused the API key .401.: check OPENAI_API_KEY"),
        (403, "refused the API key"),
        (404, "no model 'three', or OPENAI_BASE_URL is wrong"),
        (429, "rate limit or quota"),
        (400, "answered 400: .*input too long"),
        (500, "answered 500"),
    ],
)
def test_an_error_of_the_server_says_what_to_do(fake, fake_server, status, message):
    fake_server.reply = lambda body: (status, {"error": {"message": "input too long"}})
    with pytest.raises(EmbeddingFailed, match=message) as caught:
        fake.embed_query("text")
    assert fake_server.base_url in str(caught.value)


def test_an_answer_that_is_not_of_the_api_is_an_embedding_failure(fake, fake_server):
    fake_server.reply = lambda body: (200, {"hello": "world"})
    with pytest.raises(EmbeddingFailed):
        fake.embed_query("text")


def test_a_refused_connection_says_where(monkeypatch):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://user:secret@127.0.0.1:{probe.getsockname()[1]}/v1"
    embedder = OpenAIEmbedder("three", known=THREE, base_url=url, api_key="any", max_retries=0)
    with pytest.raises(EmbeddingFailed, match=r"127\.0\.0\.1:\d+/v1 cannot be reached") as caught:
        embedder.embed_query("text")
    assert "secret" not in str(caught.value)


def test_a_silent_server_is_given_up_after_the_timeout(fake_server):
    fake_server.reply = lambda body: time.sleep(0.5) or fake_server.embeddings([[1, 0, 0]])
    embedder = OpenAIEmbedder(
        "three",
        known=THREE,
        base_url=fake_server.base_url,
        api_key="any",
        timeout=0.1,
        max_retries=0,
    )
    with pytest.raises(EmbeddingFailed, match=r"no answer within 0\.1 s"):
        embedder.embed_query("text")


def test_the_client_retries_what_passes(fake_server):
    answers = iter([(500, {}), fake_server.embeddings([[1, 0, 0]])])
    fake_server.reply = lambda body: next(answers)
    embedder = OpenAIEmbedder("three", known=THREE, base_url=fake_server.base_url, api_key="any")

    assert embedder.embed_query("text")[0] == 1


def test_many_texts_are_sent_in_requests_that_servers_accept(fake, fake_server):
    def numbered(body):
        return fake_server.embeddings([[float(text), 1, 0] for text in body["input"]])

    fake_server.reply = numbered

    vectors = fake.embed_documents([str(number) for number in range(600)])

    assert [len(request["input"]) for request in fake_server.requests] == [
        MAX_INPUTS,
        MAX_INPUTS,
        88,
    ]
    expected = [number / np.hypot(number, 1) for number in range(600)]
    np.testing.assert_allclose([vector[0] for vector in vectors], expected, rtol=1e-5)


def test_long_texts_are_spread_over_requests(fake, fake_server):
    fake.embed_documents(["a" * (MAX_CHARACTERS // 2)] * 3 + ["b" * (MAX_CHARACTERS + 1)])

    assert [len(request["input"]) for request in fake_server.requests] == [2, 1, 1]


def test_prefixes_and_input_types_of_a_known_model_are_sent(fake_server):
    known = KnownModel(
        name="three",
        dimensions=3,
        max_tokens=100,
        query_prefix="query: ",
        document_prefix="passage: ",
        query_input_type="search_query",
        document_input_type="search_document",
    )
    embedder = OpenAIEmbedder(
        "alias", known=known, base_url=fake_server.base_url, api_key="any", dimensions=3
    )
    embedder.embed_query("cat")
    embedder.embed_documents(["dog"])

    sent = [
        (request["model"], request["input"], request["input_type"], request["dimensions"])
        for request in fake_server.requests
    ]
    assert sent == [
        ("alias", ["query: cat"], "search_query", 3),
        ("alias", ["passage: dog"], "search_document", 3),
    ]


def test_the_size_of_an_unknown_model_is_asked_once(fake_server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", fake_server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "any")

    embedder = open_embedder("openai:nobody-knows-me")

    assert embedder.dimensions == 3
    assert embedder.model == "nobody-knows-me"
    assert len(fake_server.requests) == 1


def test_a_known_model_is_opened_without_the_server(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "any")

    assert open_embedder("openai:text-embedding-3-large").dimensions == 3072
    assert open_embedder("openai:text-embedding-3-large", dimensions=1024).dimensions == 1024


def test_a_missing_key_is_asked_for_by_name(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbeddingFailed, match="set OPENAI_API_KEY"):
        open_embedder("openai:text-embedding-3-small")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_opens_connections_of_its_own(fake, monkeypatch):
    fake.embed_query("text")
    parents = fake._connection.client

    monkeypatch.setattr(os, "getpid", lambda: -1)
    fake.embed_query("text")

    assert fake._connection.client is not parents
