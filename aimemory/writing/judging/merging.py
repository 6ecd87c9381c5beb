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
    told = [] if pair.conflicts else _told(pair)
    added = [clause for at, clause in enumerate(pair.new.clauses) if at not in told]
    gone = [at for at, clause in enumerate(pair.old.clauses) if _gives_way(pair, at, clause, added)]
    old, new = list(_pieces(pair.known.content)), list(_pieces(pair.proposal.content))
    stays, fresh = _kept(old, pair.old, gone), _kept(new, pair.new, told)
    if not fresh:
        return pair.known.content
    # What is new takes the place of what it replaces: the next clause may lean on its subject.
    place = next((at for at in range(len(old)) if at not in stays), len(old))
    before = [old[at] for at in stays if at < place]
    after = [old[at] for at in stays if at > place]
    middle = [new[at] for at in fresh]
    if before:
        middle[0] = _Piece(_without_introduction(pair, middle[0].text), middle[0].pause)
        before[-1] = _Piece(before[-1].text, _between(before[-1]))
    if after:
        replaced = old[next(at for at in stays if at > place) - 1]
        middle[-1] = _Piece(middle[-1].text, _between(replaced))
    return _joined([*before, *middle, *after])


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield the parts of a text as its clauses number them; one with brackets stays whole."""
    text = text.strip()
    start = 0
    signs = AS_OF.sub(lambda note: "x" * len(note[0]), text).translate(_WIDE)
    pauses = list(PAUSE.finditer(signs))
    alike = len(pauses) == len(PAUSE.findall(normalised(text)))
    if not alike or any(bracket in signs for bracket in "()【】"):
        yield _Piece(text, "")
        return
    for pause in pauses:
        yield _Piece(text[start : pause.start()], text[pause.start() : pause.end()])
        start = pause.end()
    if start < len(text):
        yield _Piece(text[start:], "")


def _kept(pieces: list[_Piece], statement: Statement, dropped: list[int]) -> list[int]:
    """Return the pieces to keep: all but those whose every clause is dropped."""
    held = [clause.pieces for clause in statement.clauses]
    if any(max(places) >= len(pieces) for places in held):
        return list(range(len(pieces)))
    lost = {piece for at in dropped for piece in held[at]}
    used = {piece for at, places in enumerate(held) if at not in dropped for piece in places}
    return [at for at in range(len(pieces)) if at not in lost or at in used]


def _told(pair: Pair) -> list[int]:
    return [at for at, clause in enumerate(pair.new.clauses) if _is_told(pair, clause)]


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


def _between(piece: _Piece) -> str:
    """Return the punctuation of a piece that something follows."""
    if "\n" in piece.pause:
        return piece.pause
    if is_han(piece.text):
        return piece.pause.strip() or "，"
    return f"{piece.pause.strip() or '.'} "


def _joined(pieces: list[_Piece]) -> str:
    end = "".join(sign for sign in pieces[-1].pause if sign in "。.!！…")
    return "".join(piece.text + piece.pause for piece in pieces[:-1]) + pieces[-1].text + end
