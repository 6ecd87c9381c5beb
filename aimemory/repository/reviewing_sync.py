# Generated from aimemory/repository/reviewing_async.py by tools/unasync.py: edit that file.
"""Repository methods for the user's say: candidates, vetoes, switches, the cost guard."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from aimemory import statements
from aimemory.records import Candidate, UserState
from aimemory.repository.calls_sync import Calls


class Reviewing(Calls):
    """What the user decides."""

    def propose(
        self,
        user_id: str,
        content: str,
        *,
        memory_type: str,
        importance: float,
        scope: str,
        slot: str | None,
        proposal: Mapping[str, Any],
        as_of: datetime | None = None,
    ) -> UUID:
        """Put a memory before the user instead of storing it; return the candidate's id."""
        candidate_id: UUID = self._one(
            statements.PROPOSE,
            for_user=user_id,
            new_content=content,
            as_type=memory_type,
            with_importance=importance,
            in_scope=scope,
            in_slot=slot,
            everything=Jsonb(dict(proposal)),
            as_of=as_of,
        )
        return candidate_id

    def candidates(
        self,
        user_id: str,
        *,
        state: str = "pending",
        max_results: int = 100,
        candidate_id: UUID | None = None,
    ) -> list[Candidate]:
        """Return candidates in a state (pending, approved, rejected), oldest first.

        With ``candidate_id`` that one only, if it is the user's and in that state.
        """
        return self._all(
            statements.CANDIDATES,
            class_row(Candidate),
            for_user=user_id,
            with_state=state,
            max_rows=max_results,
            target=candidate_id,
        )

    def decide(
        self,
        user_id: str,
        candidate_id: UUID,
        *,
        approved: bool,
        memory_id: UUID | None = None,
        reason: str | None = None,
        veto_slot: bool = False,
        as_of: datetime | None = None,
    ) -> bool:
        """Record the user's yes or no; a no is a veto. False if nothing was pending."""
        return self._done(
            statements.DECIDE,
            for_user=user_id,
            target=candidate_id,
            is_approved=approved,
            as_memory=memory_id,
            why=reason,
            with_its_slot=veto_slot,
            as_of=as_of,
        )

    def add_veto(
        self,
        user_id: str,
        *,
        content: str | None = None,
        slot: str | None = None,
        reason: str | None = None,
    ) -> UUID:
        """Forbid learning a text, or anything in a slot; the text itself is not kept."""
        veto_id: UUID = self._one(
            statements.ADD_VETO,
            for_user=user_id,
            the_content=content,
            the_slot=slot,
            why=reason,
            as_of=None,
        )
        return veto_id

    def is_vetoed(self, user_id: str, content: str, slot: str | None = None) -> bool:
        """Tell whether the user has said no to a text or to a slot."""
        return self._done(
            statements.IS_VETOED, for_user=user_id, the_content=content, the_slot=slot
        )

    def count_usage(
        self, user_id: str, *, calls: int, tokens: int, as_of: datetime | None = None
    ) -> None:
        """Add to the day's use of language models."""
        self._all(
            statements.COUNT_USAGE,
            scalar_row,
            for_user=user_id,
            more_calls=calls,
            more_tokens=tokens,
            as_of=as_of,
        )

    def set_user(
        self, user_id: str, *, learning: bool | None = None, time_zone: str | None = None
    ) -> None:
        """Switch learning on or off, and set the time zone; None leaves a value alone."""
        self._all(
            statements.SET_USER,
            scalar_row,
            for_user=user_id,
            is_learning=learning,
            in_zone=time_zone,
            as_of=None,
        )

    def user(self, user_id: str, *, as_of: datetime | None = None) -> UserState:
        """Return a user's switches and today's usage; the defaults for an unknown user."""
        rows = self._all(
            statements.GET_USER, class_row(UserState), for_user=user_id, as_of=as_of
        )
        return rows[0] if rows else UserState()
