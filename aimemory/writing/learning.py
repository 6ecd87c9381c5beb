"""How a store learns: by rules, or with a language model and rules beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aimemory.llm import ChatModel
from aimemory.records import UserState
from aimemory.writing.judging import RuleJudge
from aimemory.writing.proposals import Extractor, Judge
from aimemory.writing.rule_extractor import RuleExtractor
from aimemory.writing.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """How a store learns."""

    vocabulary: Vocabulary
    extractor: Extractor
    judge: Judge
    fallback: Extractor
    """What learns when the day's calls of a language model are used up."""
    fallback_judge: Judge
    """What judges then, and with a user's row locked: it must take no model."""
    calls_per_day: int = 200
    """Calls of a language model per user and day; above, the fallback learns."""
    tokens_per_day: int = 200_000
    review: bool = False
    """True: nothing is stored before the user has said yes."""

    def is_spent(self, user: UserState) -> bool:
        """Return True when the user's day has no calls or tokens left."""
        return user.usage_calls >= self.calls_per_day or user.usage_tokens >= self.tokens_per_day

    @classmethod
    def by_rules(cls, vocabulary: Vocabulary | None = None) -> Learning:
        """Learn without any language model."""
        known = vocabulary or Vocabulary.load()
        rules = RuleExtractor(known)
        judge = RuleJudge()
        return cls(
            vocabulary=known,
            extractor=rules,
            judge=judge,
            fallback=rules,
            fallback_judge=judge,
        )

    @classmethod
    def by_model(
        cls,
        chat: ChatModel,
        vocabulary: Vocabulary | None = None,
        *,
        calls_per_day: int = 200,
        tokens_per_day: int = 200_000,
    ) -> Learning:
        """Let a language model propose, and judge where the rules are not sure."""
        # Imported here, because pydantic takes a while and rules do without it.
        from aimemory.writing.llm_extractor import LLMExtractor
        from aimemory.writing.llm_judge import LLMJudge

        rules = cls.by_rules(vocabulary)
        return replace(
            rules,
            extractor=LLMExtractor(chat),
            judge=LLMJudge(chat, rules.judge),
            calls_per_day=calls_per_day,
            tokens_per_day=tokens_per_day,
        )
