"""What reads each dialect: calls of the official SDKs, by the names that the table of differences has for them."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracles import read_anthropic, read_cohere, read_gemini, read_ollama, read_openai
from tests.oracles.sdks import Sdks
from tests.oracles.told import Notes

# Reads one answer into the notes; whether to ask for a stream, and the path that was asked when it was recorded.
Client = Callable[[Sdks, Notes, bool, str], None]

# Those named `.stream` put a stream together themselves, and have no call for what is not streamed.
CLIENTS: dict[str, dict[str, Client]] = {
    "anthropic-messages": {
        "anthropic messages.create": read_anthropic.anthropic_messages,
        "anthropic messages.stream": read_anthropic.anthropic_messages_stream,
    },
    "cohere": {"cohere v2.chat": read_cohere.cohere},
    "gemini": {"google-genai generate_content": read_gemini.gemini},
    "ollama": {"ollama chat": read_ollama.ollama},
    "openai-chat": {
        "openai chat.completions.create": read_openai.openai_chat,
        "openai chat.completions.stream": read_openai.openai_chat_stream,
    },
    "openai-completions": {"openai completions.create": read_openai.openai_completions},
    "openai-responses": {
        "openai responses.create": read_openai.openai_responses,
        "openai responses.stream": read_openai.openai_responses_stream,
    },
}


def of(dialect: str, *, streamed: bool) -> dict[str, Client]:
    """The clients that can read an answer of a dialect."""
    return {n: client for n, client in CLIENTS[dialect].items() if streamed or not n.endswith(".stream")}
