"""Whether a proposal may be stored: what it is, and whether the user said it.

A model invents, repeats the assistant, or passes on what it should not. So every proposal
quotes the user, and code looks the quotation up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from aimemory.writing.clauses import conversation
from aimemory.writing.cleaning import secret_in
from aimemory.writing.proposals import (
    IMPORTANCE_OF_CLASS,
    LEAST_IMPORTANCE,
    Clause,
    Proposal,
    Window,
)
from aimemory.writing.vocabulary import Vocabulary, folded

_LEAST_EVIDENCE = 2
"""Letters; a quotation of one letter proves nothing."""


def problem(proposal: Proposal, window: Window, vocabulary: Vocabulary) -> str | None:
    """Return why a proposal is not stored, or None.

    ``window`` holds the whole turns, cleaned but not reduced to their statements: a veto
    and a question can only be seen there. The first reason counts, in this order:
    garbled, instruction_like, private, secret, not_grounded, assistant_only, user_veto,
    world_knowledge, temporary, question, below_threshold.
    """
    return (
        _problem_of_text(proposal, vocabulary)
        or _problem_of_evidence(proposal, window, vocabulary)
        or ("below_threshold" if importance(proposal) < LEAST_IMPORTANCE else None)
    )


def importance(proposal: Proposal) -> float:
    """Return its own importance, or that of its class; 0 for a class that is unknown."""
    if proposal.importance is not None:
        return proposal.importance
    return IMPORTANCE_OF_CLASS.get(proposal.importance_class, 0.0)


def is_garbled(text: str, vocabulary: Vocabulary) -> bool:
    """Return whether a text is no language: wrong encoding, control characters, no letters."""
    if vocabulary.garbled.pattern.search(text):
        return True
    letters = 0
    for character in text:
        category = unicodedata.category(character)
        letters += category[0] == "L"
        if category in ("Cc", "Co", "Cn", "Cs") and character not in "\t\n\r":
            return True
    return letters < _LEAST_EVIDENCE or letters * 4 < len(re.sub(r"[\s\d]", "", text))


def _problem_of_text(proposal: Proposal, vocabulary: Vocabulary) -> str | None:
    if is_garbled(proposal.content, vocabulary):
        return "garbled"
    written = f"{proposal.content}\n{proposal.evidence}"
    for language in vocabulary.languages.values():
        for text in (proposal.content, proposal.evidence):
            if language.group("instruction").search(folded(text)):
                return "instruction_like"
    return secret_in(written, vocabulary)


def _problem_of_evidence(proposal: Proposal, window: Window, vocabulary: Vocabulary) -> str | None:
    quoted = significant(proposal.evidence)
    if len(quoted) < _LEAST_EVIDENCE:
        return "not_grounded"
    found = [
        clause
        for sentences in conversation(window.turns, vocabulary)
        for clause in quoted_clauses(quoted, [part for sentence in sentences for part in sentence])
    ]
    if not found:
        assistant = any(
            quoted in significant(turn.content) for turn in window.turns if turn.role == "assistant"
        )
        return "assistant_only" if assistant else "not_grounded"
    kinds = {clause.kind for clause in found}
    if "veto" in kinds:
        return "user_veto"
    language = vocabulary.language_of(proposal.content)
    if proposal.importance_class == "world_knowledge" or language.group("world").search(
        folded(proposal.content)
    ):
        return "world_knowledge"
    marked = any(clause.marked for clause in found)
    language = vocabulary.language_of(proposal.evidence)
    if not marked and language.group("temporary").search(folded(proposal.evidence)):
        return "temporary"
    return None if "statement" in kinds else "question"


def significant(text: str) -> str:
    """Return the letters and digits alone, in one width and case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def quoted_clauses(quoted: str, clauses: Sequence[Clause]) -> list[Clause]:
    """Return the clauses of one turn that a quotation touches, wherever it occurs."""
    ends, text = [], ""
    for clause in clauses:
        text += significant(clause.text)
        ends.append(len(text))
    found = []
    start = text.find(quoted)
    while start >= 0:
        stop = start + len(quoted)
        found += [
            clause
            for clause, begin, end in zip(clauses, [0, *ends], ends, strict=False)
            if begin < stop and end > start
        ]
        start = text.find(quoted, start + 1)
    return found
