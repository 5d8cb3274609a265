"""Trials: what the provider plays and how it is asked; the usual ones, and those that cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.errors import ConfigError
from contracts.testing.scenario import choose, known_scenarios
from contracts.testing.writers import Writer

if TYPE_CHECKING:
    from collections.abc import Iterable

WHOLE, LONG = "whole:", "long:"
# Errors last: a gateway that stops asking a provider that fails would leave the others unseen.
USUAL = (
    *("declared", "honest", "lf", "cr", "no-space", "bom", "data-on-two-lines", "comments"),
    *("escaped", "byte-by-byte", "until-close", "gzip", "tool-calls", "reasoning", "prompt-filter", "pause-mid-stream"),
    *("json-invalid-utf8", "json-duplicate-keys", "usage-twice", "done-missing", "done-early", "sse-cut-short"),
    *("whole:honest", "whole:escaped", "long:honest"),
    *("error-mid-stream", "chunked-cut", "chunk-cut", "reset-mid-event", "length-too-long"),
    *("error-in-success", "rate-limited", "no-credit", "server-error", "bad-gateway", "close-at-once"),
)
_UNFIT = {
    "length-too-short": "what comes after the length that it claims is no part of the answer",
    "endless-body": "it has no end to be held to",
    "keep-alive-for-ever": "it has no end to be held to",
    "slow-headers": "it has no end to be held to",
    "line-200mb": "more comes than is read",
    "gzip-bomb": "more comes than is read",
    "not-http": "what it sends is no HTTP, and nothing that can be passed on",
}


class Trial(Struct, frozen=True, kw_only=True):
    """One question: `name` as it is selected, the scenario, and whether the answer is streamed.

    `is_long`: the prompt is. `calls`: a function is given, to be called.
    """

    name: str
    scenario: str
    does: str
    streamed: bool = True
    is_long: bool = False
    calls: bool = False


def trials(words: Iterable[str], writer: Writer) -> tuple[Trial, ...]:
    """Give the trials of these names, or the usual ones that a dialect has where none is named.

    Raises:
        ConfigError: for a name that is none, and for a scenario that cannot be judged here.
    """
    named = tuple(dict.fromkeys(words))
    if named:
        return tuple(_trial(word, writer) for word in named)
    known = known_scenarios(None)
    there = (word for word in USUAL if known[_scenario(word)].lacking(writer) is None)
    return tuple(_trial(word, writer) for word in there)


def _scenario(word: str) -> str:
    return word.removeprefix(WHOLE).removeprefix(LONG)


def _trial(word: str, writer: Writer) -> Trial:
    name = _scenario(word)
    (chosen,) = choose([name], (), writer)
    one = chosen.scenario
    why = _UNFIT.get(name)
    if chosen.kind is not None:
        why = f"only chats are sent through a relay; `{WHOLE}` asks for one that is not streamed"
    elif one.stage == "certificate":
        why = "TLS ends at the relay"
    elif one.shown in ("listing", "endpoints", "keyless"):
        why = "only chats that have a key are sent through a relay"
    if why:
        raise ConfigError(f"--scenario: expected one that a relay can be held to, found '{word}': {why}")
    is_long = LONG in word
    return Trial(
        name=word,
        scenario=name,
        does=f"{one.does} Is asked with 256 KiB of text." if is_long else one.does,
        streamed=not word.startswith(WHOLE) and one.shown != "chat",
        is_long=is_long,
        calls=name == "tool-calls",
    )
