"""Any server that speaks the OpenAI chat API, through the official client."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from aimemory.errors import ExtractionFailed, InvalidInput
from aimemory.llm.dialect import MODES, Dialect, Mode
from aimemory.llm.protocol import Completion, Message, Structured, UnreadableReply
from aimemory.llm.repair import NotJson, read_json
from aimemory.llm.tokens import count_tokens
from aimemory.observing import model_call
from aimemory.openai_client import OpenAIConnection

if TYPE_CHECKING:
    import openai

logger = logging.getLogger(__name__)

LONGEST_COMPLAINT = 300


class OpenAIChat:
    """A model behind HTTP.

    ``base_url`` and ``api_key`` default to OPENAI_BASE_URL and OPENAI_API_KEY, as the
    client reads them. ``timeout`` is in seconds, per attempt; ``max_retries`` counts
    attempts after a time-out, a lost connection or an error of the server. ``mode`` says
    how to ask for JSON: ``auto`` begins with a strict schema and remembers what the server
    takes; one of `MODES` is used as it is.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        mode: Literal["auto"] | Mode = "auto",
    ) -> None:
        if mode != "auto" and mode not in MODES:
            raise InvalidInput(f"mode must be auto, {', '.join(MODES)}; not {mode!r}")
        self.model = model
        self._options = {
            "base_url": base_url,
            "api_key": api_key,
            "timeout": timeout,
            "max_retries": max_retries,
        }
        self._connection = OpenAIConnection(self._options, ExtractionFailed)
        self._dialect = Dialect() if mode == "auto" else Dialect(mode=mode, pinned=True)

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Completion:
        """Return the model's answer; raise ExtractionFailed if there is none."""
        completion = self._complete(messages, max_tokens=max_tokens, temperature=temperature)
        if not completion.text.strip():
            raise ExtractionFailed(
                f"{self._connection.address} sent an empty answer from {self.model!r}: "
                "ask again, or allow more tokens"
            )
        return completion

    def structured(
        self, messages: Sequence[Message], schema: Mapping[str, Any], name: str
    ) -> Structured:
        """Return the JSON value that the model answers; raise UnreadableReply for no JSON."""
        completion = self._complete(messages, schema=schema, name=name, temperature=0)
        try:
            reading = read_json(completion.text)
        except NotJson as error:
            problem = f"{error}; the token limit cut it" if completion.cut else str(error)
            raise UnreadableReply(
                f"{self.model!r} at {self._connection.address} sent no usable JSON: {problem}",
                problem=problem,
                text=completion.text,
                tokens=completion.tokens,
            ) from error
        return Structured(
            value=reading.value,
            tokens=completion.tokens,
            repaired=reading.repaired,
            truncated=reading.truncated,
            text=completion.text,
        )

    def _complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        name: str = "",
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Completion:
        import openai

        known = dialect = self._dialect
        while True:
            options = dialect.options(
                schema=schema, name=name, max_tokens=max_tokens, temperature=temperature
            )
            asked = dialect.messages(messages, schema)
            try:
                answer = self._create(asked, options)
            except openai.APIStatusError as error:
                simpler = dialect.after_refusal(error.status_code, error.message)
                if simpler is None:
                    raise self._failure(error) from error
                logger.info("the server refused %s: asking in a simpler way", sorted(options))
                dialect = simpler
            except openai.OpenAIError as error:
                raise self._failure(error) from error
            except ValueError as error:  # The client's own: no JSON in the answer.
                raise self._no_completion() from error
            else:
                if dialect is not known:
                    self._dialect = dialect
                return self._completion(answer, asked)

    def _create(self, messages: list[Message], options: dict[str, Any]) -> Any:
        completions: Any = self._connection.client.chat.completions
        with model_call():
            return completions.create(model=self.model, messages=messages, **options)

    def _completion(self, answer: Any, asked: list[Message]) -> Completion:
        """Read the client's object, of which a server may have left out any part."""
        choice = next(iter(getattr(answer, "choices", None) or ()), None)
        message = getattr(choice, "message", None)
        if message is None:
            raise self._no_completion()
        text = getattr(message, "content", None) or getattr(message, "refusal", None) or ""
        usage = getattr(answer, "usage", None)
        sent = getattr(usage, "prompt_tokens", None)
        written = getattr(usage, "completion_tokens", None)
        # A server that counts nothing must not make the calls look free.
        return Completion(
            text=text,
            prompt_tokens=sum(count_tokens(m["content"]) for m in asked) if sent is None else sent,
            completion_tokens=count_tokens(text) if written is None else written,
            cut=getattr(choice, "finish_reason", None) == "length",
        )

    def _no_completion(self) -> ExtractionFailed:
        return ExtractionFailed(
            f"{self._connection.address} sent no chat completion: does it speak the OpenAI chat "
            "API, and is OPENAI_BASE_URL right (most end with /v1)?"
        )

    def _failure(self, error: openai.OpenAIError) -> ExtractionFailed:
        """Say what happened and what to do about it."""
        import openai

        complaint = str(getattr(error, "message", error))[:LONGEST_COMPLAINT]
        match error:
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                advice = f"refused the API key ({error.status_code}): check OPENAI_API_KEY"
            case openai.NotFoundError():
                advice = (
                    f"answered 404: either it has no model {self.model!r}, or "
                    "OPENAI_BASE_URL is wrong (most end with /v1)"
                )
            case openai.RateLimitError():
                advice = f"answered 429, rate limit or quota reached, try later: {complaint}"
            case openai.InternalServerError():
                advice = f"answered {error.status_code}, try later: {complaint}"
            case openai.APIStatusError():
                advice = f"answered {error.status_code}: {complaint}"
            case openai.APITimeoutError():
                advice = (
                    f"gave no answer within {self._options['timeout']:g} s: "
                    "try again, or allow more time"
                )
            case openai.APIConnectionError():
                advice = (
                    f"cannot be reached ({error.__cause__ or error}): "
                    "is the server running, and is OPENAI_BASE_URL right?"
                )
            case _:
                advice = f"failed: {complaint}"
        return ExtractionFailed(f"{self._connection.address} {advice}")
