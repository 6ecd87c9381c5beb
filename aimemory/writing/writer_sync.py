# Generated from aimemory/writing/writer_async.py by tools/unasync.py: edit that file.
"""Learn from turns: propose, check, compare with what is known, and store.

The order is that of cost and of certainty. Rules take out what is not worth a
thought; an extractor proposes; every proposal is checked against what was said;
and only then is it compared with what is stored. No connection is held while a
model works. The comparison is made twice: before, at leisure, and again inside
the transaction with the user's row locked. If anything new has turned up in
between, the rules judge it there; what would take a model starts over.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from aimemory.calling import in_place
from aimemory.database_sync import Database
from aimemory.encoding import Encoder
from aimemory.errors import AimemoryError, NotFound
from aimemory.llm.usage import Usage, metered
from aimemory.records import Nominee, UserState, WriteResult
from aimemory.registration_sync import Registration
from aimemory.repository import MemoryRepository
from aimemory.writing.applying_sync import Plan, apply, propose
from aimemory.writing.clauses import reduced
from aimemory.writing.decisions import Decision, decide
from aimemory.writing.grounding import Grounding
from aimemory.writing.learning import Learning
from aimemory.writing.proposals import (
    Extraction,
    Judge,
    Proposal,
    Turn,
    Window,
)

logger = logging.getLogger(__name__)

ATTEMPTS = 20


class Changed(Exception):
    """Somebody else wrote in between: compare again."""


class Writer:
    """Turns what was said into memories of one user at a time."""

    def __init__(
        self,
        database: Database,
        encoder: Encoder,
        registration: Registration,
        learning: Learning,
    ) -> None:
        self._database = database
        self._encoder = encoder
        self._registration = registration
        self.learning = learning

    def learn(
        self,
        user_id: str,
        turns: Sequence[Turn],
        *,
        scope: str = "user",
        session_id: str | None = None,
        review: bool | None = None,
    ) -> list[WriteResult]:
        """Learn from turns; return one result per proposal, in the order they were made.

        Raises ExtractionFailed when the language model gave no usable answer.
        """
        state = self.user(user_id)
        statements = reduced(turns, self.learning.vocabulary)
        if not state.learning or not any(turn.role == "user" for turn in statements):
            return []
        window = Window(turns=turns, now=turns[-1].said_at, time_zone=state.time_zone)
        extraction = self._extract(user_id, replace(window, turns=statements), state)
        return self.admit(
            user_id,
            extraction.proposals,
            window,
            scope=scope,
            session_id=session_id,
            review=review,
        )

    def admit(
        self,
        user_id: str,
        proposals: Sequence[Proposal],
        window: Window,
        *,
        scope: str = "user",
        session_id: str | None = None,
        review: bool | None = None,
    ) -> list[WriteResult]:
        """Store what was said in the window and may be stored; refuse the rest with a reason."""
        accepted: list[Proposal] = []
        results: list[WriteResult | None] = []
        grounding = Grounding(window, self.learning.vocabulary)
        for proposal in proposals:
            wrong = grounding.problem(proposal)
            if wrong is None and self._vetoed(user_id, proposal):
                wrong = "vetoed"
            if wrong is None:
                accepted.append(proposal)
            results.append(
                None
                if wrong is None
                else WriteResult(action="rejected", reason=wrong, memory_id=None)
            )
        queue = self.learning.review if review is None else review
        written = iter(
            self.write_all(
                user_id,
                accepted,
                said_at=window.now,
                scope=scope,
                session_id=session_id,
                review=queue,
            )
        )
        return [next(written) if result is None else result for result in results]

    def write_all(
        self,
        user_id: str,
        proposals: Sequence[Proposal],
        *,
        said_at: datetime,
        scope: str = "user",
        session_id: str | None = None,
        review: bool = False,
    ) -> list[WriteResult]:
        """Store checked proposals, one after the other: each may build on the one before."""
        if not proposals:
            return []
        encoded = in_place(self._encoder.documents, [p.content for p in proposals])
        self._registration.ensure()
        return [
            self._write(
                Plan(
                    user_id=user_id,
                    proposal=proposal,
                    vectors=vectors,
                    scope=scope,
                    session_id=session_id,
                    said_at=said_at,
                ),
                review,
            )
            for proposal, vectors in zip(proposals, encoded, strict=True)
        ]

    def _extract(self, user_id: str, window: Window, state: UserState) -> Extraction:
        extractor = self.learning.extractor
        if self.learning.is_spent(state) and extractor is not self.learning.fallback:
            logger.warning("the day's calls are used up: rules learn from the turns of this user")
            extractor = self.learning.fallback
        with metered() as usage:
            try:
                extraction = in_place(extractor.extract, window)
                usage.add(extraction.calls, extraction.tokens)
            finally:
                # What a failure has cost has been spent all the same.
                self._count(user_id, usage)
        return extraction

    def _write(self, plan: Plan, review: bool) -> WriteResult:
        for _ in range(ATTEMPTS):
            nominees, judge = self._probe(plan)
            with metered() as usage:
                decision = in_place(decide, judge, plan.proposal, nominees)
            self._count(plan.user_id, usage)
            merged = (
                (in_place(self._encoder.documents, [decision.merged_text]))[0]
                if decision.merged_text is not None
                else None
            )
            try:
                with self._database.transaction() as connection:
                    repository = MemoryRepository(connection)
                    repository.lock(plan.user_id)
                    found = _nominees(repository, plan)
                    if found != nominees:
                        decision = self._decide_again(judge, plan, found)
                    if review and decision.action != "duplicate":
                        return propose(repository, plan, decision)
                    return apply(repository, replace(plan, merged=merged), decision)
            except (Changed, NotFound):
                continue
        raise AimemoryError("the same memories keep changing: try again when others write less")

    def _decide_again(self, judge: Judge, plan: Plan, nominees: Sequence[Nominee]) -> Decision:
        """Judge what has turned up in between, with the lock held, if that takes no model."""
        if judge is not self.learning.fallback_judge:
            raise Changed
        decision = decide(judge, plan.proposal, nominees)
        if decision.merged_text is not None:
            raise Changed
        return decision

    def _probe(self, plan: Plan) -> tuple[list[Nominee], Judge]:
        """Return what the proposal is compared with, and who compares on this day's budget."""
        learning = self.learning
        judge = learning.judge
        with self._database.connection() as connection:
            repository = MemoryRepository(connection)
            if judge is not learning.fallback_judge:
                spent = learning.is_spent(repository.user(plan.user_id))
                judge = learning.fallback_judge if spent else judge
            return _nominees(repository, plan), judge

    def _count(self, user_id: str, usage: Usage) -> None:
        if usage.calls:
            with self._database.transaction() as connection:
                MemoryRepository(connection).count_usage(
                    user_id, calls=usage.calls, tokens=usage.tokens
                )

    def user(self, user_id: str) -> UserState:
        """Return the user's switches, and what learning has cost today."""
        with self._database.connection() as connection:
            return MemoryRepository(connection).user(user_id)

    def _vetoed(self, user_id: str, proposal: Proposal) -> bool:
        with self._database.connection() as connection:
            return MemoryRepository(connection).is_vetoed(
                user_id, proposal.content, proposal.slot
            )


def _nominees(repository: MemoryRepository, plan: Plan) -> list[Nominee]:
    return repository.probe(
        plan.user_id,
        plan.proposal.content,
        scope=plan.scope,
        slot=plan.proposal.slot,
        vector=plan.vectors.vectors[0] if plan.vectors.vectors else None,
        model=plan.vectors.model,
    )
