# Generated from aimemory/store/reviewing_async.py by tools/unasync.py: edit that file.
"""Store methods for the user's say: candidates, vetoes, switches, and the digest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from aimemory.errors import NotFound
from aimemory.items import Item
from aimemory.records import Candidate, Digest, Memory, UserState, WriteResult
from aimemory.repository import MemoryRepository
from aimemory.store.finding_sync import Finding
from aimemory.text import identifier
from aimemory.writing.applying_sync import read_proposal


class Reviewing(Finding):
    """What the user decides."""

    def pending(self, user_id: str, *, limit: int = 100) -> list[Candidate]:
        """Return what waits for the user's yes or no, oldest first."""
        with self._repository() as repository:
            return repository.candidates(identifier("user_id", user_id), max_results=limit)

    def approve(
        self, user_id: str, candidate_id: UUID, *, content: str | None = None
    ) -> WriteResult:
        """Store a pending memory, with other words if ``content`` is given; raise NotFound.

        It is compared with what is known as if it had just been said.
        """
        candidate = self._candidate(user_id, candidate_id)
        proposal = read_proposal(candidate.proposal)
        if content is not None:
            proposal = replace(proposal, content=Item.read(content).content)
        results = self._writer.write_all(
            user_id,
            [proposal],
            said_at=datetime.now(UTC),
            scope=candidate.scope,
            session_id=candidate.proposal.get("session_id"),
        )
        with self._database.transaction() as connection:
            MemoryRepository(connection).decide(
                user_id, candidate_id, approved=True, memory_id=results[0].memory_id
            )
        return results[0]

    def reject(
        self,
        user_id: str,
        candidate_id: UUID,
        *,
        reason: str | None = None,
        veto_slot: bool = False,
    ) -> None:
        """Refuse a pending memory for good: it is not learnt again. Raises NotFound.

        With ``veto_slot`` nothing else is learnt into its slot either.
        """
        self._candidate(user_id, candidate_id)
        with self._database.transaction() as connection:
            MemoryRepository(connection).decide(
                user_id, candidate_id, approved=False, reason=reason, veto_slot=veto_slot
            )

    def veto(
        self, user_id: str, *, content: str | None = None, slot: str | None = None
    ) -> None:
        """Forbid learning a text, or anything in a slot; explicit adds are not affected."""
        with self._database.transaction() as connection:
            MemoryRepository(connection).add_veto(
                identifier("user_id", user_id), content=content, slot=slot
            )

    def set_user(
        self, user_id: str, *, learning: bool | None = None, time_zone: str | None = None
    ) -> UserState:
        """Switch learning on or off, set the time zone (IANA), and return what holds now."""
        with self._database.transaction() as connection:
            repository = MemoryRepository(connection)
            repository.set_user(
                identifier("user_id", user_id), learning=learning, time_zone=time_zone
            )
            return repository.user(user_id)

    def digest(self, user_id: str, *, limit: int = 200) -> Digest:
        """Return what is remembered of a user, to be read and corrected by that user."""
        page = self.list(user_id, limit=limit)
        by_type: dict[str, list[Memory]] = {}
        for memory in page.memories:
            by_type.setdefault(memory.memory_type, []).append(memory)
        lines: list[str] = []
        for memory_type, memories in sorted(by_type.items()):
            lines += [f"## {memory_type}", ""]
            lines += [
                f"- {memory.content} ({memory.updated_at.date()}, {str(memory.memory_id)[:8]})"
                for memory in memories
            ]
            lines.append("")
        return Digest(text="\n".join(lines).strip(), memories=page.memories)

    def _candidate(self, user_id: str, candidate_id: UUID) -> Candidate:
        with self._repository() as repository:
            found = repository.candidates(
                identifier("user_id", user_id), candidate_id=candidate_id
            )
        if not found:
            raise NotFound(f"no memory {candidate_id} waits for a decision of user {user_id!r}")
        return found[0]
