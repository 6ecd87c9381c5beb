from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from judging_cases import known, proposal

from aimemory.writing.judging import LONGEST_MERGED, RuleJudge, merged_text

SUBJECTS = ["用户", "我", "用户的表妹", "我舅舅", "年糕", "用户的猫年糕", "I", "My sister Anna"]
SAYINGS = [
    *("喜欢喝咖啡", "不喜欢喝咖啡", "现在六斤", "三岁了", "住在北京", "搬到上海了", "是个护士"),
    *("的生日是6月23号", "对花生过敏", "在腾讯上班", "不再抽烟", "最爱吃火锅", "养了一只猫"),
    *(" likes tea", " doesn't like tea", " lives in Berlin", " is 34 years old", " has a dog"),
]
sentences = st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(SAYINGS)).map("".join)
memories = st.lists(sentences, min_size=1, max_size=3).map("，".join)
anything = st.text(max_size=60)
quick = settings(max_examples=150, deadline=None, derandomize=True)


def judged(old: str, new: str, similarity: float | None = None) -> str:
    return RuleJudge().judge(proposal(new), known(old, similarity=similarity)).relation


@quick
@given(memories | anything)
def test_a_memory_never_contradicts_itself(text):
    assert judged(text, text) in ("duplicate", "unrelated")
    if not any(sign in text for sign in "?？吗") and any(map(str.isalnum, text)):
        assert judged(text, text, 1.0) != "contradicts"


@quick
@given(sentences, sentences)
def test_what_repeats_another_is_repeated_or_completed_by_it(one, two):
    if judged(one, two) == "duplicate":
        assert judged(two, one) in ("duplicate", "refines")


@quick
@given(memories, memories)
def test_width_and_spacing_change_nothing(one, two):
    wide = two.translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"})

    assert judged(one, two) == judged(one, f"  {wide} 。")
    assert judged(one, two) == judged(one, two.replace(" ", "  "))


@quick
@given(anything, anything, st.sampled_from([None, 0.0, 0.95, 1.2]))
def test_any_text_gets_a_verdict_and_a_text(one, two, similarity):
    verdict = RuleJudge().judge(proposal(two), known(one, similarity=similarity))

    assert verdict.reason
    assert isinstance(merged_text(known(one), proposal(two)), str)


@quick
@given(memories, sentences)
def test_a_merge_is_short_and_says_what_is_new(one, two):
    old, new = known(one), proposal(two)
    if RuleJudge().judge(new, old).relation == "refines":
        text = merged_text(old, new)
        assert len(text) <= LONGEST_MERGED
        assert judged(text, two) == "duplicate"


@quick
@given(sentences, sentences, st.floats(-1, 2))
def test_similarity_alone_never_supersedes(one, two, similarity):
    if judged(one, two) != "contradicts":
        assert judged(one, two, similarity) != "contradicts"
