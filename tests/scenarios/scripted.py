"""A scenario with a scripted model: every item that it returns has one right outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aimemory.records import WriteResult
from script import Scenario, Step, document, outcome
from scripted_llm import Failure, Request, ScriptedLLM, Value
from stage import Row, Stage
from suite import Play

NAMES = {
    "insert": "inserted",
    "duplicate_of": "duplicate",
    "merge_into": "merged",
    "supersedes": "superseded",
    "rejected": "rejected",
}
"""Outcomes of the file as actions of a WriteResult."""


class Script:
    """The model of a scenario: it says what the step in hand has written down for it."""

    def __init__(self, server: ScriptedLLM) -> None:
        self.server = server
        self._step: Step | None = None
        self._seen = 0
        server.default = self._reply

    def turn_to(self, step: Step) -> None:
        self._step = step
        self._seen = len(self.server.requests)

    def asked_to_extract(self) -> list[Request]:
        """Return the requests for memories in this step."""
        return [r for r in self.server.requests[self._seen :] if r.name == "memories"]

    def all_requests(self) -> str:
        return "\n".join(m["content"] for r in self.server.requests for m in r.messages)

    def _reply(self, request: Request) -> Value:
        if self._step is None or request.name == "verdict":
            return Failure(status=500)  # The rules have to do without it.
        if request.name == "terms":
            return {"terms": self._step.get("expand", [])}
        return {"memories": [as_reply(item) for item in self._step.get("extract", [])]}


def as_reply(item: dict[str, Any]) -> dict[str, Any]:
    """Return a scripted item as a model writes it."""
    band = item["band"]
    reason = outcome(item)[1]
    return {
        "content": item["content"],
        "type": item["type"],
        "class": "world_knowledge" if reason == "world_knowledge" else band,
        "evidence": item["evidence"],
        "entities": item["entities"],
        "slot": item["slot"] or None,
        "event_at": None,
        "valid_until": None,
        "standing": item.get("standing", False),
    }


class ScriptedPlay(Play):
    """Checks every result of every write, and what the model got to see."""

    def __init__(
        self, scenario: Scenario, stage: Stage, script: Script, log: Callable[[], str]
    ) -> None:
        super().__init__(scenario, stage)
        self._script = script
        self._log = log

    def turn_to(self, step: Step) -> None:
        self._script.turn_to(step)

    def secret_places(self) -> dict[str, str]:
        return super().secret_places() | {
            "a request": self._script.all_requests(),
            "the log": self._log(),
        }

    def check_writes(self, step: Step) -> None:
        results = self.stage.say(step)
        items = step["extract"]
        self.wrote(step, len(results) == len(items), f"{len(results)} results of {len(items)}")
        for item, result in zip(items, results, strict=False):
            self._item(step, item, result)
        self._asked(step)

    def _item(self, step: Step, item: dict[str, Any], result: WriteResult) -> None:
        key, (expected, value) = item["key"], outcome(item)
        got = f"{result.action} ({result.reason})"
        self.wrote(
            step, result.action == NAMES[expected], f"{key} is {expected} {value}, was {got}"
        )
        if expected == "rejected":
            self.ids[key] = None
            self.wrote(step, result.reason == value, f"{key} rejected as {value}, was {got}")
            return
        self.ids[key] = result.memory_id
        rows = self.stage.rows(self.stage.user(step))
        row = None if result.memory_id is None else rows.get(result.memory_id)
        self.wrote(step, row is not None and row.is_live, f"{key} is live")
        if row is None:
            return
        if expected in ("duplicate_of", "merge_into"):
            same = result.memory_id == self.ids[value]
            self.wrote(step, same, f"{key} is one row with {value}")
            for word in item.get("content_after", []):
                self.wrote(step, word in row.content, f"{key} says {word}: {row.content}")
        else:
            self._stored(step, item, row)
        if expected == "supersedes":
            old = self.ids[value]
            before = None if old is None else rows.get(old)
            done = before is not None and before.superseded_by == row.memory_id
            self.wrote(step, done and result.replaced == old, f"{key} takes the place of {value}")
            noted = row.metadata.get("supersedes") == [str(old)]
            self.wrote(step, noted, f"{key} notes what it has replaced: {row.metadata}")

    def _stored(self, step: Step, item: dict[str, Any], row: Row) -> None:
        key = item["key"]
        low, high = document()["importance_bands"][item["band"]]
        self.wrote(step, row.content == item["content"], f"{key} says {row.content}")
        self.wrote(step, row.memory_type == item["type"], f"{key} is a {row.memory_type}")
        self.wrote(
            step, low <= row.importance <= high, f"{key} weighs {row.importance} in {low}-{high}"
        )
        self.wrote(
            step, row.standing == item.get("standing", False), f"{key} standing: {row.standing}"
        )
        self.wrote(step, row.evidence == item["evidence"], f"{key} quotes {row.evidence}")

    def _asked(self, step: Step) -> None:
        allowed = step.get("llm_called")
        if not allowed:
            return
        requests = self._script.asked_to_extract()
        most = allowed["max_calls"]
        self.wrote(step, len(requests) <= most, f"{len(requests)} calls of at most {most}")
        for request in requests:
            said = request.said.split("\n")
            only = set(said) <= set(allowed["only_for"])
            self.wrote(step, only, f"the model sees only {allowed['only_for']}, saw {said}")
