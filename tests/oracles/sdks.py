"""The official Python SDKs, each with one client that asks a provider on loopback.

They are imported by name: with their types, mypy would have thousands of files more to read. Nothing is asked for
twice, and none of them is given anything of the user's.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from importlib import import_module, metadata
from typing import Any, Self

# Seconds until a client gives an answer up. On loopback only one that waits for what never comes gets there.
TIMEOUT_S = 3.0
ASKED = "Begrüße mich — 你好"
MESSAGES = [{"role": "user", "content": ASKED}]
PACKAGES = ("anthropic", "cohere", "google-genai", "ollama", "openai")
# What the SDKs and their HTTP clients take from the environment begins so.
VARIABLES = ("anthropic_", "co_", "cohere_", "gemini_", "google_", "ollama_", "openai_", "ssl_", "otel_")
PROXIES = ("_proxy",)  # and ends so


def installed() -> dict[str, str]:
    """Give the versions of the SDKs."""
    return {name: metadata.version(name) for name in PACKAGES}


def is_theirs(variable: str) -> bool:
    """Tell whether a variable of the environment could change what an SDK asks, or whom."""
    name = variable.lower()
    return name.startswith(VARIABLES) or name.endswith(PROXIES)


class Sdks:
    """One client of each SDK: making one takes as long as a dozen answers."""

    def __init__(self, url: str, model: str = "größe") -> None:
        """Ask the provider at `url` for a model."""
        self._url, self.model, self._open = url, model, ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _kept(self, client: Any) -> Any:
        """Keep a client until all are closed."""
        return self._open.enter_context(client)

    @cached_property
    def openai(self) -> Any:
        """For three dialects."""
        sdk = import_module("openai")
        return self._kept(sdk.OpenAI(api_key="key", base_url=f"{self._url}/v1", max_retries=0, timeout=TIMEOUT_S))

    @cached_property
    def anthropic(self) -> Any:
        """For the Messages API."""
        sdk = import_module("anthropic")
        return self._kept(sdk.Anthropic(api_key="key", base_url=self._url, max_retries=0, timeout=TIMEOUT_S))

    @cached_property
    def genai(self) -> Any:
        """For the native Gemini API."""
        sdk = import_module("google.genai")
        options = sdk.types.HttpOptions(base_url=self._url, timeout=int(TIMEOUT_S * 1000))
        return self._kept(sdk.Client(api_key="key", http_options=options))

    @cached_property
    def cohere(self) -> Any:
        """For the Chat API, v2."""
        sdk = import_module("cohere")
        return self._kept(sdk.ClientV2(api_key="key", base_url=self._url, timeout=TIMEOUT_S, max_retries=0))

    @cached_property
    def ollama(self) -> Any:
        """For the native Ollama API."""
        return self._kept(import_module("ollama").Client(host=self._url, timeout=TIMEOUT_S))
