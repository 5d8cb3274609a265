"""What a canary asks in every dialect: one message, and a function that takes the line as its argument.

A dialect's module of asking has the members of `CanaryAsking`, or canaries are not sent in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from contracts import dialects

if TYPE_CHECKING:
    from collections.abc import Mapping

FUNCTION = "echo"
ARGUMENT = "text"
DESCRIPTION = "Takes one line of text exactly as it is."
PARAMETERS: Mapping[str, Any] = {
    "type": "object",
    "properties": {ARGUMENT: {"type": "string", "description": "The line, character for character."}},
    "required": [ARGUMENT],
}
DECLARED: Mapping[str, Any] = {"name": FUNCTION, "description": DESCRIPTION, "parameters": PARAMETERS}

Calls = Literal["forced", "offered", "none"]


class CanaryPath(Protocol):
    """Tells the path of a canary below the base URL."""

    def __call__(self, model: str, *, stream: bool) -> str:
        """Give the path."""


class CanaryAsking(Protocol):
    """How a dialect asks for an echo.

    `CALLS` says whether a call can be forced, only be offered, or does not exist.
    """

    CALLS: Calls

    def canary_path(self, model: str, *, stream: bool) -> str:
        """Give the path below the base URL."""

    def canary(self, model: str, prompt: str, cap: int, *, stream: bool, call: bool) -> bytes:
        """Give the body: a message, capped at so many tokens; with `call` the function is to be called."""


def same_path(path: str) -> CanaryPath:
    """Give the function that tells the path where it is the same for every model, streamed or not."""

    def canary_path(model: str, *, stream: bool) -> str:
        del model, stream
        return path

    return canary_path


def load(name: str) -> CanaryAsking | None:
    """Import how a dialect asks for an echo; None where it does not."""
    asking = dialects.load_asking(name)
    return cast("CanaryAsking", asking) if hasattr(asking, "canary") else None
