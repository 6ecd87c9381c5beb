"""The official OpenAI client, as the adapters for chat and for embeddings use it."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aimemory.errors import AimemoryError, MissingDependency

if TYPE_CHECKING:
    import openai


class OpenAIConnection:
    """A client that is made when it is first needed, once in every process.

    A forked child must not share its parent's open connections: each would read the
    other's answers. The connections are closed with this object; left to the garbage
    collector, a socket may go before the client that would have closed it.
    """

    def __init__(self, options: dict[str, Any], failure: type[AimemoryError]) -> None:
        self._options = options
        self._failure = failure
        self._client = self._connect()
        self._process = os.getpid()

    @property
    def client(self) -> openai.OpenAI:
        """The client of this process."""
        if self._process != os.getpid():
            self._client = self._connect()
            self._process = os.getpid()
        return self._client

    @property
    def address(self) -> str:
        """Where the server is, without a user name and password that the URL may carry."""
        url = urlsplit(str(self._client.base_url))
        port = f":{url.port}" if url.port else ""
        return f"{url.scheme}://{url.hostname}{port}{url.path.rstrip('/')}"

    def _connect(self) -> openai.OpenAI:
        try:
            import openai
        except ImportError as error:
            raise MissingDependency(
                "the openai client is not installed: pip install openai"
            ) from error
        try:
            client = openai.OpenAI(**self._options)
        except openai.OpenAIError as error:
            raise self._failure(
                "set OPENAI_API_KEY (a local server takes any value) and, for a server other than "
                "OpenAI's, OPENAI_BASE_URL"
            ) from error
        weakref.finalize(self, _close, client, os.getpid())
        return client


def _close(client: openai.OpenAI, process: int) -> None:
    if process == os.getpid():
        client.close()
