"""A run: what was asked for → captures → Facts → findings → report and exit status."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Literal

from msgspec import structs

from contracts import captures, dialects, waivers
from contracts.config import catalogue as catalogues
from contracts.config import search
from contracts.dialects import asking
from contracts.dialects.by_answer import by_answer
from contracts.ending import Outcomes, finish
from contracts.errors import ConfigError
from contracts.fold import fold
from contracts.judge import answered, judge
from contracts.model import Evidence, Request
from contracts.report import Report, write_note
from contracts.settings import DEFAULT_DIALECT, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from contracts.config.catalogue import BoundContract, Catalogue
    from contracts.evidence.memory import Memory
    from contracts.facts import Facts, Listing
    from contracts.model import Exchange, Finding, Provider, StaleWaiver
    from contracts.report import Note
    from contracts.settings import InspectSettings, Shared

    Tell = Callable[[str], None]
    Ready = Callable[[Catalogue], None]
    Step = Literal["asking", "done"]
    Progress = Callable[[str, Step, int], None]

CASSETTES = "cassettes"  # the folder beside the providers file that --replay reads
ENDINGS = (".yaml", ".yml", ".json", ".har", ".http", ".txt")


def check(
    settings: Settings,
    warn: Tell | None = None,
    ready: Ready = lambda _: None,
    progress: Progress = lambda *_: None,
) -> tuple[Report, int]:
    """Judge providers and give the report with the exit status.

    Args:
        settings: what was asked for.
        warn: is told, once, that the state cannot be used, after which the run goes on, or that it waits for another.
        ready: is told the catalogue, before anything is judged; what it raises ends the run.
        progress: is told a provider when it is asked first and when it has been asked, and of how many it is
            one; of a replay, which is quick, nothing.

    Raises:
        ConfigError: for a bad YAML file, an unknown name, or a folder of cassettes that is not there.
        CaptureError: for a cassette that cannot be read.
        LockedError: where another run has the state.
    """
    if settings.replay is None:
        return _check_live(settings, warn or (lambda _: None), ready, progress)
    started_at = datetime.now(UTC)
    catalogue, rows = rows_of(settings, ready)
    folder = settings.replay or os.path.join(os.path.dirname(catalogue.config or ""), CASSETTES)
    if not os.path.isdir(folder):
        raise ConfigError(f"{folder}: expected a folder of cassettes, found none")
    findings: list[Finding] = []
    notes: list[Note] = []
    stale: list[StaleWaiver] = []
    for row in rows:
        evidence = captured(catalogue, row, os.path.join(folder, row.name), settings)
        found = _judged(catalogue, row, evidence, settings, started_at)
        findings += found
        stale += waivers.stale(row.name, row.waivers, found, settings.models, answered(evidence))
        notes.append(write_note(row.name, found, {c.id: c.note for c in catalogue.contracts.values()}, replay=True))
    return finish(started_at, Outcomes(findings, notes, stale), settings)


def _check_live(settings: Settings, warn: Tell, ready: Ready, progress: Progress) -> tuple[Report, int]:
    """Ask providers; a replay needs none of what this imports."""
    from contracts import live

    with remembered(settings.state, settings.wait_s, warn) as memory:
        return live.check(settings, memory=memory, ready=ready, progress=progress, warn=warn)


@contextmanager
def remembered(state: str | None, wait_s: float, warn: Tell) -> Iterator[Memory]:
    """Open a state for one run that asks providers, and keep every other away from it.

    Raises:
        LockedError: where another run has the state, and had it for as long as this one was to wait.
    """
    from contracts.evidence import remembering
    from contracts.state.lock import one_run

    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        warn(text)

    def tell_what_is_new(text: str) -> None:
        if not told:  # a state that cannot be used cannot be locked either, which is no second thing to know
            warn(text)

    with (
        remembering.opened(state, tell) as memory,
        one_run(state, wait_s=wait_s, warn=tell_what_is_new),
    ):
        yield memory


def inspect(settings: InspectSettings) -> tuple[Report, int]:
    """Judge captures by a dialect's rules, or by one provider's row, and give the report with the exit status.

    Raises:
        ConfigError: for a bad YAML file or an unknown name.
        CaptureError: for a capture that cannot be read.
    """
    started_at = datetime.now(UTC)
    row: Provider | None = None
    if settings.provider is None:
        catalogue = catalogues.load(None)
    else:
        catalogue = catalogues.load(config_path(settings))
        row = catalogue.provider(settings.provider)
    name = settings.dialect or (row.dialect if row else None)

    @cache
    def bound_to(dialect: str) -> list[BoundContract]:
        """Give the contracts to judge an answer of a dialect by."""
        return selected(settings, catalogue, catalogue.bound(row) if row else catalogue.bound_to_dialect(dialect))

    bound_to(name or DEFAULT_DIALECT)  # an unknown name is told before anything is read
    request = captures.read_request(settings.request) if settings.request else None
    listing = read_listing(settings.listing, catalogue, name or DEFAULT_DIALECT, row) if settings.listing else None
    findings: list[Finding] = []
    for file in settings.files:
        evidence = [evidence_of(e, catalogue, name or dialect_of(e), row) for e in captures.read(file, request)]
        known = listing or first_listing(evidence)
        for one in evidence:
            facts = structs.replace(one.facts, catalogue=known)
            findings += judge(
                bound_to(facts.dialect),
                [structs.replace(one, facts=facts)],
                provider=settings.provider,
                models=models_of(facts, row, settings),
                waivers=row.waivers if row else (),
                today=started_at.date(),
            )
    return finish(started_at, Outcomes(findings), settings)


def rows_of(settings: Settings, ready: Ready = lambda _: None) -> tuple[Catalogue, list[Provider]]:
    """Read the catalogue, and choose the rows that a run is about.

    Raises:
        ConfigError: for a bad YAML file, an unknown provider or model, or a file without rows.
    """
    path = config_path(settings)
    catalogue = catalogues.load(path)
    rows = [catalogue.provider(name) for name in dict.fromkeys(settings.providers or catalogue.providers)]
    if not rows:
        raise ConfigError(f"{path}: expected at least one provider, found none")
    known_models(settings, rows)
    ready(catalogue)
    return catalogue, rows


def config_path(settings: Shared) -> str:
    """Find the providers file.

    Raises:
        ConfigError: naming every place that was looked at, where there is none.
    """
    path = search.find(settings.config, os.environ, "")
    if path is None:
        tried = ", ".join(search.places(os.environ, "."))
        raise ConfigError(f"expected a providers file, found none at {tried}; name one with --config")
    return path


def replay(catalogue: Catalogue, row: Provider, folder: str, settings: Settings, started_at: datetime) -> list[Finding]:
    """Judge one provider by the captures of a folder."""
    return _judged(catalogue, row, captured(catalogue, row, folder, settings), settings, started_at)


def captured(catalogue: Catalogue, row: Provider, folder: str, settings: Settings) -> list[Evidence]:
    """Read the captures of a folder, as far as they are of models that the run is about."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    exchanges = [e for n in names if is_capture(n) for e in captures.read(os.path.join(folder, n))]
    evidence = [evidence_of(e, catalogue, row.dialect, row) for e in exchanges]
    known = first_listing(evidence)
    evidence = [structs.replace(e, facts=structs.replace(e.facts, catalogue=known)) for e in evidence]
    if settings.models:
        evidence = [e for e in evidence if e.facts.asked is None or e.facts.asked.model in (None, *settings.models)]
    return evidence


def _judged(
    catalogue: Catalogue, row: Provider, evidence: Sequence[Evidence], settings: Settings, started_at: datetime
) -> list[Finding]:
    return judge(
        selected(settings, catalogue, catalogue.bound(row)),
        evidence,
        provider=row.name,
        models=models_to_judge(row, settings),
        waivers=row.waivers,
        today=started_at.date(),
        complete=True,
    )


def is_capture(name: str) -> bool:
    """Tell a capture by the name of its file; what tells only the timing of another is none."""
    return name.endswith(ENDINGS) and not name.endswith(captures.TIMING)


def evidence_of(exchange: Exchange, catalogue: Catalogue, dialect: str, row: Provider | None) -> Evidence:
    """Fold one captured exchange into evidence."""
    catalogue.dialect(dialect)  # an unknown one is the user's error, not an import error
    facts = fold(exchange, dialects.load(dialect), catalogue.tables(dialect, row))
    return Evidence(facts=facts, source=exchange.source, ref=exchange.ref, at=exchange.at)


def dialect_of(exchange: Exchange) -> str:
    """Tell a dialect by the path that was asked, by the answer where that is not known, else take the usual one."""
    request = exchange.request
    if not request.url:
        return by_answer(b"".join(exchange.body)) or DEFAULT_DIALECT
    return dialects.by_path(request.method, asking.path_of(request.url)) or DEFAULT_DIALECT


def read_listing(path: str, catalogue: Catalogue, dialect: str, row: Provider | None) -> Listing | None:
    """Read a captured listing to resolve against.

    Raises:
        ConfigError: where the file holds no readable listing.
    """
    for exchange in captures.read(path, Request(method="GET", url="/models")):
        facts = fold(exchange, dialects.load(dialect), catalogue.tables(dialect, row), kind="listing")
        if facts.listing is not None:
            return facts.listing
    raise ConfigError(f"{path}: expected a captured model listing, found none that can be read")


def first_listing(evidence: Iterable[Evidence]) -> Listing | None:
    """Give the first listing among evidence."""
    return next((e.facts.listing for e in evidence if e.facts.listing is not None), None)


def models_of(facts: Facts, row: Provider | None, settings: Shared) -> tuple[str, ...]:
    """Tell which model ids have to resolve: the one asked for, or those the row allows."""
    asked = facts.asked.model if facts.asked else None
    models = (asked,) if asked else row.models if row else ()
    return tuple(m for m in settings.models or models if not settings.models or not models or m in models)


def models_to_judge(row: Provider, settings: Shared) -> tuple[str, ...]:
    """Give the ids that a row allows and the run is about."""
    return tuple(m for m in row.models if not settings.models or m in settings.models)


def known_models(settings: Settings, rows: Sequence[Provider]) -> None:
    """Refuse a --model that no row allows, as nothing would be judged of it."""
    allowed = {m for row in rows for m in row.models}
    for model in settings.models:
        if model not in allowed:
            raise ConfigError(f"--model: expected one of {', '.join(sorted(allowed)) or 'no models'}, found '{model}'")


def selected(settings: Shared, catalogue: Catalogue, bound: Iterable[BoundContract]) -> list[BoundContract]:
    """Choose the contracts to judge by --contract and --exclude; an unknown id is an error."""
    for contract_id in (*settings.contracts, *settings.exclude):
        catalogue.contract(contract_id)
    return [
        b
        for b in bound
        if (not settings.contracts or b.contract.id in settings.contracts) and b.contract.id not in settings.exclude
    ]
