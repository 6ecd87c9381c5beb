"""Turn text into vectors: one protocol, three adapters, and what all of them need.

Importing this package loads no model and no model library; opening an embedder
does. Embedding may take seconds, so never hold a database connection meanwhile.

Everything here is synchronous and safe to call from several threads. Async code
awaits ``asyncio.to_thread(embed_document_chunks, embedder, texts)``: a local model
needs the thread anyway, and the pooled connections of a synchronous client outlive
the event loop, which those of an asynchronous one do not.
"""

from aimemory.embedding.calibration import Calibration, measure, measure_scripts, shipped_pairs
from aimemory.embedding.checks import checked, readable
from aimemory.embedding.chunking import chunks, embed_document_chunks
from aimemory.embedding.known_models import KnownModel, known_model, known_models
from aimemory.embedding.language import reads, unreadable_share
from aimemory.embedding.opening import open_embedder
from aimemory.embedding.protocol import Embedder, Vector

__all__ = [
    "Calibration",
    "Embedder",
    "KnownModel",
    "Vector",
    "checked",
    "chunks",
    "embed_document_chunks",
    "known_model",
    "known_models",
    "measure",
    "measure_scripts",
    "open_embedder",
    "readable",
    "reads",
    "shipped_pairs",
    "unreadable_share",
]
