"""Cassettes that come with a row: what they may not hold, and what they do not prove.

Whoever offers a row recorded its cassettes himself, and may have recorded them on a good day or written them by hand.
So they show what would cost money to ask, and whatever is violated; what a free question to the provider shows, it has
to show itself.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import structs

from contracts import captures
from contracts.captures import intake, scrubbing, secrets
from contracts.errors import ConfigError
from contracts.model import Outcome, Source
from contracts.run import is_capture
from contracts.text.scrub import scrub
from contracts.wire.headers import SECRET_HEADERS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from contracts.gate.git import Repository
    from contracts.model import Contract, Exchange, Finding, Provider

FREE_BY_LISTING = ("listing", "answer", "polls")
FREE_BY_CHAT = ("chat", "chat-stream", "timing")
DECIDED = (Outcome.HOLDS, Outcome.VIOLATED, Outcome.WAIVED)
BESIDE_KEYS = ("x-goog-api-key", "x-amz-security-token", "openai-organization", "openai-project")
# What recorders write in the place of a secret.
_REMOVED = re.compile(
    r"(?i:bearer|basic|token)?[\W_x1]*(?:redacted|removed|filtered|hidden|dummy)?[\W_x1]*", re.IGNORECASE
)
BY_HIMSELF = (
    "only a recording offered with the row shows it, and the provider shows it for nothing: "
    "judge without --replay, or give --trust-recorded"
)
BY_OURSELVES = "only what a server of ours played shows it, which says nothing of the provider"


def refuse_secrets(repository: Repository, commit: str, folder: str, rows: Iterable[str], keys: Iterable[str]) -> None:
    """Refuse cassettes that hold what must not be published: all of the rows' files, and every file that is changed.

    Args:
        repository: where they are; a link that leads out of it is refused as well.
        commit: what the change is compared with.
        folder: of the cassettes.
        rows: names of the changed rows.
        keys: credentials that are known.

    Raises:
        ConfigError: naming each file, and never what it holds.
        CaptureError: for a cassette of these rows that cannot be read.
    """
    known = tuple(keys)
    place = repository.relative(folder)
    altered = repository.changed(commit, place) if place is not None and os.path.isdir(folder) else []
    paths = [os.path.join(repository.top, path) for path in altered]
    for row in rows:
        paths += files_of(os.path.join(folder, row))
    problems: list[str] = []
    for path in dict.fromkeys(map(os.path.normpath, paths)):
        if place is not None and repository.relative(path) is None:
            problems.append(f"{path}: expected a file of the repository, found a link that leads out of it")
            continue
        problems += [
            f"{path}: expected nothing that may not be published, found {what}" for what in sorted(_found(path, known))
        ]
    if problems:
        advice = "a key that was published has to be revoked; `contracts record` writes cassettes without such things"
        raise ConfigError(*problems, advice)


def files_of(folder: str) -> list[str]:
    """List the files below a folder; none where there is no folder."""
    return sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)


def has_captures(folder: str) -> bool:
    """Tell whether a folder holds anything to judge."""
    return os.path.isdir(folder) and any(is_capture(name) for name in os.listdir(folder))


def _found(path: str, keys: tuple[str, ...]) -> set[str]:
    """Name what a file must not hold, as it is written and as a reader of it would see it."""
    text = intake.file_bytes(path).decode("latin-1")
    found = {found.what for found in secrets.find(text, secrets.literals(keys))}
    if is_capture(path):
        for exchange in captures.read(path):
            found.update(_in_exchange(exchange, keys))
    return found


def _in_exchange(exchange: Exchange, keys: tuple[str, ...]) -> Iterator[str]:
    removed: Counter[str] = scrubbing.cleaned(exchange, keys).removed
    # Headers that no list has are harmless as a rule, and every recorder but ours keeps them.
    yield from (what for what in removed if not what.startswith(("header ", "request header ")))
    for name, value in (*exchange.request.headers, *exchange.headers):
        if name.lower() in (*SECRET_HEADERS, *BESIDE_KEYS) and not _REMOVED.fullmatch(value):
            yield f"the header {scrub(name.lower(), 40)}"


def is_free(row: Provider, contract: Contract) -> bool:
    """Tell whether a run without spend can show whether a row keeps a contract.

    Chats that cost nothing by today's listing are not counted: whether there is one tomorrow is not known.
    """
    if row.base_url is None:
        return False
    if contract.needs in FREE_BY_LISTING:
        return "path" in row.listing
    if contract.needs == "model":
        return bool(row.endpoint)
    if contract.needs == "error":
        return row.api_key is not None
    return contract.needs in FREE_BY_CHAT and row.billing == "none" and row.free_chats_per_day > 0


def weighed(
    findings: Iterable[Finding], row: Provider, contracts: Mapping[str, Contract], *, trust_recorded: bool
) -> list[Finding]:
    """Make unknown what cassettes say to be kept and do not prove; what they show to be broken stays so."""
    weighed_: list[Finding] = []
    for finding in findings:
        source = None if finding.evidence is None else finding.evidence.source
        reason = None
        if finding.outcome is Outcome.HOLDS and source is Source.SYNTHETIC:
            reason = BY_OURSELVES
        elif finding.outcome is Outcome.HOLDS and source is Source.RECORDED and not trust_recorded:
            reason = BY_HIMSELF if is_free(row, contracts[finding.contract]) else None
        if reason is not None:
            finding = structs.replace(finding, outcome=Outcome.UNKNOWN, reason=reason)  # noqa: PLW2901 - as weighed
        weighed_.append(finding)
    return weighed_


def joined(live: Sequence[Finding], recorded: Sequence[Finding], free: Container[str]) -> list[Finding]:
    """Join what the provider showed with what its cassettes show, each contract once for each model.

    The provider's word counts, but for what a cassette shows to be broken; where it said nothing, the cassette's does,
    also that a contract does not apply, unless the contract is among the `free` ones.
    """
    found: list[Finding] = []
    for contract in dict.fromkeys(f.contract for f in (*live, *recorded)):
        said = DECIDED if contract in free else (*DECIDED, Outcome.NOT_APPLICABLE)
        asked = [f for f in live if f.contract == contract]
        offered = {f.model: f for f in recorded if f.contract == contract and f.outcome in said}
        if offered and not any(f.outcome in DECIDED for f in asked):
            found += [*offered.values(), *(f for f in asked if f.model is not None and f.model not in offered)]
            continue
        for finding in asked:
            other = offered.pop(finding.model, finding)
            is_worse = other.outcome is Outcome.VIOLATED or finding.outcome not in DECIDED
            found.append(other if is_worse and finding.outcome is not Outcome.VIOLATED else finding)
        found += [f for f in offered.values() if f.outcome in (Outcome.VIOLATED, Outcome.WAIVED)]
    return found
