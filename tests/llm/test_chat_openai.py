"""Servers that misbehave, seen through the real openai client."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
import time

import pytest

from aimemory.errors import ExtractionFailed, InvalidInput, MissingDependency
from aimemory.llm import ChatModel, OpenAIChat, UnreadableReply, open_chat_model
from scripted_llm import Failure

HELLO = [{"role": "user", "content": "hello"}]
ASK = [{"role": "system", "content": "Answer in JSON."}, {"role": "user", "content": "hello"}]
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}


def test_an_answer_comes_with_its_tokens(chat, server):
    server.enqueue("Good day")

    completion = chat.chat(HELLO, max_tokens=50, temperature=0.5)

    assert isinstance(chat, ChatModel)
    assert completion.text == "Good day"
    assert (completion.prompt_tokens, completion.completion_tokens) == (100, 20)
    assert completion.tokens == 120
    sent = server.requests[0].body
    assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("scripted", 50, 0.5)
    assert sent["messages"] == HELLO
    assert "response_format" not in sent


def test_tokens_that_a_server_does_not_count_are_estimated(chat, server):
    server.usage = None
    server.enqueue("你好 there")

    completion = chat.chat(HELLO)

    assert (completion.prompt_tokens, completion.completion_tokens) == (2, 4)


def test_an_empty_answer_is_a_failure(chat, server):
    server.enqueue("  ")
    with pytest.raises(ExtractionFailed, match="empty answer"):
        chat.chat(HELLO)


def test_a_strict_schema_is_asked_for_first(chat, server):
    server.enqueue({"word": "hi"})

    reply = chat.structured(ASK, SCHEMA, "greeting")

    assert reply.value == {"word": "hi"}
    assert (reply.tokens, reply.calls, reply.repaired) == (120, 1, False)
    sent = server.requests[0].body
    described = {"name": "greeting", "schema": SCHEMA, "strict": True}
    assert sent["response_format"] == {"type": "json_schema", "json_schema": described}
    assert sent["temperature"] == 0
    assert sent["messages"] == ASK


@pytest.mark.parametrize(
    ("refuses", "modes"),
    [
        ({"json_schema"}, ["json_schema", "json_object", "json_object"]),
        ({"json_schema", "json_object"}, ["json_schema", "json_object", "text", "text"]),
    ],
)
def test_what_a_server_refuses_is_not_tried_again(chat, server, refuses, modes):
    server.refuses = refuses
    server.default = {"word": "hi"}

    first = chat.structured(ASK, SCHEMA, "greeting")
    second = chat.structured(ASK, SCHEMA, "greeting")

    assert [request.mode for request in server.requests] == modes
    assert (first.value, first.calls) == (second.value, second.calls) == ({"word": "hi"}, 1)


def test_a_server_without_schemas_reads_the_schema_in_the_first_message(chat, server):
    server.refuses = {"json_schema"}

    chat.structured(ASK, SCHEMA, "greeting")

    system, user = server.requests[-1].messages
    assert system["content"].startswith("Answer in JSON.")
    assert '"additionalProperties": false' in system["content"]
    assert user == ASK[1]


@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_the_complaint_decides_and_not_the_status(chat, server, status):
    body = {"error": {"message": "unknown field: response_format"}}
    server.enqueue(Failure(status=status, body=body), {"word": "hi"})

    assert chat.structured(ASK, SCHEMA, "greeting").value == {"word": "hi"}


def test_a_complaint_about_something_else_is_not_answered_with_another_mode(chat, server):
    body = {"error": {"message": "context length exceeded"}}
    server.enqueue(Failure(status=400, body=body))

    with pytest.raises(ExtractionFailed, match=r"400: .*context length exceeded"):
        chat.structured(ASK, SCHEMA, "greeting")
    assert len(server.requests) == 1


@pytest.mark.parametrize("mode", ["json_schema", "json_object", "text"])
def test_a_pinned_mode_is_kept(connect, server, mode):
    server.refuses = {"json_schema", "json_object"}
    server.default = {"word": "hi"}
    chat = connect(mode=mode)

    if mode == "text":
        assert chat.structured(ASK, SCHEMA, "greeting").value == {"word": "hi"}
    else:
        with pytest.raises(ExtractionFailed, match="response_format"):
            chat.structured(ASK, SCHEMA, "greeting")
    assert [request.mode for request in server.requests] == [mode]


def test_an_unknown_mode_is_refused():
    with pytest.raises(InvalidInput, match="json_object"):
        OpenAIChat("m", base_url="http://127.0.0.1:1/v1", api_key="any", mode="yaml")


def test_newer_models_get_the_names_that_they_take(chat, server):
    def picky(request):
        for name, advice in [("max_tokens", "use max_completion_tokens"), ("temperature", "")]:
            if name in request.body:
                message = f"unsupported parameter {name}: {advice}"
                return Failure(status=400, body={"error": {"message": message}})
        return "Good day"

    server.default = picky
    for _ in range(2):
        chat.chat(HELLO, max_tokens=50, temperature=0)

    assert len(server.requests) == 4
    assert server.requests[-1].body["max_completion_tokens"] == 50


def test_a_reply_that_is_no_json_carries_what_it_cost(chat, server):
    server.enqueue("No idea.")

    with pytest.raises(UnreadableReply, match=r"'scripted' at http://127.* no JSON") as caught:
        chat.structured(ASK, SCHEMA, "greeting")

    assert caught.value.text == "No idea."
    assert (caught.value.calls, caught.value.tokens) == (1, 120)


def test_the_token_limit_is_named_where_it_cut_the_reply(chat, server):
    server.finish_reason = "length"
    server.enqueue("")
    with pytest.raises(UnreadableReply, match="token limit"):
        chat.structured(ASK, SCHEMA, "greeting")


def test_errors_that_pass_are_retried(connect, server):
    server.enqueue(Failure(status=500), Failure(drop_connection=True), "Good day")

    assert connect(max_retries=2).chat(HELLO).text == "Good day"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (Failure(status=500), "answered 500, try later: .*scripted failure"),
        (Failure(status=401), "refused the API key .401.: check OPENAI_API_KEY"),
        (Failure(status=404), "no model 'scripted', or OPENAI_BASE_URL is wrong"),
        (Failure(status=429), "rate limit or quota"),
        (Failure(drop_connection=True), "cannot be reached"),
        (Failure(status=200, body={"hello": "world"}), "sent no chat completion"),
        (Failure(status=200, body={"choices": []}), "sent no chat completion"),
        (Failure(status=200, body="{broken"), "sent no chat completion"),
        (Failure(status=200, body="<html>", content_type="text/html"), "sent no chat completion"),
    ],
)
def test_a_failure_says_what_to_do(chat, server, failure, message):
    server.default = failure
    with pytest.raises(ExtractionFailed, match=message):
        chat.chat(HELLO)


def test_a_long_complaint_is_cut(chat, server):
    server.enqueue(Failure(status=400, body={"error": {"message": "x" * 10_000}}))
    with pytest.raises(ExtractionFailed) as caught:
        chat.chat(HELLO)
    assert len(str(caught.value)) < 500


def test_a_silent_server_is_given_up_after_the_timeout(connect, server):
    server.enqueue(Failure(delay=5))
    began = time.monotonic()

    with pytest.raises(ExtractionFailed, match=r"no answer within 0\.2 s"):
        connect(timeout=0.2).chat(HELLO)
    assert time.monotonic() - began < 2


def test_a_refused_connection_says_where_and_hides_the_password():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://user:secret@127.0.0.1:{probe.getsockname()[1]}/v1"
    chat = OpenAIChat("m", base_url=url, api_key="any", max_retries=0)

    with pytest.raises(ExtractionFailed, match=r"127\.0\.0\.1:\d+/v1 cannot be reached") as caught:
        chat.chat(HELLO)
    assert "secret" not in str(caught.value)


def test_ten_megabytes_are_refused_quickly(chat, server):
    server.enqueue('[{"content": "' + "x" * 10_000_000)
    began = time.monotonic()

    with pytest.raises(UnreadableReply, match="characters"):
        chat.structured(ASK, SCHEMA, "greeting")
    assert time.monotonic() - began < 3


def test_a_forked_child_opens_its_own_connection(chat, server):
    server.default = "Good day"
    chat.chat(HELLO)
    before = chat._connection.client
    chat._connection._process = os.getpid() + 1  # As if this were the child.

    assert chat.chat(HELLO).text == "Good day"
    assert chat._connection.client is not before


def test_a_model_is_opened_by_its_name(monkeypatch, server):
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    server.default = "Good day"

    chat = open_chat_model("openai:qwen3:4b")

    assert chat.model == "qwen3:4b"
    assert chat.chat(HELLO).text == "Good day"


@pytest.mark.parametrize("spec", ["", "openai", "openai:", "gpt-4", "OpenAI:x"])
def test_an_unknown_spec_is_answered_with_the_valid_forms(spec):
    with pytest.raises(InvalidInput, match="openai:MODEL"):
        open_chat_model(spec)


def test_a_missing_key_names_the_variables(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ExtractionFailed, match="OPENAI_API_KEY"):
        open_chat_model("openai:gpt")


def test_a_missing_client_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingDependency, match="pip install openai"):
        open_chat_model("openai:gpt")


def test_importing_imports_no_client():
    code = "import sys, aimemory, aimemory.llm; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_connections_are_closed_before_the_collector_finds_them(connect):
    """Left to the collector, a socket may go first, with a warning in whatever test runs then."""
    chat = connect()
    chat.chat(HELLO)
    client = chat._connection.client
    assert not client.is_closed()

    del chat
    gc.collect()

    assert client.is_closed()
