"""The 30 scenarios, with a scripted model and embeddings by concept: what the code decides.

The order of the file: what is stored and what is not comes first, then what is recalled.
"""

from __future__ import annotations

import logging

import pytest

from aimemory import MemoryStore
from aimemory.llm import OpenAIChat
from concepts import ConceptEmbedder
from script import Scenario, document, scenarios
from scripted import Script, ScriptedPlay
from scripted_llm import ScriptedLLM
from stage import Stage
from suite import Checks


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.scenario_id)
def test_scenario(
    scenario: Scenario,
    fresh_database: str,
    app_url: str,
    record: list[Checks],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="aimemory")
    caplog.set_level(logging.DEBUG, logger="openai")
    embedder = ConceptEmbedder(document()["concept_lexicon"])
    with ScriptedLLM() as server:
        chat = OpenAIChat("scripted", base_url=server.base_url, api_key="any", max_retries=0)
        with MemoryStore.open(app_url, embedder=embedder, llm=chat) as store:
            stage = Stage(store, fresh_database)
            try:
                checks = ScriptedPlay(scenario, stage, Script(server), lambda: caplog.text).run()
            finally:
                stage.close()
    record.append(checks)
    assert not checks.failures, "\n".join([scenario.title, *checks.failures])
