"""Any sentence-transformers model, by its name on the hub or in a local folder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from aimemory.embedding.checks import checked, readable
from aimemory.embedding.known_models import KnownModel, known_model
from aimemory.embedding.protocol import Vector
from aimemory.errors import EmbeddingFailed, MissingDependency

BATCH = 32


class SentenceTransformersEmbedder:
    """A model that runs here, with torch.

    A folder is loaded without asking the hub anything. A known model gets its
    prefixes from the table, any other from the prompts in its own configuration.
    ``known`` replaces what the table says.
    """

    def __init__(self, name_or_folder: str, *, known: KnownModel | None = None) -> None:
        folder = Path(name_or_folder).expanduser().absolute()
        self._transformer: Any = _load(name_or_folder, folder)
        known = known or known_model(folder.name if folder.is_dir() else name_or_folder)
        prompts = self._transformer.prompts or {}
        self._query_prompt = (known and known.query_prefix) or prompts.get("query") or ""
        self._document_prompt = (
            (known and known.document_prefix)
            or prompts.get("document")
            or prompts.get("passage")
            or ""
        )
        if known:
            self.model = known.name
        elif folder.is_dir():
            # Many folders are called "model": two parts of the path tell them apart.
            self.model = "/".join(folder.parts[-2:])
        else:
            self.model = name_or_folder
        self.dimensions = int(self._transformer.get_embedding_dimension())
        self.max_tokens = int(self._transformer.max_seq_length or 512)
        self._waiting = threading.Lock()
        self._running = threading.Lock()

    def token_count(self, text: str) -> int:
        """Count the tokens of a document, with its prefix and its special tokens."""
        return len(self._tokenize(self._document_prompt + text)["input_ids"])

    def unreadable_share(self, text: str) -> float:
        """Return the share of characters that become the tokenizer's unknown token."""
        unknown = self._transformer.tokenizer.unk_token_id
        tokens = self._tokenize(text, add_special_tokens=False, return_offsets_mapping=True)
        unread: int = sum(
            end - start
            for token, (start, end) in zip(
                tokens["input_ids"], tokens["offset_mapping"], strict=True
            )
            if token == unknown
        )
        return unread / max(1, sum(not char.isspace() for char in text))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        return self._embed(texts, self._transformer.encode_document, self._document_prompt)

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a text to search with."""
        return self._embed([text], self._transformer.encode_query, self._query_prompt)[0]

    def _embed(self, texts: Sequence[str], encode: Callable[..., Any], prompt: str) -> list[Vector]:
        texts = readable(texts)
        batches = []
        for start in range(0, len(texts), BATCH):
            with self._turn():
                batches.append(
                    encode(texts[start : start + BATCH], prompt=prompt, show_progress_bar=False)
                )
        return checked(
            np.concatenate(batches) if batches else [],
            model=self.model,
            dimensions=self.dimensions,
            count=len(texts),
        )

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one thread at the model, in turns.

        Tokenizers keep truncation and padding as mutable state: two threads in one
        raise "Already borrowed". One lock would not do, because a thread that embeds
        batch after batch takes it again before a waiting query wakes up.
        """
        with self._waiting:
            self._running.acquire()
        try:
            yield
        finally:
            self._running.release()

    def _tokenize(self, text: str, **options: bool) -> Any:
        with self._turn():
            return self._transformer.tokenizer(text, truncation=False, verbose=False, **options)


def _load(name_or_folder: str, folder: Path) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingDependency(
            "sentence-transformers is not installed: pip install 'aimemory[sentence-transformers]'"
        ) from error
    if folder.is_dir():
        source = str(folder)
    elif name_or_folder.startswith(("/", ".", "~")) or "\\" in name_or_folder:
        raise EmbeddingFailed(f"there is no folder {name_or_folder}")
    else:
        source = name_or_folder
    try:
        return SentenceTransformer(source, local_files_only=folder.is_dir())
    except (OSError, ValueError, RuntimeError) as error:
        raise EmbeddingFailed(f"cannot load {name_or_folder}: {error}") from error
