"""What the rest of the library asks of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[np.float32]
"""One dimension, float32, of length 1: a dot product of two is their cosine."""


@runtime_checkable
class Embedder(Protocol):
    """A model that turns text into vectors.

    Two more members are used where an embedder has them: ``max_tokens: int`` and
    ``token_count(text) -> int``. Both count everything the model reads, with its
    prefix and its special tokens; ``chunking`` estimates where they are missing.
    """

    @property
    def model(self) -> str:
        """Name stored beside every vector; vectors of two names never meet."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order, for texts that will be searched."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a text to search with."""
        ...
