"""The recordings that clients are given to read: every chat answer that this project has a verdict on."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from contracts import captures, dialects
from contracts.config import catalogue, library
from contracts.config.cache import Cache
from contracts.facts import Facts
from contracts.fold import fold
from contracts.model import Ended, Exchange, Finding, Outcome, Severity
from contracts.run import inspect
from contracts.settings import InspectSettings

TESTS = Path(__file__).parent.parent
CASSETTES = TESTS.parent / "cassettes"
FOLDERS = (TESTS / "cases", TESTS / "evidence", TESTS / "dialects" / "captures")
CATALOGUE = catalogue.load(None)


class Recording:
    """One answer with our verdict on it. `kind` is its name without that of its dialect: what is wrong with it."""

    def __init__(self, path: Path, kind: str, dialect: str) -> None:
        """Name a recording; nothing of it is judged yet."""
        self.path, self.kind, self.dialect = path, kind, dialect

    @cached_property
    def exchange(self) -> Exchange:
        """The answer and what was asked."""
        request = self.path.with_suffix(".request.json")
        (exchange,) = captures.read(str(self.path), captures.read_request(str(request)) if request.exists() else None)
        return exchange

    @property
    def body(self) -> bytes:
        """The bytes of the body."""
        return b"".join(self.exchange.body)

    @property
    def whole(self) -> bool:
        """Whether the transfer came to its end, as far as the recording knows."""
        return self.exchange.ended is not Ended.CUT

    @property
    def path_asked(self) -> str:
        """Where the recorded request went, without its query."""
        return self.exchange.request.url.partition("?")[0]

    @cached_property
    def facts(self) -> Facts:
        """What the fold learnt."""
        return fold(self.exchange, dialects.load(self.dialect), CATALOGUE.tables(self.dialect))

    @property
    def streamed(self) -> bool:
        """Whether a stream was asked for; where the request is not known, whether one came."""
        asked = self.facts.asked
        if self.dialect == "gemini":  # the fold asks for `alt=sse`, which the client sends with every stream
            return "stream" in self.path_asked
        return asked.stream if asked else self.facts.body.kind in ("sse", "ndjson")

    @cached_property
    def violated(self) -> dict[str, Finding]:
        """The findings of violated contracts, as `contracts inspect` gives them."""
        request, listing = self.path.with_suffix(".request.json"), self.path.with_suffix(".models.http")
        settings = InspectSettings(
            files=(str(self.path),),
            dialect=self.dialect,
            request=str(request) if request.exists() else None,
            listing=str(listing) if listing.exists() else None,
        )
        found = inspect(settings)[0].findings
        return {finding.contract: finding for finding in found if finding.outcome is Outcome.VIOLATED}

    @property
    def passes(self) -> bool:
        """Whether no contract of severity error is violated."""
        return not any(finding.severity is Severity.ERROR for finding in self.violated.values())


def _named(folder: Path) -> list[Recording]:
    expected: dict[str, dict[str, Any]] = json.loads((folder / "expect.json").read_text("utf-8"))
    return [
        Recording(folder / f"{name}.http", name.removeprefix(f"{said['dialect']}-"), said["dialect"])
        for name, said in expected.items()
    ]


def chats() -> list[Recording]:
    """All recordings of chat answers, whatever their status, in a fixed order."""
    every = [recording for folder in FOLDERS for recording in _named(folder)]
    rows = library.read(Cache(None)).providers
    for path in sorted(CASSETTES.glob("*/*.yaml")):
        name = path.parent.name
        every.append(Recording(path, f"{name}/{path.stem}", rows[name].value["providers"][name]["dialect"]))
    return [one for one in every if one.facts.kind == "chat"]
