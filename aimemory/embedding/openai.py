"""Any server that speaks the OpenAI embeddings API, through the official client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from aimemory.embedding.checks import checked, readable
from aimemory.embedding.chunking import CHUNK_TOKENS
from aimemory.embedding.known_models import KnownModel, known_model
from aimemory.embedding.protocol import Vector
from aimemory.errors import EmbeddingFailed
from aimemory.openai_client import OpenAIConnection

if TYPE_CHECKING:
    import openai

# OpenAI takes 2048 inputs and 300 000 tokens per request, smaller servers far less.
MAX_INPUTS = 256
MAX_CHARACTERS = 100_000


class OpenAIEmbedder:
    """A model behind HTTP.

    ``base_url`` and ``api_key`` default to OPENAI_BASE_URL and OPENAI_API_KEY, as the
    client reads them. ``dimensions`` asks the server for shorter vectors. ``known``
    replaces what the table says about prefixes, limits and input types. The size of
    a model that is neither known nor given is found out by embedding one word, so
    opening it needs the server.
    """

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        known: KnownModel | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
    ) -> None:
        self._requested_model = model
        self._requested_dimensions = dimensions
        self._known = known or known_model(model)
        self._options = {
            "base_url": base_url,
            "api_key": api_key,
            "timeout": timeout,
            "max_retries": max_retries,
        }
        self._connection = OpenAIConnection(self._options, EmbeddingFailed)
        self.model = self._known.name if self._known else model
        self.max_tokens = self._known.max_tokens if self._known else CHUNK_TOKENS
        expected = dimensions or (self._known.dimensions if self._known else None)
        self.dimensions = expected or len(self._request(["size"], None)[0])

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        known = self._known
        prefix = known.document_prefix if known else ""
        return self._embed(texts, prefix, known.document_input_type if known else None)

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a text to search with."""
        known = self._known
        prefix = known.query_prefix if known else ""
        return self._embed([text], prefix, known.query_input_type if known else None)[0]

    def _embed(self, texts: Sequence[str], prefix: str, input_type: str | None) -> list[Vector]:
        prefixed = [prefix + text for text in readable(texts)]
        vectors: list[list[float]] = []
        for batch in _batches(prefixed):
            vectors += self._request(batch, input_type)
        return checked(vectors, model=self.model, dimensions=self.dimensions, count=len(prefixed))

    def _request(self, batch: list[str], input_type: str | None) -> list[list[float]]:
        import openai

        options: dict[str, Any] = {}
        if self._requested_dimensions is not None:
            options["dimensions"] = self._requested_dimensions
        if input_type is not None:
            options["extra_body"] = {"input_type": input_type}
        client = self._connection.client
        try:
            answer = client.embeddings.create(model=self._requested_model, input=batch, **options)
        except openai.OpenAIError as error:
            raise self._failure(error) from error
        except ValueError as error:  # The client's own: no data, or no JSON, in the answer.
            raise EmbeddingFailed(
                f"{self._connection.address} sent no embeddings: {error}"
            ) from error
        data = getattr(answer, "data", None) or []
        by_index = {item.index: item.embedding for item in data}
        if len(data) != len(batch) or sorted(by_index) != list(range(len(batch))):
            raise EmbeddingFailed(
                f"{self._connection.address} returned {len(data)} vectors for {len(batch)} texts, "
                "or numbered them wrongly: it cannot be told which belongs to which"
            )
        return [by_index[position] for position in range(len(batch))]

    def _failure(self, error: openai.OpenAIError) -> EmbeddingFailed:
        """Say what happened and what to do about it."""
        import openai

        where = self._connection.address
        match error:
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                advice = f"refused the API key ({error.status_code}): check OPENAI_API_KEY"
            case openai.NotFoundError():
                advice = (
                    f"answered 404: either it has no model {self._requested_model!r}, or "
                    "OPENAI_BASE_URL is wrong (most end with /v1)"
                )
            case openai.RateLimitError():
                advice = f"answered 429, rate limit or quota reached, try later: {error.message}"
            case openai.APIStatusError():
                advice = f"answered {error.status_code}: {error.message}"
            case openai.APITimeoutError():
                advice = f"gave no answer within {self._options['timeout']:g} s: try again"
            case openai.APIConnectionError():
                advice = (
                    f"cannot be reached ({error.__cause__ or error}): "
                    "is the server running, and is OPENAI_BASE_URL right?"
                )
            case _:
                advice = f"failed: {error}"
        return EmbeddingFailed(f"{where} {advice}")


def _batches(texts: list[str]) -> Iterator[list[str]]:
    """Divide the texts into requests that a server accepts; a huge text goes alone."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == MAX_INPUTS or characters + len(text) > MAX_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch
