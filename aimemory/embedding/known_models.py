"""What is known of some models without loading them; the facts are in known_models.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """Facts about one embedding model."""

    name: str
    """What is stored beside the vectors, whether the model runs here or on a server."""
    dimensions: int
    max_tokens: int
    """What the model reads of one text; it ignores or refuses the rest."""
    languages: tuple[str, ...] = ()
    """ISO 639 codes, of the languages that matter here rather than of all."""
    query_prefix: str = ""
    document_prefix: str = ""
    query_input_type: str | None = None
    """Sent to an OpenAI-compatible server as ``input_type``, where the server asks for it."""
    document_input_type: str | None = None
    scales: dict[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    """Floor and ceiling of cosines of a question and a memory, by script (cjk, other)."""
    memory_scales: dict[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    """The same of two memories, which are closer: 0 is another one, 1 the same told again."""


@cache
def known_models() -> tuple[KnownModel, ...]:
    """Return the whole table."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return tuple(_known(**entry) for entry in table["model"])


def _known(*, languages: list[str], **facts: Any) -> KnownModel:
    for name in ("scales", "memory_scales"):
        facts[name] = {script: (low, high) for script, (low, high) in facts.get(name, {}).items()}
    return KnownModel(languages=tuple(languages), **facts)


def known_model(name: str) -> KnownModel | None:
    """Return the facts about a model, by its full name or the part after the slash.

    A full name of another owner matches nothing: it may be a different model.
    """
    for model in known_models():
        if name in (model.name, model.name.rpartition("/")[2]):
            return model
    return None
