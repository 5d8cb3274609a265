"""Notes to a webhook: `https://HOST/PATH?secret=VARIABLE`, one POST of a JSON list of all notes of a run.

With a secret the body is signed: `X-Contracts-Signature: sha256=` and the HMAC-SHA256 of its bytes in hexadecimal. The
standard library will do: one request at the end of a run, that needs neither HTTP/2 nor a connection kept.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException, HTTPMessage
from ipaddress import ip_address
from typing import IO, NamedTuple
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from contracts import __version__
from contracts.errors import ConfigError
from contracts.report import Note, encode
from contracts.sinks.notes import Lost
from contracts.text.scrub import scrub

DEADLINE_S = 20.0  # for all attempts together, as long as a run itself has
ATTEMPT_S = 8.0  # so that a host that answers nothing is asked twice
PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)
TOO_MANY = 429  # RFC 6585, section 4
SERVER_FAULTS = 500  # RFC 9110, section 15.6


class Target(NamedTuple):
    """Where to, and the secret, None where nothing is signed; `shown` names the host alone, as a path may be secret."""

    url: str
    secret: bytes | None
    shown: str


class _NoRedirect(HTTPRedirectHandler):
    """Follows nobody: who receives notes is said in the sink."""

    def redirect_request(  # noqa: PLR0913, PLR0917 - as the standard library calls it
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """Take a redirect for the answer."""


def parse(sink: str, environ: Mapping[str, str] | None) -> Target:
    """Read a sink; None for `environ` does not look for the secret.

    Raises:
        ConfigError: for a URL that is none, one that is not encrypted, or a secret that is not there.
    """
    try:
        parts = urlsplit(sink)
    except ValueError:  # brackets that hold no address
        scheme = sink.partition(":")[0]
        raise ConfigError(f"--note {scheme}:…: expected https://HOST/PATH, found a host that is none") from None
    shown = f"{parts.scheme}://{parts.hostname or ''}"
    try:
        usable = bool(parts.hostname) and parts.port != 0 and sink.isascii() and " " not in sink
    except ValueError:  # a port that is no number
        usable = False
    if not usable or parts.username is not None or parts.fragment:
        raise ConfigError(f"--note {shown}…: expected https://HOST/PATH without credentials or a fragment, in ASCII")
    if parts.scheme.lower() == "http" and not _is_loopback(parts.hostname or ""):
        raise ConfigError(f"--note {shown}…: expected https, as notes are not for every hop, found http")
    query = parse_qsl(parts.query, keep_blank_values=True)
    names = [value for name, value in query if name == "secret"]
    secret: bytes | None = None
    if names:
        value = "?" if environ is None and names[0] else (environ or {}).get(names[0], "")
        if len(names) > 1 or not value:
            raise ConfigError(
                f"--note {shown}…: expected one secret=VARIABLE and a value in that variable, found "
                + ("several" if len(names) > 1 else f"none in {names[0]!r}")
            )
        secret = value.encode("utf-8", "surrogateescape")
        parts = parts._replace(query=urlencode([(n, v) for n, v in query if n != "secret"]))
    return Target(urlunsplit(parts), secret, shown)


def signature(secret: bytes, body: bytes) -> str:
    """Sign a body, as a receiver has to compute it too."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def render(notes: Sequence[Note]) -> bytes:
    """The body: a JSON list of notes, each as its schema says."""
    return b"[" + b",".join(encode(note) for note in notes) + b"]"


def send(  # noqa: PLR0913 - the last three by name, for tests
    sink: str,
    notes: Sequence[Note],
    environ: Mapping[str, str],
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    attempt_s: float = ATTEMPT_S,
) -> list[Lost]:
    """Send notes, again where nobody answered or the receiver was at fault, until the deadline.

    Args:
        sink: one that `parse` takes.
        notes: none send nothing.
        environ: holds the secret.
        clock: in seconds.
        sleep: for a number of seconds.
        attempt_s: what one attempt may take, in seconds.

    Returns:
        All of them with the last reason, where they were not received.
    """
    target = parse(sink, environ)
    if not notes:
        return []
    body = render(notes)
    headers = {"Content-Type": "application/json", "User-Agent": f"provider-contracts/{__version__}"}
    if target.secret is not None:
        headers["X-Contracts-Signature"] = signature(target.secret, body)
    end = clock() + DEADLINE_S
    why = ""
    for pause_s in (0.0, *PAUSES_S):
        if clock() + pause_s >= end:
            break
        if pause_s:
            sleep(pause_s)
        request = Request(target.url, data=body, headers=headers, method="POST")  # noqa: S310 - http or https, by parse
        why, is_final = _bounded(request, max(0.1, min(attempt_s, end - clock())))
        if is_final:
            break
    return [Lost(note, f"{target.shown}: {why}") for note in notes] if why else []


def _bounded(request: Request, timeout_s: float) -> tuple[str, bool]:
    """Send once, and wait no longer than was said: the timeout of a socket begins anew with every byte."""
    came: list[tuple[str, bool]] = []
    thread = threading.Thread(target=lambda: came.append(_attempt(request, timeout_s)), daemon=True)
    thread.start()
    thread.join(timeout_s)
    return came[0] if came else (f"expected an answer to the notes within {timeout_s:g} s, found none", False)


def _attempt(request: Request, timeout_s: float) -> tuple[str, bool]:
    """Send once; give what went wrong, empty where nothing did, and whether another attempt would not help."""
    # What is not encrypted is for this machine, and a proxy is another.
    direct = [ProxyHandler({})] if request.type == "http" else []
    try:
        with build_opener(_NoRedirect, *direct).open(request, timeout=timeout_s) as response:
            response.read(1)
    except HTTPError as error:
        with error:
            status = error.code
        return f"expected a 2xx answer to the notes, found {status}", status < SERVER_FAULTS and status != TOO_MANY
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        return f"expected an answer to the notes, found: {scrub(str(reason) or type(error).__name__)}", False
    return "", True


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
