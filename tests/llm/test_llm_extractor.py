"""Distilling with a model that keeps to the format, and with models that do not."""

from __future__ import annotations

import json
import logging
import socket
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from aimemory.errors import ExtractionFailed, InvalidInput
from aimemory.llm import OpenAIChat, UnreadableReply
from aimemory.writing.llm_extractor import LLMExtractor
from aimemory.writing.proposals import Extraction, Proposal, Turn, Window
from scripted_llm import Failure

NOW = datetime(2026, 1, 5, 1, 0, tzinfo=UTC)  # 09:00 in Shanghai, a Monday
CHINESE = "我家的猫叫年糕，昨天满三岁"
ENGLISH = "My cat is called 年糕 and turned three yesterday"
ITEM = {
    "content": "用户养了一只叫年糕的猫，2026-01-04满三岁",
    "type": "fact",
    "class": "identity_relation",
    "evidence": "我家的猫叫年糕",
    "entities": ["年糕/pet"],
    "slot": "年糕.profile",
    "event_at": "2026-01-04",
    "valid_until": None,
    "standing": False,
}
REPLY = json.dumps({"memories": [ITEM]}, ensure_ascii=False)


def window(*said, role="user", time_zone="Asia/Shanghai"):
    turns = [
        Turn(role=role, content=text, said_at=NOW, turn_no=number)
        for number, text in enumerate(said, 1)
    ]
    return Window(turns=turns, now=NOW, time_zone=time_zone)


@pytest.fixture
def extractor(chat):
    return LLMExtractor(chat)


def test_an_item_becomes_a_proposal(extractor, server):
    server.enqueue(REPLY)

    extraction = extractor.extract(window("在吗", CHINESE))

    assert (extraction.calls, extraction.tokens) == (1, 120)
    assert extraction.proposals == [
        Proposal(
            content=ITEM["content"],
            memory_type="fact",
            importance_class="identity_relation",
            evidence="我家的猫叫年糕",
            entities=("年糕/pet",),
            slot="年糕.profile",
            event_at=datetime(2026, 1, 4, tzinfo=ZoneInfo("Asia/Shanghai")),
            turn_no=2,
        )
    ]


@pytest.mark.parametrize("reply", ['{"memories": []}', "[]", "null", '{"memories": null}'])
def test_nothing_worth_keeping_is_a_normal_answer(extractor, server, reply):
    server.enqueue(reply)

    assert extractor.extract(window("hello")) == Extraction(proposals=[], calls=1, tokens=120)


def test_a_window_in_which_the_user_says_nothing_costs_no_call(extractor, server):
    assert extractor.extract(window("I recommend tea", role="assistant")) == Extraction()
    assert server.requests == []


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(REPLY, id="as asked"),
        pytest.param(json.dumps([ITEM]), id="a list without the object around it"),
        pytest.param(json.dumps(ITEM), id="a single item"),
        pytest.param(json.dumps({"memories": ITEM}), id="a single item, named"),
        pytest.param(json.dumps({"results": [ITEM]}), id="under another name"),
        pytest.param(json.dumps({"memories": {"memories": [ITEM]}}), id="nested"),
        pytest.param(f"好的：\n```json\n{REPLY}\n```", id="fenced, with prose"),
        pytest.param(REPLY.replace("}", ",}"), id="trailing commas"),
        pytest.param(str({"memories": [ITEM]}), id="as Python writes it"),
        pytest.param(REPLY.replace("年糕的猫", "\\u5e74糕\\的猫"), id="bad escapes"),
    ],
)
def test_one_call_is_enough_for_a_reply(extractor, server, reply):
    server.enqueue(reply)

    [proposal] = extractor.extract(window(CHINESE)).proposals

    assert proposal.content.replace("\\", "") == ITEM["content"]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "it is empty"),
        ("没有值得记住的信息。", "it contains no JSON"),
        ('"nothing"', "no list of memories"),
        ('{"error": "busy"}', "no list of memories"),
        ('{"memories": "none"}', "no list of memories"),
        ('["用户养了一只猫"]', "no item is valid: item"),
        (json.dumps([{"content": "用户养了一只猫"}]), "evidence (missing), type (missing)"),
        (REPLY[: REPLY.index("slot")], "it was cut off"),
    ],
)
def test_the_model_sees_its_error_once_and_can_do_better(extractor, server, reply, problem):
    server.enqueue(reply, REPLY)

    extraction = extractor.extract(window(CHINESE))

    assert len(extraction.proposals) == 1
    assert (extraction.calls, extraction.tokens) == (2, 240)
    first, second = server.requests
    *repeated, told = second.messages
    assert repeated[:2] == first.messages
    assert [message["content"] for message in repeated[2:]] == ([reply] if reply else [])
    assert problem in told["content"]


def test_after_two_useless_replies_the_extraction_has_failed(extractor, server):
    server.default = "There is nothing to remember."

    with pytest.raises(UnreadableReply, match=r"two replies .* extract again later") as caught:
        extractor.extract(window(CHINESE))

    assert len(server.requests) == 2
    assert (caught.value.calls, caught.value.tokens) == (2, 240)


def test_of_two_cut_replies_the_complete_items_are_kept(extractor, server, caplog):
    other = ITEM | {"content": "用户叫林小满", "evidence": "我叫林小满"}
    cut = json.dumps({"memories": [ITEM, other]}, ensure_ascii=False)[:-30]
    server.default = cut

    with caplog.at_level(logging.WARNING):
        extraction = extractor.extract(window(CHINESE))

    assert [proposal.content for proposal in extraction.proposals] == [ITEM["content"]]
    assert "both replies cut: 1 complete items kept" in caplog.text


def test_an_invalid_item_is_dropped_and_the_rest_kept(extractor, server, caplog):
    server.enqueue([{**ITEM, "evidence": None}, ITEM, {**ITEM, "type": 5}, {**ITEM, "content": ""}])

    with caplog.at_level(logging.WARNING):
        extraction = extractor.extract(window(CHINESE))

    assert len(extraction.proposals) == 1
    assert extraction.calls == 1
    dropped = [record.getMessage() for record in caplog.records]
    assert [line.split(" dropped: ")[0] for line in dropped] == [
        "item 1 of 4", "item 3 of 4", "item 4 of 4",
    ]  # fmt: skip
    assert [line.split(" dropped: ")[1].split()[0] for line in dropped] == [
        "evidence", "type", "content",
    ]  # fmt: skip


def test_a_fallback_takes_over_and_the_cost_is_not_forgotten(chat, server):
    class Rules:
        def extract(self, window):
            return Extraction(proposals=[given])

    given = Proposal(content="x", memory_type="fact", importance_class="ordinary", evidence="x")
    server.default = "no JSON"

    extraction = LLMExtractor(chat, fallback=Rules()).extract(window(CHINESE))

    assert extraction == Extraction(proposals=[given], calls=2, tokens=240)


def test_a_500_that_passes_goes_unnoticed(connect, server):
    server.enqueue(Failure(status=500), Failure(status=503), REPLY)

    assert len(LLMExtractor(connect(max_retries=2)).extract(window(CHINESE)).proposals) == 1


@pytest.mark.parametrize(
    ("failure", "options", "message", "requests"),
    [
        (Failure(status=500), {}, "answered 500, try later", 1),
        (Failure(status=500), {"max_retries": 1}, "answered 500, try later", 2),
        (Failure(delay=5), {"timeout": 0.2}, "no answer within", 1),
        (Failure(drop_connection=True), {}, "cannot be reached", 1),
    ],
)
def test_a_service_that_fails_is_not_asked_to_correct_itself(
    connect, server, failure, options, message, requests
):
    server.default = failure
    with pytest.raises(ExtractionFailed, match=message):
        LLMExtractor(connect(**options)).extract(window(CHINESE))
    assert len(server.requests) == requests


def test_a_refused_connection_is_an_extraction_failure():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    chat = OpenAIChat("m", base_url=url, api_key="any", max_retries=0)

    with pytest.raises(ExtractionFailed, match="is the server running"):
        LLMExtractor(chat).extract(window(CHINESE))


def test_ten_megabytes_twice_are_refused_in_bounded_time(extractor, server):
    server.default = '[{"content": "' + "猫" * 3_400_000
    began = time.monotonic()

    with pytest.raises(ExtractionFailed, match="characters"):
        extractor.extract(window(CHINESE))
    assert time.monotonic() - began < 5


def test_the_log_tells_what_happened_and_never_what_was_said(connect, server, caplog):
    secret = "密码是芝麻开门"
    item = ITEM | {"content": secret, "evidence": secret, "event_at": secret, "slot": secret}
    server.enqueue(
        f"好的 [{json.dumps(item)}]",
        {"memories": [item | {"type": secret}]},
        secret,
        Failure(status=400, body={"error": {"message": secret}}),
    )
    extractor = LLMExtractor(connect())

    with caplog.at_level(logging.DEBUG, logger="aimemory"):
        extractor.extract(window(secret))
        for _ in range(2):
            with pytest.raises(ExtractionFailed):
                extractor.extract(window(secret))
            server.enqueue("...", "...")

    logged = "\n".join(record.getMessage() for record in caplog.records if record.name[:2] == "ai")
    for happened in ["repaired", "left out", "dropped", "retried", "failed"]:
        assert happened in logged
    assert secret not in logged


def test_an_unusable_reply_is_shown_in_part_only(extractor, server):
    server.enqueue("x" * 50_000)
    extractor.extract(window(CHINESE))
    assert len(server.requests[1].messages[-2]["content"]) == 2000


def test_a_translated_memory_is_asked_for_again(extractor, server):
    translated = ITEM | {"content": "The user has a cat called Niangao"}
    server.enqueue([translated], [ITEM])

    [proposal] = extractor.extract(window(CHINESE)).proposals

    assert proposal.content == ITEM["content"]
    assert "not in the language of the user" in server.requests[1].user


def test_names_of_an_english_conversation_keep_their_characters(extractor, server):
    item = ITEM | {"content": "The user's cat is called 年糕", "evidence": "My cat is called 年糕"}
    server.enqueue([item])

    assert extractor.extract(window(ENGLISH)).proposals[0].content == item["content"]


def test_a_model_without_structured_output_extracts_too(extractor, server):
    server.refuses = {"json_schema", "json_object"}
    server.default = f"Sure!\n{REPLY}"

    assert len(extractor.extract(window(CHINESE)).proposals) == 1
    assert [request.mode for request in server.requests] == ["json_schema", "json_object", "text"]
    assert '"valid_until"' in server.requests[-1].system


def test_an_unknown_time_zone_is_the_callers_mistake(extractor):
    with pytest.raises(InvalidInput, match="Mars/Olympus"):
        extractor.extract(window(CHINESE, time_zone="Mars/Olympus"))
