"""Judge the rows of a change: by the providers themselves, by the cassettes offered with them, or by both."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from contracts.ending import Outcomes, exit_status, finish
from contracts.errors import ConfigError
from contracts.evidence import keys
from contracts.gate import changes, offered
from contracts.gate.changes import Changed, Changes
from contracts.gate.git import Repository
from contracts.gate.settings import GateSettings
from contracts.model import Finding, Outcome, Provider
from contracts.report import Report, Requests
from contracts.run import CASSETTES, config_path, replay
from contracts.settings import Settings

if TYPE_CHECKING:
    from contracts.run import Progress

INTERRUPTED = 130
WORST = (INTERRUPTED, 1, 3, 0)  # exit statuses


class Gated(Struct, frozen=True, kw_only=True):
    """What a gate came to: the report of the changed rows, the exit status, and what was compared with what."""

    report: Report
    status: int
    rows: tuple[Changed, ...]
    rows_in_all: int
    base: str
    commit: str


class Asked(Struct, frozen=True):
    """What the providers showed."""

    findings: tuple[Finding, ...] = ()
    requests: Requests = Requests()
    spend_usd: Decimal = Decimal(0)
    is_interrupted: bool = False


def gate(
    settings: GateSettings,
    warn: Callable[[str], None] | None = None,
    progress: Progress = lambda *_: None,
    *,
    environ: Mapping[str, str] = os.environ,
    today: date | None = None,
) -> Gated:
    """Judge the rows that a change adds or alters, and no others.

    The exit status is 0 where all contracts of these rows hold, or no row changed; 1 where one is violated; 3 where
    something of severity `error` could not be judged, also what no source in use can show: the gate lets nothing pass
    unseen. Of a row that is pending, what could not be judged does not count until its date.

    Args:
        settings: what was asked for.
        warn: is told what the user should know.
        progress: as `contracts.run.check` says.
        environ: holds keys and proxies.
        today: the day by which a row's pending ends; None is this day in UTC.

    Raises:
        ConfigError: for a bad YAML file, a repository that cannot be compared, and a cassette that holds a secret.
        CaptureError: for a cassette that cannot be read.
    """
    started_at = datetime.now(UTC)
    today = today or started_at.date()
    tell = warn or (lambda _: None)
    _trusts(settings)
    path = config_path(settings)
    repository = Repository(os.path.dirname(os.path.abspath(path)))
    commit, name = repository.base(settings.base)
    found = changes.find(repository, commit, path)
    folder = _cassettes(settings, path, repository)
    known = [key.reveal() for key in _keys(found.catalogue.providers.values(), environ)]
    offered.refuse_secrets(repository, commit, folder, [row.name for row in found.rows], known)
    asked = Asked() if settings.replay is not None else _ask(settings, path, found, environ, tell, progress)
    _tell_what_is_over(found, today, tell)
    findings: list[Finding] = []
    statuses = [0, INTERRUPTED] if asked.is_interrupted else [0]
    for changed in found.rows:
        row = found.catalogue.provider(changed.name)
        judged = _judged(settings, found, row, asked, os.path.join(folder, row.name), started_at)
        judged, status = _counted(judged, row, settings, is_pending=_is_pending(row, changed, today, tell))
        findings += judged
        statuses.append(status)
    report, _ = finish(
        started_at, Outcomes(findings=findings, requests=asked.requests, spend_usd=asked.spend_usd), settings
    )
    return Gated(
        report=report,
        status=min(statuses, key=WORST.index),
        rows=found.rows,
        rows_in_all=len(found.catalogue.providers),
        base=name,
        commit=commit,
    )


def _cassettes(settings: GateSettings, config: str, repository: Repository) -> str:
    """Give the folder of cassettes; whoever runs the gate may name any, a change may not lead out of the repository."""
    folder = settings.replay or os.path.join(os.path.dirname(config), CASSETTES)
    if settings.replay is not None and not os.path.isdir(folder):
        raise ConfigError(f"{folder}: expected a folder of cassettes, found none")
    if not settings.replay and repository.relative(folder) is None:
        raise ConfigError(f"{folder}: expected a folder of the repository, found a link that leads out of it")
    return folder


def _judged(  # noqa: PLR0913, PLR0917 - what one row is judged by
    settings: GateSettings, found: Changes, row: Provider, asked: Asked, folder: str, now: datetime
) -> list[Finding]:
    """Judge one row by all that is there."""
    live = [f for f in asked.findings if f.provider == row.name]
    if live and not offered.has_captures(folder):
        return live
    recorded = replay(found.catalogue, row, folder, settings, now)
    contracts = found.catalogue.contracts
    recorded = offered.weighed(recorded, row, contracts, trust_recorded=settings.trust_recorded)
    free = {name for name, contract in contracts.items() if offered.is_free(row, contract)}
    return offered.joined(live, recorded, free) if live else recorded


def _ask(  # noqa: PLR0913, PLR0917 - what a run has, and whom it tells
    settings: GateSettings,
    path: str,
    found: Changes,
    environ: Mapping[str, str],
    tell: Callable[[str], None],
    progress: Progress,
) -> Asked:
    """Ask the providers of the changed rows; a key goes to no host to which the base does not send it.

    The change that is judged may be a stranger's, and could name any variable of this machine beside a host of his.
    """
    trusted = found.trusted | _trusts(settings)
    rows = [found.catalogue.provider(row.name) for row in found.rows]
    strange = [r for r in rows if r.api_key is not None and (r.api_key, changes.origin(r.base_url)) not in trusted]
    held: dict[str | None, tuple[str, str]] = {}
    for row in strange:
        if row.api_key is not None and keys.find(row.api_key, environ)[0] is not None:
            where = changes.origin(row.base_url)
            why = f"{row.api_key} is not sent to {where}; --trust-key {row.api_key}={where} permits it"
            held[row.name] = (keys.unset(row.api_key), why)
            tell(f"{row.name}: {why}")
    asked = Asked()
    hidden = {name for row in strange for name in (row.api_key, f"{row.api_key}_FILE")} | {"CREDENTIALS_DIRECTORY"}
    for group, seen in (
        ([r for r in rows if r not in strange], environ),
        (strange, {name: value for name, value in environ.items() if name not in hidden}),
    ):
        if group and not asked.is_interrupted:
            asked = _ask_some(settings, path, group, seen, asked, lambda name, step, _: progress(name, step, len(rows)))
    return structs.replace(asked, findings=tuple(_with_held(finding, held) for finding in asked.findings))


def _with_held(finding: Finding, held: Mapping[str | None, tuple[str, str]]) -> Finding:
    """Say of a key that was held back that it was, where whoever asked the provider took it for one that is not set."""
    unset, why = held.get(finding.provider, ("", ""))
    if not unset or finding.reason is None or unset not in finding.reason:
        return finding
    return structs.replace(finding, reason=finding.reason.replace(unset, why))


def _ask_some(  # noqa: PLR0913, PLR0917 - what a run has, and whom it tells
    settings: GateSettings,
    path: str,
    rows: Sequence[Provider],
    environ: Mapping[str, str],
    before: Asked,
    progress: Progress,
) -> Asked:
    from contracts import live

    wanted = Settings(
        config=path,
        contracts=settings.contracts,
        exclude=settings.exclude,
        providers=tuple(row.name for row in rows),
        jobs=settings.jobs,
        timeout_s=settings.timeout_s,
        retries=settings.retries,
    )
    report, status = live.check(wanted, environ=environ, progress=progress)
    counts = {name: value + getattr(before.requests, name) for name, value in structs.asdict(report.requests).items()}
    return Asked(
        # What no source in use can show counts here: the gate lets nothing pass unseen.
        (*before.findings, *(structs.replace(f, beyond=False) if f.beyond else f for f in report.findings)),
        Requests(**counts),
        before.spend_usd + report.spend_usd,
        is_interrupted=status == INTERRUPTED,
    )


def _trusts(settings: GateSettings) -> set[tuple[str, str]]:
    """Read which key may go where besides. Raises ConfigError."""
    read = [text.partition("=") for text in settings.trust_keys]
    for variable, _, url in read:
        if not variable or not url.startswith(("https://", "http://")):
            wanted = "expected VARIABLE=URL, such as ACME_API_KEY=https://api.acme.example"
            raise ConfigError(f"--trust-key: {wanted}, found {variable!a} and {url!a}")
    return {(variable, changes.origin(url)) for variable, _, url in read}


def _keys(rows: Iterable[Provider], environ: Mapping[str, str]) -> list[keys.Key]:
    found = (keys.find(row.api_key, environ)[0] for row in rows if row.api_key is not None)
    return [key for key in found if key is not None]


def _is_pending(row: Provider, changed: Changed, today: date, tell: Callable[[str], None]) -> bool:
    """Tell whether a row may pass unjudged: it says so, its day has not passed, and it never was judged."""
    if row.pending is None:
        return False
    if row.pending.until < today:
        tell(f"{row.name}: was pending until {row.pending.until}, and now has to be judged")
        return False
    if changed.was_judged:
        tell(f"{row.name}: is pending, which does not count for a row that was judged before")
        return False
    return True


def _tell_what_is_over(found: Changes, today: date, tell: Callable[[str], None]) -> None:
    """Tell of rows that the change does not touch and whose day has passed; they do not stand in its way."""
    touched = {row.name for row in found.rows}
    for row in found.catalogue.providers.values():
        if row.pending is not None and row.pending.until < today and row.name not in touched:
            tell(f"{row.name}: was pending until {row.pending.until}, and nobody has judged it since")


def _counted(
    findings: Sequence[Finding], row: Provider, settings: GateSettings, *, is_pending: bool
) -> tuple[list[Finding], int]:
    """Give the findings of one row as they are shown, and the exit status that they come to."""
    if not is_pending or row.pending is None:
        return list(findings), exit_status(findings, settings.fail_on)
    counted = [f for f in findings if f.outcome is not Outcome.UNKNOWN]
    said = f"pending until {row.pending.until}: {row.pending.because}"
    shown = [f if f.outcome is not Outcome.UNKNOWN else _passed(f, said) for f in findings]
    status = exit_status(counted, settings.fail_on)
    return shown, 0 if status == 3 else status  # noqa: PLR2004 - nothing of a pending row has to be judged


def _passed(finding: Finding, said: str) -> Finding:
    """Say of what could not be judged why it may pass; a view tells detail and reason once where they are equal."""
    reason = f"{finding.reason} ({said})"
    detail = reason if finding.detail == finding.reason else finding.detail
    return structs.replace(finding, reason=reason, detail=detail)
