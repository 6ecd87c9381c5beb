"""Ask a language model, through one protocol with one adapter.

Importing this package imports no client; making an `OpenAIChat` does. A call may take
seconds, so never hold a database connection meanwhile. Everything here is synchronous
and safe to call from several threads; asynchronous code awaits ``asyncio.to_thread``.
"""

from aimemory.llm.openai import OpenAIChat
from aimemory.llm.opening import open_chat_model
from aimemory.llm.protocol import ChatModel, Completion, Message, Structured, UnreadableReply
from aimemory.llm.repair import NotJson, Reading, read_json
from aimemory.llm.tokens import TokenCounter, count_tokens

__all__ = [
    "ChatModel",
    "Completion",
    "Message",
    "NotJson",
    "OpenAIChat",
    "Reading",
    "Structured",
    "TokenCounter",
    "UnreadableReply",
    "count_tokens",
    "open_chat_model",
    "read_json",
]
