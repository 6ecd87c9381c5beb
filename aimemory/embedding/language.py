"""Tell when a model cannot read a text.

all-MiniLM-L6-v2 turns 78 % of Chinese characters into the same unknown token, so
"I like cats" and "I like dogs" become one vector, and duplicate removal would
delete one of them. Nothing fails; hence the question has to be asked.
"""

from __future__ import annotations

import re

from aimemory.embedding.known_models import known_model
from aimemory.embedding.protocol import Embedder

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")


def reads(model: str, text: str) -> bool:
    """Return False for Chinese, Japanese or Korean that the model is not known to read.

    Needs only the name of the model, so it is False for an unknown model that reads
    Chinese perfectly well; ``unreadable_share`` asks the model itself.
    """
    known = known_model(model)
    return (known is not None and "zh" in known.languages) or CJK.search(text) is None


def unreadable_share(embedder: Embedder, text: str) -> float:
    """Return the share of a text's characters that the model cannot read, from 0 to 1.

    Counted with the model's own tokenizer where the embedder offers that; taken from
    the table of known models otherwise, and 0 for a model that is not in it.
    """
    ask = getattr(embedder, "unreadable_share", None)
    if ask is not None:
        return float(ask(text))
    if known_model(embedder.model) is None or reads(embedder.model, text):
        return 0.0
    return len(CJK.findall(text)) / max(1, sum(not char.isspace() for char in text))
