"""What every text and every vector must pass, whichever model is used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aimemory.embedding.protocol import Vector
from aimemory.errors import EmbeddingFailed, InvalidInput


def readable(texts: Sequence[str]) -> list[str]:
    """Return the texts as every model can take them; refuse blank ones.

    NUL becomes a space, because C libraries end the text there and would leave the
    rest unread. Halves of a surrogate pair are joined, lone ones become U+FFFD,
    because neither JSON nor a tokenizer can encode them.
    """
    if isinstance(texts, str):
        raise InvalidInput("texts must be a list of texts; one string would be read by character")
    return [_readable(text, position) for position, text in enumerate(texts)]


def _readable(text: str, position: int) -> str:
    text = text.replace("\0", " ")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if not text.strip():
        raise InvalidInput(f"text {position} is blank: there is no meaning to embed")
    return text


def checked(vectors: npt.ArrayLike, *, model: str, dimensions: int, count: int) -> list[Vector]:
    """Return the vectors as float32 of length 1, or raise EmbeddingFailed.

    Refused: a wrong number of vectors, a wrong number of dimensions, NaN, infinity,
    and a vector of only zeros, which has no direction and matches nothing.
    """
    try:
        matrix = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbeddingFailed(
            f"{model} returned vectors of unequal length or no numbers"
        ) from error
    found = len(matrix) if matrix.ndim else 0
    if found != count:
        raise EmbeddingFailed(f"{model} returned {found} vectors for {count} texts")
    if count == 0:
        return []
    if matrix.shape != (count, dimensions):
        size = "x".join(str(length) for length in matrix.shape[1:])
        raise EmbeddingFailed(
            f"{model} returned {size} dimensions, expected {dimensions}: "
            "check the model name, or open it with the right `dimensions`"
        )
    if not np.isfinite(matrix).all():
        raise EmbeddingFailed(
            f"{model} returned NaN or infinity: the model or its server is broken"
        )
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not norms.all() or not np.isfinite(norms).all():
        raise EmbeddingFailed(f"{model} returned a vector of only zeros, or one too long to scale")
    # A copy of each row: a view would keep the whole batch in memory with it.
    return [row.astype(np.float32) for row in matrix / norms]
