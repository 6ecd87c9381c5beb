"""Who has been spoken of in a window, and by which name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aimemory.writing.templates import Subject
from aimemory.writing.vocabulary import Language


@dataclass(slots=True)
class People:
    """Who has been spoken of so far."""

    names: dict[str, Subject] = field(default_factory=dict)
    other: Subject | None = None
    """Who "she" or "it" is: the last one who is not the user."""
    carried: Subject | None = None
    """Whose clause it was: the subject of the next one if that has none."""


def the_user(language: Language, kind: str) -> Subject:
    """Return the user as a subject."""
    text = "用户" if language.name == "zh" else "The user"
    return Subject(kind=kind, text=text, slot="user")


def name_somebody(name: str, groups: Mapping[str, str], people: People, language: Language) -> None:
    """Remember by which name somebody may be called from now on; ``groups`` say who it is."""
    groups = {**groups, "called": name}
    animal, kin = groups.get("animal", ""), groups.get("kin", "")
    role = animal or language.words["kin"].get(kin.lower(), kin)
    alone = bool(kin) and role not in language.lists["many"]
    chinese = language.name == "zh"
    owned = f"用户的{role}{name}" if chinese else f"The user's {role} {name}"
    known = Subject(
        kind="pet" if animal else "kin" if kin else "person",
        text=owned if role else name,
        slot=role if alone and not animal else name,
        entities=[f"{name}/{'pet' if animal else 'person'}"],
        groups=groups,
    )
    people.names[name] = known
    people.carried = people.other = known
