"""Record what the hostile provider plays in each dialect: evidence on which each contract holds, and is violated.

Two cassettes a dialect, whose violations are told in few words to keep them small. Which scenarios are in
`violated.yaml` is derived: for every contract that captures can show and that applies in the dialect, one that breaks
it. Nothing else gets into a cassette: no clock, no port, no key.
"""

from __future__ import annotations

import http.client
import os
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import vcr  # type: ignore[import-untyped] # vcrpy ships no types

from contracts.model import Request
from contracts.testing import HostileProvider, known_scenarios
from contracts.testing.writers import load, names
from tools import questions
from tools.doc_tables import matrix

FOLDER = "dialects"  # under cassettes/, where a replay reads folders that are named after rows
HOST = "http://loopback.invalid"  # RFC 6761, section 6.4: no name ends so, and no provider answers there
HOLDS, VIOLATED = "holds", "violated"
JUDGED = "judged"

# What a capture cannot show: these are judged on the wire, and by their bytes in tests.
ON_THE_WIRE = ("http.content-encoding", "sse.timing", "models.drift")
# What never gives a client an answer to judge, or none of a size to keep.
NO_ANSWER = (
    "close-at-once",
    "endless-body",
    "gzip-bomb",
    "keep-alive-for-ever",
    "length-too-long",
    "line-200mb",
    "not-http",
    "reset-at-once",
    "slow-headers",
    "stall-before-headers",
    "tls-expired",
    "tls-other-host",
)
# The scenarios that show best what a contract is about; where a dialect has none of them, any that breaks it.
BEST = (
    "honest",
    "error-text",
    "sse-labelled-json",
    "server-error",
    "rate-limited-bare",
    "model-gone",
    "listing-duplicate",
    "error-mid-stream",
    "finish-unknown",
    "id-changes",
    "json-nan",
    "other-model",
    "empty-success",
    "content-as-list",
    "call-arguments-cut",
    "usage-negative",
    "done-missing",
    "sse-no-final-blank",
    "double-encoded",
)

HEADER = """\
# Synthetic: the hostile provider of this project (contracts fake --dialect {dialect}) played this on loopback, and
# vcrpy recorded it over a real socket (make cassettes). No byte of it was sent by any provider.
# By number, what was played and what it shows:
{shows}
recorded:
  source: synthetic
  by: tools/dialect_cassettes.py
  at: 2026-11-30T12:00:00Z
  note: played by the hostile provider of this project; not sent by any provider
  keyless: {keyless}
"""


class Played(NamedTuple):
    """One interaction: the scenarios, the request whose answer shows them, and the contract that they violate."""

    scenarios: tuple[str, ...]
    shown: str
    contract: str | None = None


def holding(dialect: str) -> list[Played]:
    """Give what shows a provider that breaks nothing."""
    played = [Played(("declared",), shown) for shown in ("stream", "chat", "listing", "keyless")]
    if "tool-calls" in known_scenarios(dialect):
        played += [Played(("declared", "tool-calls"), shown) for shown in ("stream", "chat")]
    return [*played, Played(("rate-limited",), "chat")]


def violating(dialect: str, table: dict[str, dict[str, str]] | None = None) -> list[Played]:
    """Give for every contract that a capture can show in a dialect what violates it; `table` is the matrix.

    Raises:
        LookupError: for a contract that no scenario breaks there, and whose row in the matrix gives no reason.
    """
    played = []
    for contract, row in (table or matrix()).items():
        if row.get(dialect) != JUDGED:
            continue
        breaking = [
            one
            for one in known_scenarios(dialect).values()
            if one.breaks(load(dialect))[:1] == (contract,) and one.name not in NO_ANSWER
        ]
        if not breaking:
            raise LookupError(f"{contract} is judged in {dialect}, and no scenario breaks it there")
        best = min(breaking, key=lambda one: BEST.index(one.name) if one.name in BEST else len(BEST))
        beside = ("brief",) if best.name == "honest" else ("declared", "brief")
        played.append(Played((*beside, best.name), best.shown, contract))
    return played


def main(folder: str) -> None:
    """Record the cassettes of every dialect into `folder`/DIALECT/."""
    for dialect in names():
        for name, played in ((HOLDS, holding(dialect)), (VIOLATED, violating(dialect))):
            record(dialect, played, os.path.join(folder, dialect, f"{name}.yaml"))


def record(dialect: str, played: list[Played], cassette: str) -> None:
    """Play and record one cassette, anew if it is there."""
    if os.path.exists(cassette):
        os.remove(cassette)
    tape = vcr.VCR(before_record_request=_public, record_mode="once")
    with tape.use_cassette(cassette):
        for one in played:
            with HostileProvider(*one.scenarios, dialect=dialect) as provider:
                _ask(provider.origin, questions.ask(one.shown, dialect))
    with open(cassette, encoding="utf-8") as file:
        text = file.read()
    shows = "\n".join(f"#   {number}: {_told(one)}" for number, one in enumerate(played))
    keyless = [number for number, one in enumerate(played) if one.shown == "keyless"]
    with open(cassette, "w", encoding="utf-8", newline="\n") as file:
        file.write(HEADER.format(dialect=dialect, shows=shows, keyless=keyless) + text)


def _told(one: Played) -> str:
    contract = f" violates {one.contract}" if one.contract else ""
    return f"{' '.join(one.scenarios)} ({one.shown}){contract}"


def _ask(origin: str, request: Request) -> None:
    headers = {"Host": urlsplit(origin).netloc, "User-Agent": "contracts-recorder", "Accept": "*/*"}
    if request.body:
        headers["Content-Type"] = "application/json"
    if not request.keyless:
        headers["Authorization"] = "Bearer sk-loopback-0123456789abcdef"
    # http.client, because vcrpy keeps the case of header names with it and not with httpx.
    connection = http.client.HTTPConnection(urlsplit(origin).netloc, timeout=10)
    connection.request(request.method, request.url, body=request.body or None, headers=headers)
    connection.getresponse().read()
    connection.close()


def _public(request: Any) -> Any:
    """Make a request look as if it had been sent to no provider, and without its key."""
    parts = urlsplit(request.uri)
    request.uri = f"{HOST}{parts.path}{'?' if parts.query else ''}{parts.query}"
    hidden = ("authorization", "host")
    request.headers = {name: value for name, value in request.headers.items() if name.lower() not in hidden}
    return request


def paths(folder: str) -> Iterator[str]:
    """Give the cassettes that there have to be, under a folder."""
    for dialect in names():
        yield from (os.path.join(folder, dialect, f"{name}.yaml") for name in (HOLDS, VIOLATED))
