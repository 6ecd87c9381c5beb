"""Embedders for tests: the real one, and wrappers that make it slow or unreachable."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aimemory.embedding import Embedder, Vector
from aimemory.errors import EmbeddingFailed


class Watched:
    """The real model, with something to do before every call, under a name of choice."""

    def __init__(
        self,
        inner: Embedder,
        before: Callable[[], None] = lambda: None,
        *,
        model: str | None = None,
    ) -> None:
        self._inner = inner
        self._before = before
        self.model = model or inner.model
        self.dimensions = inner.dimensions

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self._before()
        return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        self._before()
        return self._inner.embed_query(text)


class Unreachable(Watched):
    """A model whose service is down until `back` is set."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner, self._refuse)
        self.back = False

    def _refuse(self) -> None:
        if not self.back:
            raise EmbeddingFailed("connection refused")
