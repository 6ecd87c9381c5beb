"""Play a scenario and check what the database holds after every step, and what comes back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from aimemory.context import Context
from script import Scenario, Step, outcome
from stage import Stage

BLOCK_TOKENS = 300
WRITE, UPKEEP, RECALL = "write", "upkeep", "recall"

_PRIVATE = re.compile(r"<private>(.*?)</private>", re.S)
_KEY = re.compile(r"(?=\S*\d)[\w-]{12,}")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    kind: str
    step: str
    what: str
    passed: bool


@dataclass
class Checks:
    """All that was looked at in one scenario."""

    scenario: Scenario
    made: list[Check] = field(default_factory=list)

    def add(self, kind: str, step: Step, passed: bool, what: str) -> None:
        self.made.append(Check(kind, f"{step.kind} {step['at']}", what, passed))

    @property
    def failures(self) -> list[str]:
        return [f"{c.step} ({c.kind}): {c.what}" for c in self.made if not c.passed]


class Play:
    """One scenario on a stage. How a chunk of conversation is judged is left to subclasses."""

    def __init__(self, scenario: Scenario, stage: Stage) -> None:
        self.checks = Checks(scenario)
        self.stage = stage
        self.ids: dict[str, UUID | None] = {}
        """The memory that each key has come to; None for what was rejected."""
        self.contents: dict[str, str] = {}
        """What the file says of each key."""

    def run(self) -> Checks:
        steps = self.checks.scenario.steps
        acts = {"say": self._say, "job": self._job, "recall": self._recall}
        for step in steps:
            self.turn_to(step)
            acts[step.kind](step)
        for step in steps:
            if step.kind == "say":
                self._nothing_leaked(step)
        return self.checks

    def turn_to(self, step: Step) -> None:
        """Get ready for a step."""

    def check_writes(self, step: Step) -> None:
        """Let the store learn from what was said, check what it did, and fill in the ids."""
        raise NotImplementedError

    def entities_of(self, step: Step) -> list[str] | None:
        """Return what a question is about; None leaves it to the store to find out."""
        entities: list[str] = step["entities"]
        return entities

    def secret_places(self) -> dict[str, str]:
        """Return all the texts that nothing secret may get into, by the name of the place."""
        return {"any table": self.stage.everything(words_too=True)}

    def wrote(self, step: Step, passed: bool, what: str) -> None:
        self.checks.add(WRITE, step, passed, what)

    def name_of(self, memory_id: UUID) -> str:
        """Return the first key that came to a memory."""
        return next((key for key, it in self.ids.items() if it == memory_id), str(memory_id))

    # --- writing ---------------------------------------------------------------------------

    def _say(self, step: Step) -> None:
        self.contents |= {item["key"]: item["content"] for item in step["extract"]}
        self.check_writes(step)
        if step.get("bulk_insert"):
            added = self.stage.add_bulk(step)
            self.ids |= added
            count = step["bulk_insert"]["count"]
            self.wrote(step, len(added) == count, f"{len(added)} of {count} added in bulk")
        if step.get("keep_warm"):
            memory_id = self.ids.get(step["keep_warm"]["key"])
            if memory_id is not None:
                self.stage.keep_warm(step, memory_id)
        if "active_count" in step.values:
            live = [row.content for row in self.stage.live(self.stage.user(step))]
            expected = step["active_count"]
            self.wrote(step, len(live) == expected, f"{expected} live memories, not {live}")

    def _nothing_leaked(self, step: Step) -> None:
        """Look for what must not be stored, when all is over."""
        spoken = "\n".join(turn["text"] for turn in step["turns"])
        # Word by word, for a number in it may have been taken out as a secret.
        private = "\n".join(_PRIVATE.findall(spoken))
        secrets = re.findall(r"[^\W\d]{4,}|\d{4,}", private)
        secrets += [text for text in step["not_stored"] if _KEY.fullmatch(text)]
        rejected = [i["content"] for i in step["extract"] if outcome(i)[0] == "rejected"]
        kept = self.stage.everything(words_too=False)
        for text in [*step["not_stored"], *rejected]:
            self.wrote(step, text not in kept, f"{text!r} is not stored")
        if secrets:
            for place, written in self.secret_places().items():
                for text in secrets:
                    self.wrote(step, text not in written, f"{text!r} is not in {place}")

    # --- upkeep ----------------------------------------------------------------------------

    def _job(self, step: Step) -> None:
        before = {row.memory_id for row in self.stage.rows().values() if row.archived}
        self.stage.upkeep(step.at)
        rows = self.stage.rows()
        moved = {row.memory_id for row in rows.values() if row.archived} - before
        expected = {self._id(key) for key in step["archived"]}
        names = sorted(map(self.name_of, moved))
        self.checks.add(
            UPKEEP, step, moved == expected, f"archives {step['archived']}, did {names}"
        )
        for key in step["still_active"]:
            row = rows.get(self._id(key))
            self.checks.add(UPKEEP, step, row is not None and row.is_live, f"{key} stays live")

    # --- recall ----------------------------------------------------------------------------

    def _recall(self, step: Step) -> None:
        before = self.stage.memory_state()
        context = self.stage.recall(step, self.entities_of(step))
        self._saw(step, self.stage.memory_state() == before, "recall writes no memory")
        expect = step["expect"]
        ids = [hit.memory_id for hit in context.hits]
        got = f"got {[self.name_of(memory_id) for memory_id in ids]}"
        self._found(step, expect, ids, got)
        self._rendered(step, expect, context)
        self._attached(step, expect, context)
        profile = [memory.memory_id for memory in context.profile]
        for key in expect.get("profile", []):
            self._saw(step, self._id(key) in profile, f"{key} is in the profile")
        for key in expect.get("not_profile", []):
            self._saw(step, self._id(key) not in profile, f"{key} is not in the profile")
        self.stage.use(step, context)
        rows = self.stage.rows(self.stage.user(step))
        for key in expect.get("cold", []):
            cold = next((hit for hit in context.hits if hit.memory_id == self._id(key)), None)
            self._saw(step, cold is not None and cold.archived, f"{key} answers from the archive")
            back = rows.get(self._id(key))
            self._saw(step, back is not None and back.is_live, f"{key} is live again after its use")

    def _found(self, step: Step, expect: dict[str, Any], ids: list[UUID], got: str) -> None:
        for key in expect.get("recall", []):
            self._saw(step, self._id(key) in ids, f"{key} is found, {got}")
        for key in expect.get("not_recall", []):
            self._saw(step, self._id(key) not in ids, f"{key} is not found, {got}")
        if "first" in expect:
            self._saw(
                step, ids[:1] == [self._id(expect["first"])], f"{expect['first']} first, {got}"
            )
        if "order" in expect:
            order = [self._id(key) for key in expect["order"]]
            self._saw(step, [i for i in ids if i in order] == order, f"{expect['order']}, {got}")
        if expect.get("empty"):
            self._saw(step, not ids, f"nothing is found, {got}")
        if "max_items" in expect:
            self._saw(step, len(ids) <= expect["max_items"], f"{len(ids)} items")

    def _rendered(self, step: Step, expect: dict[str, Any], context: Context) -> None:
        text = context.text
        lines = [line for line in text.splitlines() if line.startswith("- ")]
        if expect.get("empty"):
            self._saw(step, text == "", "no block is rendered")
        most = expect.get("max_items", len(lines))
        self._saw(step, len(lines) <= most, f"{len(lines)} lines in the block")
        limit = expect.get("max_tokens", BLOCK_TOKENS)
        self._saw(step, context.tokens <= limit, f"{context.tokens} tokens of {limit}")
        found = {hit.memory_id: hit for hit in context.hits}
        for key in expect.get("recall", []):
            hit = found.get(self._id(key))
            self._saw(step, hit is not None and hit.content in text, f"{key} is in the block")
        for key in expect.get("not_recall", []):
            if self.ids.get(key) is None:
                self._saw(step, self.contents[key] not in text, f"{key} is not in the block")
        for word in expect.get("contains", []):
            said = any(word in hit.content for hit in context.hits) and word in text
            self._saw(step, said, f"the block says {word}")

    def _attached(self, step: Step, expect: dict[str, Any], context: Context) -> None:
        heads: dict[UUID, Any] = {memory.memory_id: memory for memory in context.profile}
        heads |= {hit.memory_id: hit for hit in context.hits}
        for old, new in expect.get("attached", {}).items():
            head = heads.get(self._id(new))
            history = [] if head is None else [past.memory_id for past in head.history]
            self._saw(step, history[:1] == [self._id(old)], f"{old} is attached to {new}")
            apart = self._id(old) not in heads
            self._saw(step, apart, f"{old} has no place of its own")
            if head is not None and head.history:
                line = next((x for x in context.text.splitlines() if head.content in x), "")
                past = head.history[0]
                said = past.content in line and bool(re.search(r"\d{4}-\d\d-\d\d\D*$", line))
                self._saw(step, said, f"the line of {new} tells {old} and a date: {line}")

    def _saw(self, step: Step, passed: bool, what: str) -> None:
        self.checks.add(RECALL, step, passed, what)

    def _id(self, key: str) -> UUID:
        memory_id = self.ids.get(key)
        return UUID(int=0) if memory_id is None else memory_id
