from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from aimemory.writing.proposals import Proposal
from aimemory.writing.templates import filled
from aimemory.writing.vocabulary import Vocabulary

EXAMPLES = [
    (said, content)
    for language in Vocabulary.load().languages.values()
    for template in language.templates
    for said, content in template.examples.items()
]


def test_every_template_has_an_example(vocabulary: Vocabulary) -> None:
    for language in vocabulary.languages.values():
        for template in language.templates:
            assert template.examples, template.pattern.pattern


@pytest.mark.parametrize(("said", "content"), EXAMPLES)
def test_the_example_of_a_template_gives_what_it_promises(
    said: str, content: str, learn: Callable[..., Sequence[Proposal]]
) -> None:
    assert content in [proposal.content for proposal in learn(said)]


def test_no_example_sentence_is_learnt_from_an_empty_chat(
    learn: Callable[..., Sequence[Proposal]],
) -> None:
    assert learn() == []
    assert learn("", ("assistant", "Hello!")) == []


def test_a_form_takes_the_first_value_and_the_first_filter_that_answer() -> None:
    filters = {"none": lambda said: None, "loud": lambda said: said.upper()}

    assert filled("{a|b}.x", {"a": "", "b": "tea"}, filters) == "tea.x"
    assert filled("user.{b:none|loud}", {"b": "tea"}, filters) == "user.TEA"
    assert filled("user.{b:none}", {"b": "tea"}, filters) is None
    assert filled("user.{c}", {"b": "tea"}, filters) is None
    assert filled("a{c}b", {"c": ""}, filters) == "ab"
