"""Whether a proposal may be stored: what it is, and whether the user said it.

A model invents, repeats the assistant, or passes on what it should not. So every proposal
quotes the user, and code looks the quotation up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

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
    """Return why a proposal is not stored, or None; see `Grounding` for several proposals."""
    return Grounding(window, vocabulary).problem(proposal)


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


class Grounding:
    """Checks the proposals that came out of one window."""

    def __init__(self, window: Window, vocabulary: Vocabulary) -> None:
        """Read the window, whose turns are cleaned but whole.

        A veto and a question can only be seen in whole turns, so these are not the ones
        that were reduced to their statements for a language model.
        """
        self._vocabulary = vocabulary
        self._said = [
            _Said(clause for sentence in sentences for clause in sentence)
            for sentences in conversation(window.turns, vocabulary)
        ]
        self._answered = [
            significant(turn.content) for turn in window.turns if turn.role == "assistant"
        ]

    def problem(self, proposal: Proposal) -> str | None:
        """Return why a proposal is not stored, or None.

        The first reason counts, in this order: garbled, instruction_like, private, secret,
        not_grounded or assistant_only, user_veto, world_knowledge, temporary, question,
        below_threshold.
        """
        return (
            self._problem_of_text(proposal)
            or self._problem_of_evidence(proposal)
            or ("below_threshold" if importance(proposal) < LEAST_IMPORTANCE else None)
        )

    def _problem_of_text(self, proposal: Proposal) -> str | None:
        if is_garbled(proposal.content, self._vocabulary):
            return "garbled"
        for language in self._vocabulary.languages.values():
            for text in (proposal.content, proposal.evidence):
                if language.group("instruction").search(folded(text)):
                    return "instruction_like"
        return secret_in(f"{proposal.content}\n{proposal.evidence}", self._vocabulary)

    def _problem_of_evidence(self, proposal: Proposal) -> str | None:
        quoted = significant(proposal.evidence)
        if len(quoted) < _LEAST_EVIDENCE:
            return "not_grounded"
        touched = [clause for said in self._said for clause in said.touched_by(quoted)]
        if not touched:
            answered = any(quoted in text for text in self._answered)
            return "assistant_only" if answered else "not_grounded"
        kinds = {clause.kind for clause in touched}
        if "veto" in kinds:
            return "user_veto"
        if self._is_of_the_world(proposal):
            return "world_knowledge"
        if self._is_temporary(proposal) and not any(clause.marked for clause in touched):
            return "temporary"
        return None if "statement" in kinds else "question"

    def _is_of_the_world(self, proposal: Proposal) -> bool:
        language = self._vocabulary.language_of(proposal.content)
        return proposal.importance_class == "world_knowledge" or bool(
            language.group("world").search(folded(proposal.content))
        )

    def _is_temporary(self, proposal: Proposal) -> bool:
        language = self._vocabulary.language_of(proposal.evidence)
        return bool(language.group("temporary").search(folded(proposal.evidence)))


class _Said:
    """What a user said in one turn, to be searched for quotations."""

    def __init__(self, clauses: Iterable[Clause]) -> None:
        self._clauses: Sequence[Clause] = list(clauses)
        self._ends: list[int] = []
        parts = [significant(clause.text) for clause in self._clauses]
        for part in parts:
            self._ends.append(len(part) + (self._ends[-1] if self._ends else 0))
        self._text = "".join(parts)

    def touched_by(self, quoted: str) -> Iterator[Clause]:
        """Return the clauses that a quotation touches, wherever it occurs."""
        start = self._text.find(quoted)
        while start >= 0:
            stop = start + len(quoted)
            for clause, begin, end in zip(
                self._clauses, [0, *self._ends], self._ends, strict=False
            ):
                if begin < stop and end > start:
                    yield clause
            start = self._text.find(quoted, stop)


def significant(text: str) -> str:
    """Return the letters and digits alone, in one width and case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
