"""How dialect `gemini` asks: a tiny streamed chat, and a chat without a key. The model stands in the path."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

import msgspec
from msgspec import Struct

from contracts.dialects import openai_chat_ask
from contracts.dialects.canaries import ARGUMENT, DESCRIPTION, FUNCTION, Calls
from contracts.dialects.free import Cap, Temperature
from contracts.dialects.openai_chat_ask import PROMPT

CALLS: Calls = "forced"
CHAT = "/models/{id}:streamGenerateContent?alt=sse"  # the query makes it an event stream

headers = openai_chat_ask.headers


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a content: text, and neither a file nor a call."""

    text: str


class Content(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One content, of text alone."""

    role: Literal["user"]
    parts: tuple[Part, ...]


class GenerationConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The cap, and neither further candidates nor another kind of output."""

    max_output_tokens: Cap
    temperature: Temperature | None = None


class FreeChat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """All that the body of a free chat may hold; the other spelling of its members, which the API reads too, is not."""

    contents: tuple[Content, ...]
    generation_config: GenerationConfig

    @property
    def cap(self) -> int:
        """The most tokens that it may come to."""
        return self.generation_config.max_output_tokens


def chat_path(model: str) -> str:
    """Give the path of a model's streamed chat below the base URL; a slash in its name is no step of the path."""
    return CHAT.replace("{id}", quote(model.removeprefix("models/"), safe=""))


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny chat."""
    del model
    return _body(PROMPT, cap)


def probe(model: str) -> bytes:
    """Give the body of a chat that is sent without a key."""
    del model
    return _body("ping", 1)


def credentials(key: str) -> tuple[tuple[str, str], ...]:
    """Give the header that carries a key; in the query it would end up in logs."""
    return (("x-goog-api-key", key),)


def _body(text: str, cap: int) -> bytes:
    contents = [{"role": "user", "parts": [{"text": text}]}]
    return msgspec.json.encode({"contents": contents, "generationConfig": {"maxOutputTokens": cap}})


def canary_path(model: str, *, stream: bool) -> str:
    """Give the path of a chat, which says whether it is streamed."""
    path = chat_path(model)
    return path if stream else path.replace(":streamGenerateContent?alt=sse", ":generateContent")


def canary(model: str, prompt: str, cap: int, *, stream: bool, call: bool) -> bytes:
    """Give the body of a chat that asks for an echo."""
    del model, stream
    contents = [{"role": "user", "parts": [{"text": prompt}]}]
    body: dict[str, Any] = {"contents": contents, "generationConfig": {"maxOutputTokens": cap}}
    if call:
        # Types as the API's own schema of types writes them.
        parameters = {"type": "OBJECT", "properties": {ARGUMENT: {"type": "STRING"}}, "required": [ARGUMENT]}
        declared = {"name": FUNCTION, "description": DESCRIPTION, "parameters": parameters}
        calling = {"mode": "ANY", "allowedFunctionNames": [FUNCTION]}
        body |= {
            "tools": [{"functionDeclarations": [declared]}],
            "toolConfig": {"functionCallingConfig": calling},
        }
    return msgspec.json.encode(body)
