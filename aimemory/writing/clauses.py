"""What each clause of a message is: a statement, a question, a request, small talk, a veto.

Memories come from statements only. A message is judged clause by clause, because people
put both into one breath: 我家年糕今年三岁了，能吃虾吗？ says something and asks something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aimemory.writing.proposals import Clause, Turn
from aimemory.writing.splitting import pieces
from aimemory.writing.vocabulary import Language, Vocabulary, bare, folded

_LONGEST_SMALLTALK = 60
_LONGEST_JUDGED = 1000
_CLOSING = " \t\n\r\u3000，,。.！!；;：:、~～…"


def clauses(text: str, vocabulary: Vocabulary) -> list[Clause]:
    """Return the clauses of a message in order; only white space between them is lost."""
    return [clause for sentence in sentences(text, vocabulary) for clause in sentence]


def sentences(text: str, vocabulary: Vocabulary) -> list[list[Clause]]:
    """Return the clauses by sentence.

    A veto (这个别记) takes its whole sentence. A sentence that is nothing but a veto takes
    the one before it, or all that follow where it comes first.
    """
    return _vetoed(_judged(text, vocabulary))


def conversation(turns: Sequence[Turn], vocabulary: Vocabulary) -> list[list[list[Clause]]]:
    """Return the sentences of every turn, none for those of the assistant.

    A turn that is nothing but a veto takes the last sentence of the user's turn before it.
    """
    read: list[list[list[Clause]]] = []
    before: list[list[Clause]] | None = None
    for turn in turns:
        judged = _judged(turn.content, vocabulary) if turn.role == "user" else []
        if before and judged and all(_is_veto_alone(sentence) for sentence in judged):
            before[-1] = [replace(clause, kind="veto") for clause in before[-1]]
        found = _vetoed(judged)
        read.append(found)
        before = found or before
    return read


def declarative(turn: Turn, vocabulary: Vocabulary) -> str:
    """Return the statements of a turn of the user; empty when there is nothing to learn."""
    return _statements(conversation([turn], vocabulary)[0])


def reduced(turns: Sequence[Turn], vocabulary: Vocabulary) -> list[Turn]:
    """Return the turns as an extractor may see them.

    Turns of the user keep their statements and go where they have none; those of the
    assistant stay, as context.
    """
    kept = []
    for turn, found in zip(turns, conversation(turns, vocabulary), strict=True):
        content = turn.content if turn.role == "assistant" else _statements(found)
        if content:
            kept.append(replace(turn, content=content))
    return kept


def is_marked(turn: Turn, vocabulary: Vocabulary) -> bool:
    """Return whether the turn asks to learn from it at once."""
    return any(
        clause.marked and clause.kind == "statement"
        for sentence in conversation([turn], vocabulary)[0]
        for clause in sentence
    )


def _statements(found: Sequence[Sequence[Clause]]) -> str:
    text = ""
    for sentence in found:
        for clause in sentence:
            if clause.kind == "statement":
                glue = " " if re.search(r"[\x21-\x7e]$", text) else ""
                text += glue + clause.text
    return text


# --- cutting and joining -------------------------------------------------------------------


def _joined_to_markers(found: list[list[str]], vocabulary: Vocabulary) -> Iterator[list[str]]:
    """Put a bare marker ("Remember:", 记住，) and the clause after it together again."""
    carried = ""
    for sentence in found:
        joined: list[str] = []
        for place, piece in enumerate(sentence):
            language = vocabulary.language_of(piece)
            alone = language.group("marker_alone").pattern.match(folded(piece))
            if alone and not carried and (place + 1 < len(sentence) or not joined):
                carried = piece
                continue
            joined.append(
                f"{carried} {piece}" if carried.isascii() and carried else carried + piece
            )
            carried = ""
        if joined:
            yield joined
    if carried:
        yield [carried]


def _cut_further(parts: list[str], vocabulary: Vocabulary) -> Iterator[str]:
    """Cut 年糕今天吐了怎么办 between what happened and what is asked."""
    for part in parts:
        tail = vocabulary.language_of(part).group("question_tail").pattern.search(folded(part))
        if tail and tail.start() > 1:
            yield part[: tail.start()]
            yield part[tail.start() :]
        else:
            yield part


# --- judging -------------------------------------------------------------------------------


def _judged(text: str, vocabulary: Vocabulary) -> list[list[Clause]]:
    """Return the clauses of each sentence, a veto not yet passed on to its neighbours."""
    found = [
        _marked_by_neighbours(
            [_clause(piece, vocabulary) for piece in _cut_further(parts, vocabulary)], vocabulary
        )
        for parts in _joined_to_markers(pieces(text, vocabulary), vocabulary)
    ]
    return [_ordered(_asked(sentence, vocabulary), vocabulary) for sentence in found]


def _clause(text: str, vocabulary: Vocabulary) -> Clause:
    language = vocabulary.language_of(text)
    plain = folded(text).strip()
    if len(plain) > _LONGEST_JUDGED:  # pasted text: its ends tell what is asked
        plain = plain[: _LONGEST_JUDGED // 2] + plain[-_LONGEST_JUDGED // 2 :]
    words = plain.rstrip(_CLOSING)
    if language.group("veto").search(words):
        return Clause(text=text, kind="veto")
    if is_smalltalk(plain, language):
        return Clause(text=text, kind="smalltalk")
    if any(language.group(name).search(words) for name in ("remember", "marker", "standing")):
        return Clause(text=text, kind="statement", marked=True)
    if language.group("question").search(words):
        return Clause(text=text, kind="question")
    if language.group("request").search(words):
        return Clause(text=text, kind="request")
    return Clause(text=text, kind="statement")


def is_smalltalk(text: str, language: Language) -> bool:
    """Return whether nothing is left of the text but small talk."""
    if len(text) > _LONGEST_SMALLTALK:
        return False
    words = bare(text)
    return not words or bool(
        language.smalltalk.fullmatch(words.replace(" ", "") if language.name == "zh" else words)
    )


def _marked_by_neighbours(sentence: list[Clause], vocabulary: Vocabulary) -> list[Clause]:
    """Let a marker at the end (我对花生过敏，请记住) mark what stands before it."""
    last = sentence[-1]
    language = vocabulary.language_of(last.text)
    if len(sentence) > 1 and language.group("marker_alone").pattern.match(folded(last.text)):
        before = [replace(clause, marked=clause.kind == "statement") for clause in sentence[:-1]]
        return [*before, replace(last, kind="request", marked=False)]
    return sentence


def _ordered(sentence: list[Clause], vocabulary: Vocabulary) -> list[Clause]:
    """Count all of a sentence that gives the assistant orders as a request."""
    if not any(
        vocabulary.language_of(clause.text).group("instruction").search(folded(clause.text))
        for clause in sentence
    ):
        return sentence
    return [
        replace(clause, kind="request", marked=False) if clause.kind == "statement" else clause
        for clause in sentence
    ]


def _asked(sentence: list[Clause], vocabulary: Vocabulary) -> list[Clause]:
    """Count what only introduces a question (对于我的手机，…？) as part of it."""
    result = list(sentence)
    for place in range(len(sentence) - 2, -1, -1):
        clause = result[place]
        language = vocabulary.language_of(clause.text)
        if (
            clause.kind == "statement"
            and not clause.marked
            and result[place + 1].kind in ("question", "request")
            and language.group("introduction").search(folded(clause.text))
        ):
            result[place] = replace(clause, kind="question")
    return result


def _is_veto_alone(sentence: Sequence[Clause]) -> bool:
    """Return whether a sentence does nothing but forbid to learn."""
    kinds = {clause.kind for clause in sentence}
    return "veto" in kinds and kinds <= {"veto", "smalltalk"}


def _vetoed(found: list[list[Clause]]) -> list[list[Clause]]:
    alone = [_is_veto_alone(sentence) for sentence in found]
    for place, sentence in enumerate(list(found)):
        if not any(clause.kind == "veto" for clause in sentence):
            continue
        reach = [place]
        if alone[place] and place > 0:
            reach.append(place - 1)
        elif alone[place]:
            reach += range(place + 1, len(found))
        for other in reach:
            found[other] = [replace(clause, kind="veto") for clause in found[other]]
    return found
