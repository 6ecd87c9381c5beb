"""Write two memories as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aimemory.writing.judging.lexicon import is_han
from aimemory.writing.judging.pairing import Pair
from aimemory.writing.judging.statements import Clause, Statement
from aimemory.writing.judging.tokens import AS_OF, PAUSE, normalised, tokens
from aimemory.writing.proposals import Known, Proposal

LONGEST_MERGED = 300
"""Characters. A row that has grown to this stays as it is; the next detail gets its own."""
_WIDE = str.maketrans("，；！？（）", ",;!?()")
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
    old, new = list(_pieces(pair.known.content)), list(_pieces(pair.proposal.content))
    stays, fresh = _kept(old, pair.old, gone), _kept(new, pair.new, told)
    if not fresh:
        return pair.known.content
    # What is new takes the place of what it replaces: the next clause may lean on its subject.
    place = next((at for at in range(len(old)) if at not in stays), len(old))
    before, after = (
        [old[at] for at in stays if at < place],
        [old[at] for at in stays if at > place],
    )
    middle = [new[at] for at in fresh]
    if before:
        middle[0] = _Piece(_without_introduction(pair, middle[0].text), middle[0].pause)
    return _joined(before, middle, after)


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the parts of a text; one with brackets is not taken apart."""
    text = text.strip()
    start = 0
    signs = AS_OF.sub(lambda note: "x" * len(note[0]), text).translate(_WIDE)
    if any(bracket in signs for bracket in "()【】"):
        yield _Piece(text, "")
        return
    for pause in PAUSE.finditer(signs):
        yield _Piece(text[start : pause.start()], text[pause.start() : pause.end()])
        start = pause.end()
    if start < len(text):
        yield _Piece(text[start:], "")


def _kept(pieces: list[_Piece], statement: Statement, dropped: list[int]) -> list[int]:
    """Return which pieces have a clause that is not dropped; all where they do not correspond."""
    held = {at: clause.pieces for at, clause in enumerate(statement.clauses)}
    kept = {piece for at, places in held.items() if at not in dropped for piece in places}
    if max((max(places) for places in held.values()), default=0) >= len(pieces):
        return list(range(len(pieces)))
    return sorted(kept)


def _is_told(pair: Pair, clause: Clause) -> bool:
    """Return True for what the old text says already, names of whom it is about included."""
    names = clause.subject.names
    named = not names or any(name in pair.known.content.casefold() for name in names)
    return named and pair.covers(pair.old.clauses, clause) == "same"


def _gives_way(pair: Pair, place: int, clause: Clause, added: Sequence[Clause]) -> bool:
    """Return True for what no longer holds, or what a clause that is added says as well."""
    if not clause.said:
        introduced = _introduced(clause)
        return any(
            introduced <= _introduced(new) for new in added if not new.said or 0 in new.pieces
        )
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


def _joined(before: list[_Piece], middle: list[_Piece], after: list[_Piece]) -> str:
    pieces = [*before, *middle, *after]
    full_stops = any("。" in piece.pause for piece in before[:-1])
    between = ("。" if full_stops else "，") if is_han(pieces[0].text) else ". "
    seams = (len(before) - 1, len(before) + len(middle) - 1)
    text = "".join(
        piece.text + (between if at in seams else piece.pause)
        for at, piece in enumerate(pieces[:-1])
    )
    last = pieces[-1]
    end = "".join(sign for sign in last.pause if sign in "。.!！…")
    return f"{text}{last.text}{end}".strip()
