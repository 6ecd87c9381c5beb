"""Store methods for the user's say: candidates, vetoes, switches, and the digest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from aimemory.errors import NotFound
from aimemory.items import Item
from aimemory.records import Candidate, Digest, Memory, UserState, WriteResult
from aimemory.repository import AsyncMemoryRepository
from aimemory.store.finding_async import AsyncFinding
from aimemory.text import identifier
from aimemory.writing.applying_async import read_proposal


class AsyncReviewing(AsyncFinding):
    """What the user decides."""

    async def pending(self, user_id: str, *, limit: int = 100) -> list[Candidate]:
        """Return what waits for the user's yes or no, oldest first."""
        async with self._repository() as repository:
            return await repository.candidates(identifier("user_id", user_id), max_results=limit)

    async def approve(
        self, user_id: str, candidate_id: UUID, *, content: str | None = None
    ) -> WriteResult:
        """Store a pending memory, with other words if ``content`` is given; raise NotFound.

        It is compared with what is known as if it had just been said.
        """
        candidate = await self._candidate(user_id, candidate_id)
        proposal = read_proposal(candidate.proposal)
        if content is not None:
            proposal = replace(proposal, content=Item.read(content).content)
        results = await self._writer.write_all(
            user_id,
            [proposal],
            said_at=datetime.now(UTC),
            scope=candidate.scope,
            session_id=candidate.proposal.get("session_id"),
        )
        async with self._database.transaction() as connection:
            await AsyncMemoryRepository(connection).decide(
                user_id, candidate_id, approved=True, memory_id=results[0].memory_id
            )
        return results[0]

    async def reject(
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
        await self._candidate(user_id, candidate_id)
        async with self._database.transaction() as connection:
            await AsyncMemoryRepository(connection).decide(
                user_id, candidate_id, approved=False, reason=reason, veto_slot=veto_slot
            )

    async def veto(
        self, user_id: str, *, content: str | None = None, slot: str | None = None
    ) -> None:
        """Forbid learning a text, or anything in a slot; explicit adds are not affected."""
        async with self._database.transaction() as connection:
            await AsyncMemoryRepository(connection).add_veto(
                identifier("user_id", user_id), content=content, slot=slot
            )

    async def set_user(
        self, user_id: str, *, learning: bool | None = None, time_zone: str | None = None
    ) -> UserState:
        """Switch learning on or off, set the time zone (IANA), and return what holds now."""
        async with self._database.transaction() as connection:
            repository = AsyncMemoryRepository(connection)
            await repository.set_user(
                identifier("user_id", user_id), learning=learning, time_zone=time_zone
            )
            return await repository.user(user_id)

    async def digest(self, user_id: str, *, limit: int = 200) -> Digest:
        """Return what is remembered of a user, to be read and corrected by that user."""
        page = await self.list(user_id, limit=limit)
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

    async def _candidate(self, user_id: str, candidate_id: UUID) -> Candidate:
        async with self._repository() as repository:
            found = await repository.candidates(
                identifier("user_id", user_id), candidate_id=candidate_id
            )
        if not found:
            raise NotFound(f"no memory {candidate_id} waits for a decision of user {user_id!r}")
        return found[0]
