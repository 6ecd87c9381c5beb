# Generated from aimemory/store/tooling_async.py by tools/unasync.py: edit that file.
"""Store methods for a language model that calls tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from aimemory.errors import InvalidInput, NotFound
from aimemory.records import Hit
from aimemory.store.erasing_sync import Erasing
from aimemory.store.keeping_sync import Keeping
from aimemory.store.learning_sync import Learning
from aimemory.text import identifier, storable_json
from aimemory.tools import MOST_HITS, read_arguments, read_id
from aimemory.writing.cleaning import Messages, read_messages
from aimemory.writing.grounding import problem, significant
from aimemory.writing.proposals import Proposal, Turn, Window

BY_TOOL = "tool"
"""Who changed it, in the history of what a model corrected."""

LEAST_QUOTATION = 2
"""Letters that a quotation has to have."""


class Tooling(Learning, Keeping, Erasing):
    """What a store does for a language model."""

    def call_tool(
        self,
        user_id: str,
        name: str,
        arguments: str | Mapping[str, Any],
        *,
        user_turns: Messages,
        at: datetime | None = None,
        scope: str = "user",
    ) -> dict[str, Any]:
        """Execute one call of `aimemory.tools.TOOLS`; return JSON for the model to read.

        ``user_turns`` is the conversation so far, in which what the model quotes is looked
        up; the last of it was said ``at`` (now). An unknown tool, arguments that do not fit
        and ids that do not exist come back as ``{"error": …}``, for the model to try again.
        """
        identifier("user_id", user_id)
        said_at = datetime.now(UTC) if at is None else at
        turns = read_messages(user_turns, said_at, self._writer.learning.vocabulary)
        state = self._writer.user(user_id)
        window = Window(turns=turns, now=said_at, time_zone=state.time_zone)
        try:
            given = storable_json(read_arguments(name, arguments))
            match name:
                case "search_memory":
                    return self._tool_search(user_id, given, scope)
                case "add_memory" if not state.learning:
                    return _refused("this user does not want to be learnt from")
                case "add_memory":
                    return self._tool_add(user_id, given, window, scope)
                case "correct_memory":
                    return self._tool_correct(user_id, given, window)
                case _:
                    return self._tool_forget(user_id, given, window)
        except (InvalidInput, NotFound) as error:
            return {"error": str(error)}

    def _tool_search(
        self, user_id: str, given: Mapping[str, Any], scope: str
    ) -> dict[str, Any]:
        limit = 5 if given["limit"] is None else given["limit"]
        if not 1 <= limit <= MOST_HITS:
            raise InvalidInput(f"limit must be from 1 to {MOST_HITS}, not {limit}")
        scopes = None if scope == "user" else ["user", scope]
        hits = self.search(user_id, given["query"], limit, scopes=scopes)
        return {"memories": [_told(hit) for hit in hits]}

    def _tool_add(
        self, user_id: str, given: Mapping[str, Any], window: Window, scope: str
    ) -> dict[str, Any]:
        proposal = Proposal(
            content=given["content"].strip(),
            memory_type=given["memory_type"],
            importance_class=given["importance_class"],
            evidence=given["quote"],
            entities=[*dict.fromkeys(filter(None, map(str.strip, given["entities"])))],
            slot=(given["slot"] or "").strip() or None,
            standing=given["standing"],
        )
        [result] = self._writer.admit(user_id, [proposal], window, scope=scope)
        document: dict[str, Any] = storable_json(asdict(result))
        return document

    def _tool_correct(
        self, user_id: str, given: Mapping[str, Any], window: Window
    ) -> dict[str, Any]:
        before = self.get(user_id, read_id(given["memory_id"]))
        proposal = Proposal(
            content=given["content"].strip(),
            memory_type=before.memory_type,
            importance_class="ordinary",
            evidence=given["quote"],
        )
        wrong = problem(proposal, window, self._writer.learning.vocabulary)
        if wrong is not None:
            return _refused(wrong)
        memory = self.update(
            user_id,
            before.memory_id,
            content=proposal.content,
            reason="corrected by the user",
            changed_by=BY_TOOL,
        )
        return {
            "action": "corrected",
            "memory_id": str(memory.memory_id),
            "content": memory.content,
            "before": before.content,
        }

    def _tool_forget(
        self, user_id: str, given: Mapping[str, Any], window: Window
    ) -> dict[str, Any]:
        if not _is_said(given["quote"], window.turns):
            return _refused("not_grounded")
        memory_id = read_id(given["memory_id"])
        # Whoever asks for that does not want to be told it again after the next conversation.
        receipt = self.forget(user_id, memory_ids=[memory_id], veto=True)
        if not receipt.memories + receipt.archived:
            raise NotFound(f"there is no memory {memory_id}")
        return {"action": "forgotten", "memory_id": str(memory_id)}


def _is_said(quotation: str, turns: Sequence[Turn]) -> bool:
    quoted = significant(quotation)
    return len(quoted) >= LEAST_QUOTATION and any(
        quoted in significant(turn.content) for turn in turns if turn.role == "user"
    )


def _refused(reason: str) -> dict[str, Any]:
    return {"action": "rejected", "reason": reason}


def _told(hit: Hit) -> dict[str, Any]:
    told = {
        "memory_id": str(hit.memory_id),
        "content": hit.content,
        "memory_type": hit.memory_type,
        "updated_at": hit.updated_at.isoformat(),
        "valid_until": None if hit.valid_until is None else hit.valid_until.isoformat(),
        "before": [old.content for old in hit.history],
    }
    return {name: value for name, value in told.items() if value not in (None, [])}
