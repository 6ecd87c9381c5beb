"""An OpenAI-compatible server on loopback whose answers a test writes.

    with ScriptedLLM() as server:
        server.enqueue({"memories": []}, Failure(status=500))
        server.default = lambda request: {"memories": []} if request.name == "memories" else "Hi"
        chat = OpenAIChat("scripted", base_url=server.base_url, api_key="any")

Queued replies go first, one per request; then the default answers. A request that the
server refuses because of its ``response_format`` takes nothing from the queue.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

_ENCLOSED = re.compile(r"<(conversation|pair|question)>\n(.*?)\n</\1>", re.S)
_NAMES = {"conversation": "memories", "pair": "verdict", "question": "terms"}


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What a server does when it does not answer as it should."""

    status: int = 500
    body: Any = None
    """A string is sent as it is, anything else as JSON; None is an error of the API."""
    delay: float = 0.0
    """Seconds before anything is sent."""
    drop_connection: bool = False
    content_type: str = "application/json"


@dataclass(frozen=True)
class Request:
    """One request for a chat completion, parsed."""

    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        messages: list[dict[str, str]] = self.body["messages"]
        return messages

    @property
    def system(self) -> str:
        return "\n".join(m["content"] for m in self.messages if m["role"] == "system")

    @property
    def user(self) -> str:
        """The last message of the user."""
        return [m["content"] for m in self.messages if m["role"] == "user"][-1]

    @property
    def mode(self) -> str:
        """json_schema, json_object or text."""
        return str(self.body.get("response_format", {}).get("type", "text"))

    @property
    def name(self) -> str:
        """What is asked for: memories, verdict, terms, or chat."""
        found = self._enclosed()
        return _NAMES[found[1]] if found else "chat"

    @property
    def data(self) -> dict[str, Any]:
        """The conversation, pair of memories or question that travels as JSON."""
        found = self._enclosed()
        if found is None:
            raise ValueError("the request carries no data")
        data: dict[str, Any] = json.loads(found[2])
        return data

    @property
    def said(self) -> str:
        """All turns of the user in the conversation, one a line."""
        return "\n".join(t["content"] for t in self.data["turns"] if t["role"] == "user")

    def _enclosed(self) -> re.Match[str] | None:
        users = (m["content"] for m in self.messages if m["role"] == "user")
        return next(filter(None, map(_ENCLOSED.search, users)), None)


Value: TypeAlias = "str | dict[str, Any] | list[Any] | Failure | None"
"""The text of a message; a JSON value that becomes that text; or a failure."""
Reply: TypeAlias = "Value | Callable[[Request], Value]"


@dataclass
class ScriptedLLM:
    """The server; use it as a context manager."""

    default: Reply = field(default_factory=lambda: {"memories": []})
    refuses: set[str] = field(default_factory=set)
    """Kinds of response_format answered with 400: json_schema, json_object."""
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    )
    finish_reason: str = "stop"
    requests: list[Request] = field(default_factory=list)
    """Every request, the refused ones too."""
    base_url: str = ""

    def enqueue(self, *replies: Reply) -> None:
        self._queue.extend(replies)

    def __post_init__(self) -> None:
        self._queue: deque[Reply] = deque()
        self._closing = threading.Event()
        self._lock = threading.Lock()

    def __enter__(self) -> ScriptedLLM:
        handler = type("Handler", (_Handler,), {"script": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def reply_to(self, request: Request) -> Value:
        with self._lock:
            self.requests.append(request)
            if request.mode in self.refuses:
                message = f"'response_format' of type '{request.mode}' is not supported"
                return Failure(status=400, body={"error": {"message": message}})
            reply = self._queue.popleft() if self._queue else self.default
        return reply(request) if callable(reply) else reply

    def wait(self, seconds: float) -> None:
        """Wait, but not beyond the end of the test."""
        self._closing.wait(seconds)

    def completion(self, text: str) -> dict[str, Any]:
        message = {"role": "assistant", "content": text}
        answer = {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
        }
        return answer if self.usage is None else answer | {"usage": self.usage}


class _Handler(BaseHTTPRequestHandler):
    script: ScriptedLLM
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "test"}
        known = self.path.endswith("/models")
        self._send(200 if known else 404, {"object": "list", "data": [model]} if known else {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/chat/completions"):
            self._send(404, {"error": {"message": f"no such path: {self.path}"}})
            return
        reply = self.script.reply_to(Request(body))
        if isinstance(reply, Failure):
            self._fail(reply)
            return
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        self._send(200, self.script.completion(text))

    def _fail(self, failure: Failure) -> None:
        self.script.wait(failure.delay)
        if failure.drop_connection:
            self.close_connection = True
            return
        body = {"error": {"message": "scripted failure"}} if failure.body is None else failure.body
        self._send(failure.status, body, failure.content_type)

    def _send(self, status: int, body: Any, content_type: str = "application/json") -> None:
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:  # The client has given up.
            self.close_connection = True

    def log_message(self, *arguments: object) -> None:
        pass
