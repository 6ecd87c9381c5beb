"""The user's own words, told of the user: 我家的猫 is 用户家的猫, "my cat" is "the user's cat".

Quoted speech stays as it is. In English the verb after the user changes as well; only the
first I becomes "The user", later ones become "they", whose verb stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_QUOTED = r"《[^》]{0,80}》|“[^”]{0,80}”|「[^」]{0,80}」|\"[^\"]{0,80}\""


def chinese(text: str, *, of_user: bool) -> str:
    """Rewrite Chinese; ``of_user``: what is told of the user, whose 我 is then 自己."""
    own = "自己" if of_user else "用户"

    def replace(match: re.Match[str]) -> str:
        said = match[0]
        if match["kept"]:
            return said
        if said in ("我们", "咱们"):
            return "用户等人"
        return own + said[1:]

    return re.sub(rf"(?P<kept>{_QUOTED}|自我|忘我|大我|小我)|我们|咱们|我家|我|咱", replace, text)


# After "the user", what "I" had there.
_VERBS = {
    "am": "is", "'m": "is", "have": "has", "'ve": "has", "haven't": "hasn't", "do": "does",
    "don't": "doesn't", "go": "goes", "were": "was", "weren't": "wasn't", "'ll": "will",
    "'d": "would", "been": "has been",
}  # fmt: skip
_ENGLISH = re.compile(
    rf"(?P<kept>{_QUOTED})|\b(?P<contracted>I)['’](?P<rest>m|ve|d|ll)\b|\b(?P<said>I am|I was"
    r"|I|me|my|mine|myself|we|us|our|ours|ourselves)\b(?!-|\.[A-Za-z])(?P<more>['’](?:re|ve|ll|d)\b)?",
    re.IGNORECASE,
)
_THEY = {
    "i am": "they are", "i was": "they were", "i": "they", "me": "them", "my": "their",
    "mine": "theirs", "myself": "themselves",
}  # fmt: skip
_USER = {
    "i am": "the user is", "i was": "the user was", "i": "the user", "me": "the user",
    "my": "the user's", "mine": "the user's", "myself": "the user",
}  # fmt: skip
_OTHERS = {"we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves"}
_CONTRACTED = {"m": " are", "ve": " have", "d": " would", "ll": " will"}
_LENGTHENED = {"re": " are", "ve": " have", "ll": " will", "d": " would"}


def english(text: str, *, of_user: bool) -> str:
    """Rewrite English; ``of_user``: what is told of the user, whose "my" is then "their"."""
    words = (_THEY if of_user else _USER) | _OTHERS

    def replace(match: re.Match[str]) -> str:
        if match["kept"]:
            return match[0]
        if match["contracted"]:
            return "they" + _CONTRACTED[match["rest"].lower()]
        if match["said"] == "US":
            return match[0]
        more = _LENGTHENED[match["more"][1:].lower()] if match["more"] else ""
        return words[match["said"].lower()] + more

    return _ENGLISH.sub(replace, text)


def agreeing(predicate: str, lists: Mapping[str, frozenset[str]]) -> str:
    """Make what follows I follow "the user": "really like tea" is "really likes tea".

    ``lists`` are the word lists of the language: ``adverbs``, ``unchanged_verbs``,
    ``present_in_ed``, and ``verbs``, which may follow "and" as a second verb of the subject.
    """
    words = predicate.split(" ")
    place = next(
        (
            place
            for place, word in enumerate(words[:5])
            if word.lower() not in lists["adverbs"] and not re.fullmatch(r"\w{3,}ly", word)
        ),
        0,
    )
    verb = words[place]
    words[place] = _third(verb, lists)
    if words[place] != verb and verb.lower() not in ("am", "'m", "have", "'ve", "'d", "'ll"):
        for later in range(place + 2, len(words) - 1):
            if words[later - 1] in ("and", "or", "but") and words[later] in lists["verbs"]:
                words[later] = _third(words[later], lists)
    return " ".join(words)


def _third(verb: str, lists: Mapping[str, frozenset[str]]) -> str:
    lower = verb.lower()
    if re.fullmatch(r"\w{3,}ing", lower) and lower not in ("bring", "string", "swing", "cling"):
        return f"is {verb}"
    verb = lower if verb.isupper() else verb
    if lower in _VERBS:
        return _VERBS[lower]
    past = lower.endswith("ed") and lower not in lists["present_in_ed"]
    if lower in lists["unchanged_verbs"] or past or not re.fullmatch(r"[A-Za-z]+", verb):
        return verb
    if re.search(r"(?:s|x|z|ch|sh|o)$", lower):
        return verb + "es"
    if re.search(r"[^aeiou]y$", lower):
        return verb[:-1] + "ies"
    return verb + "s"
