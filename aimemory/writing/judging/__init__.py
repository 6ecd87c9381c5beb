"""Judge how a new memory relates to a stored one, by rules and without a model."""

from aimemory.writing.judging.judge import RuleJudge
from aimemory.writing.judging.merging import LONGEST_MERGED, merged_text
from aimemory.writing.judging.scales import measure_memories

__all__ = ["LONGEST_MERGED", "RuleJudge", "measure_memories", "merged_text"]
