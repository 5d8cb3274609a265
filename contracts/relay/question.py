"""What was asked for and what is asked: the settings of a run, read, and the requests of its trials."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from contracts import dialects
from contracts.dialects import canaries
from contracts.errors import ConfigError
from contracts.evidence import keys
from contracts.relay.prompt import harden, prompt
from contracts.relay.received import Question
from contracts.testing.answer import EVENTS, LINES
from contracts.testing.writers import load
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contracts.evidence.keys import Key
    from contracts.relay.trial import Trial

LISTEN = "127.0.0.1:8977"
CAP = 64  # tokens; the honest answer is ten pieces
PORTS = 65_536
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class RelaySettings(Struct, frozen=True, kw_only=True):
    """What `contracts relay-check` was asked to do.

    Attributes:
        url: the base URL of the relay's API.
        listen: the address and port at which the provider is played, which the relay's upstream has to be.
        key: the variable that holds the key for the relay; None sends none.
        model: the id that the relay is asked for; None is the provider's own.
        dialect: the wire API on both sides.
        scenarios: trials by name; none are the usual ones.
        timeout_s: limit for each trial, in seconds.
    """

    url: str
    listen: str = LISTEN
    key: str | None = None
    model: str | None = None
    dialect: str = "openai-chat"
    scenarios: tuple[str, ...] = ()
    timeout_s: float = 20.0


def base_url(url: str) -> str:
    """Give a base URL without a slash at its end, query and user.

    Raises:
        ConfigError: for what is no http or https URL, or holds a key.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = SplitResult("", "", "", "", ""), None
    # What stands before an @, or in a query, may be a key: it is neither sent nor shown.
    is_plain = not (parts.username or parts.password or parts.query or parts.fragment)
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain or port == 0:
        shown = scrub(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl(), 100)
        raise ConfigError(f"relay-check: expected http://HOST/PATH without user and query, found '{shown}'")
    if not (url.isascii() and url.isprintable()) or " " in url:
        raise ConfigError("relay-check: expected a URL in ASCII, found other characters")
    return url.rstrip("/")


def address(text: str) -> tuple[str, int]:
    """Read `HOST:PORT`. Raises ConfigError."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) >= PORTS:
        raise ConfigError(f"--listen: expected HOST:PORT, found '{scrub(text, 100)}'")
    return host.strip("[]"), int(port)


def key_in(variable: str | None, environ: Mapping[str, str]) -> Key | None:
    """Find the key for the relay.

    Raises:
        ConfigError: where there is none, or what was given is no name of a variable; it is not shown, as it may be
            the key itself.
    """
    if variable is None:
        return None
    if not _VARIABLE.fullmatch(variable):
        raise ConfigError("--key: expected the name of a variable, found something else; a key is never an argument")
    key, why = keys.find(variable, environ)
    if key is None:
        raise ConfigError(f"--key: {why}")
    return key


def question(settings: RelaySettings, trial: Trial, model: str, word: str, key: Key | None) -> Question:
    """Make the request of a trial; `word` stands in its text, by which the provider knows it again."""
    asking, chat = dialects.load_asking(settings.dialect), canaries.load(settings.dialect)
    if asking is None or chat is None:
        raise ConfigError(f"--dialect {settings.dialect}: expected one that is known how to ask, found none")
    text, is_call = prompt(word, is_long=trial.is_long), trial.calls and chat.CALLS != "none"
    body = msgspec.json.decode(chat.canary(model, text, CAP, stream=trial.streamed, call=is_call))
    harden(body)
    stream = LINES if load(settings.dialect).NDJSON else EVENTS
    return Question(
        url=f"{base_url(settings.url)}{chat.canary_path(model, stream=trial.streamed)}",
        accept=stream if trial.streamed else "application/json",
        labels=asking.headers(),
        credentials=asking.credentials(key.reveal()) if key is not None else (),
        body=msgspec.json.encode(body),
    )
