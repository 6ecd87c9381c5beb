"""Write two memories as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aimemory.writing.judging.lexicon import is_han
from aimemory.writing.judging.pairing import Pair
from aimemory.writing.judging.statements import Clause, Statement
from aimemory.writing.judging.tokens import PAUSE, normalised, tokens
from aimemory.writing.proposals import Known, Proposal

LONGEST_MERGED = 300
"""Characters. A row that has grown to this stays as it is; the next detail gets its own."""
_WIDE = str.maketrans("，；：！？（）", ",;:!?()")
_BEFORE_A_NAME = ("owner", "relation", "function", "article", "trait", "pronoun", "break")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a text between punctuation, with the punctuation behind it."""

    text: str
    pause: str


def merged_text(known: Known, proposal: Proposal) -> str:
    """Return one text that says what both say, without saying anything twice.

    A clause of the old text that no longer holds (五斤, now 六斤), or that the new one says
    more closely, gives way to it. Everything else stays word for word, and what is new
    comes behind it.
    """
    return merge(Pair(proposal, known))


def merge(pair: Pair) -> str:
    """Return the text of both."""
    told = [at for at, clause in enumerate(pair.new.clauses) if _is_told(pair, clause)]
    added = [clause for at, clause in enumerate(pair.new.clauses) if at not in told]
    gone = [at for at, clause in enumerate(pair.old.clauses) if _gives_way(pair, at, clause, added)]
    stays = _kept(list(_pieces(pair.known.content)), pair.old, gone)
    fresh = _kept(list(_pieces(pair.proposal.content)), pair.new, told)
    if not fresh:
        return pair.known.content
    if stays:
        fresh[0] = _Piece(_without_introduction(pair, fresh[0].text), fresh[0].pause)
    return _joined(stays, fresh)


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the parts of a text; one with brackets is not taken apart."""
    text = text.strip()
    start = 0
    if any(bracket in text for bracket in "()（）"):
        yield _Piece(text, "")
        return
    for pause in PAUSE.finditer(text.translate(_WIDE)):
        yield _Piece(text[start : pause.start()], text[pause.start() : pause.end()])
        start = pause.end()
    if start < len(text):
        yield _Piece(text[start:], "")


def _kept(pieces: list[_Piece], statement: Statement, dropped: list[int]) -> list[_Piece]:
    """Return the pieces of which a clause is not dropped; all where they do not correspond."""
    held = {at: clause.pieces for at, clause in enumerate(statement.clauses)}
    kept = {piece for at, places in held.items() if at not in dropped for piece in places}
    if max((max(places) for places in held.values()), default=0) >= len(pieces):
        return pieces
    return [piece for at, piece in enumerate(pieces) if at in kept]


def _is_told(pair: Pair, clause: Clause) -> bool:
    """Return True for what the old text says already, names of whom it is about included."""
    names = clause.subject.names
    named = not names or any(name in pair.known.content.casefold() for name in names)
    return named and pair.covers(pair.old.clauses, clause) == "same"


def _gives_way(pair: Pair, place: int, clause: Clause, added: Sequence[Clause]) -> bool:
    """Return True for what no longer holds, or what a clause that is added says as well."""
    if not clause.said:
        introduced = _introduced(clause)
        return any(introduced <= _introduced(new) for new in added if not new.said or 0 in new.pieces)
    if place in pair.conflicts:
        return True
    closer = any(pair.covers([clause], new) == "more" for new in added if new.said)
    return closer or pair.covers(added, clause) == "same"


def _introduced(clause: Clause) -> frozenset[str]:
    return clause.subject.names | frozenset(clause.subject.relations)


def _without_introduction(pair: Pair, text: str) -> str:
    """Cut "the user's cat" from "the user's cat Mochi" where Mochi is known already."""
    for name in pair.new.subject.names:
        start = text.casefold().find(name)
        known = name in pair.known.content.casefold()
        before = tokens(normalised(text[: max(start, 0)]))
        if known and before and all(word.does(*_BEFORE_A_NAME) for word in before):
            return text[start:]
    return text


def _joined(stays: list[_Piece], fresh: list[_Piece]) -> str:
    if not stays:
        return "".join(piece.text + piece.pause for piece in fresh).strip()
    before = "".join(piece.text + piece.pause for piece in stays[:-1]) + stays[-1].text
    after = "".join(piece.text + piece.pause for piece in fresh)
    full_stops = any("。" in piece.pause for piece in stays[:-1])
    pause = ("。" if full_stops else "，") if is_han(before) else ". "
    return f"{before}{pause}{after}".strip()
