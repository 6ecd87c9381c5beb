"""Where a message is cut into sentences, and sentences into clauses.

No character but white space is lost: the pieces, put together, are the message. Chinese
is cut at every comma. An English comma is cut only where a clause with a verb of its own
follows, for "tea, coffee and milk" is one thing. Numbers, addresses, quotations, brackets
and abbreviations are never cut. The time is linear in the length of the text.
"""

from __future__ import annotations

import re

from aimemory.writing.vocabulary import Vocabulary, folded

_CJK = "\u3400-\u9fff\uf900-\ufaff"
_SCANNER = re.compile(
    rf"""
    (?P<kept>
        https?://[^\s{_CJK}，。！？；、）]+
      | [A-Za-z0-9_.+-]{{1,64}}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+
      | “[^”\n]{{0,120}}” | 「[^」\n]{{0,120}}」 | 『[^』\n]{{0,120}}』 | 《[^》\n]{{0,120}}》
      | "[^"\n]{{0,120}}" | \([^()\n]{{0,120}}\) | （[^（）\n]{{0,120}}） | \[[^\[\]\n]{{0,200}}\]
      | (?<!\d)\d++(?:[.,:：/]\d++)+
      | (?<![A-Za-z])(?:[A-Za-z]\.){{2,}}
      | \b(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|vs|etc|e\.g|i\.e|no|inc|ltd|approx|jr|sr|dept|est)\.
        (?=\s?[\w,])
    )
  | (?P<end>[。！？!?；;…\n\r]+["”」』')）\]]*|(?<!\.)\.++(?=[\s{_CJK}"”')\]]|$)["”')\]]*)
  | (?P<clause>[，：～~]|(?<=[{_CJK}])[,:]|[,:](?=\s*[{_CJK}]))
  | (?P<colon>:(?=\s))
  | (?P<maybe>,(?=\s)|\s[-–—]+(?=\s)|—+)
  | (?P<space>(?<=[{_CJK}])[ \t\u3000]+(?=[我你他她它请帮]))
  | (?P<joined>\s(?=(?:and|but|so)\s))
    """,
    re.VERBOSE | re.IGNORECASE,
)


def pieces(text: str, vocabulary: Vocabulary) -> list[list[str]]:
    """Return the clauses of each sentence, as they stand, white space around them removed."""
    english = vocabulary.languages["en"]
    starts = english.group("clause_start")
    waits = (english.group("subordinate"), english.group("noun_phrase"))
    plain = folded(text)
    sentences: list[list[str]] = [[]]
    begin = 0
    for match in _SCANNER.finditer(plain):
        cut = match.end()
        if match["kept"]:
            continue
        if match["maybe"] or match["joined"]:
            following = plain[cut : cut + 60].lstrip()
            so_far = plain[begin : match.start()].strip()
            if not starts.pattern.match(following) or any(
                group.pattern.match(so_far[:60]) for group in waits
            ):
                continue
        _add(sentences[-1], text[begin:cut])
        begin = cut
        if match["end"] and sentences[-1]:
            sentences.append([])
    _add(sentences[-1], text[begin:])
    return [sentence for sentence in sentences if sentence]


def _add(sentence: list[str], piece: str) -> None:
    """Append a piece; what has no letter of its own stays with the piece before."""
    piece = piece.strip()
    if not piece:
        return
    if sentence and not re.search(r"\w", piece):
        sentence[-1] += piece
    else:
        sentence.append(piece)
