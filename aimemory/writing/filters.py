"""What ``{group:filter}`` in a template makes of the words that a group matched."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from aimemory.writing.people import People, the_user
from aimemory.writing.templates import Filter, Subject
from aimemory.writing.vocabulary import Language

_LONGEST_KEY = 40


def filters_of(language: Language, people: People) -> Mapping[str, Filter]:
    """Return the filters by name; the head of zh_facts.toml says what each is for."""
    filters = _Filters(language, people)
    return {name: getattr(filters, name) for name in _NAMES}


@dataclass(frozen=True, slots=True)
class _Filters:
    language: Language
    people: People

    def kin(self, said: str) -> str:
        return self.language.words["kin"].get(said.lower(), said)

    def one(self, said: str) -> str | None:
        name = self.kin(said)
        return None if name in self.language.lists["many"] else name

    def attribute(self, said: str) -> str:
        return self.language.words["attribute"].get(said.lower(), said)

    def topic(self, said: str) -> str | None:
        topics = (topic.slot for topic in self.language.topics if topic.pattern.search(said))
        return next(topics, None)

    def key(self, said: str) -> str:
        """Return the thing itself: 晚上在家拼乐高 is 乐高, "playing tennis" is tennis."""
        key = self.language.group("key_suffix").pattern.sub("", said.strip())
        for _ in range(3):
            key = self.language.group("key_prefix").pattern.sub("", key, count=1) or key
        return "_".join(key.strip('，,。.*`" ').lower().split())[:_LONGEST_KEY]

    def kind(self, said: str) -> str:
        known = self.known(said)
        if known:
            return known
        kinds = (kind for kind in ("food", "drink") if self.language.group(kind).search(said))
        name = self.key(said).replace("_", " ")
        return "/".join([name, *kinds])

    def known(self, said: str) -> str | None:
        """Return the entity of a topic, and the topic as a second one."""
        for topic in self.language.topics:
            match = topic.pattern.search(said)
            if match:
                names = dict.fromkeys(name.lower() for name in (match[0], topic.name))
                spelled = {match[0].lower(): match[0], topic.name.lower(): topic.name}
                return "\n".join(f"{spelled[name]}/{topic.kind}" for name in names)
        return None

    def occupation(self, said: str) -> str:
        return re.split(" (?:in|at|for|with|on|by|from) ", said)[0] + "/occupation"

    def place(self, said: str) -> str | None:
        found = re.search(r" in ((?:[A-Z][\w.-]*)(?: [A-Z][\w.-]*)*)", said)
        return f"{found[1]}/place" if found else None

    def whom(self, said: str) -> str | None:
        person = self._person(said)
        return person.text if person else None

    def whose(self, said: str) -> str | None:
        person = self._person(said)
        return person.slot if person else None

    def whom_entity(self, said: str) -> str | None:
        person = self._person(said)
        return next(iter(person.entities), None) if person else None

    def _person(self, said: str) -> Subject | None:
        if self.language.group("first_person").pattern.fullmatch(said):
            return the_user(self.language, "me")
        return self.people.other


_NAMES = tuple(name for name in vars(_Filters) if name[0] != "_" and callable(vars(_Filters)[name]))
