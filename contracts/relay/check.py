"""Run the trials: play, ask through the relay, compare; one after the other, each within its time."""

from __future__ import annotations

import asyncio
import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import Struct, structs

from contracts.errors import ConfigError, EvidenceError
from contracts.evidence import tls
from contracts.relay import received, verdict
from contracts.relay.asked import Asking
from contracts.relay.promises import PROMISES
from contracts.relay.question import RelaySettings, address, base_url, key_in, question
from contracts.relay.sent import Watcher
from contracts.relay.told import Checked, Kept, Outcome, outcome_of
from contracts.relay.trial import trials
from contracts.testing import HostileProvider
from contracts.testing.writers import load

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from contracts.evidence.keys import Key
    from contracts.evidence.network import Connection
    from contracts.relay.trial import Trial
    from contracts.relay.verdict import Verdict
    from contracts.testing.writers import Writer

INTERVAL_S = 0.05  # twenty of them are the silence that shows a relay which buffers
SETTLE_S = 0.05  # in which a relay that has answered may still ask again

Value = TypeVar("Value", bound=Struct)


class Run(NamedTuple):
    """What all trials of a run share. `base` is the relay's base URL."""

    settings: RelaySettings
    base: str
    model: str
    key: Key | None
    writer: Writer
    context: ssl.SSLContext
    provider: HostileProvider
    watcher: Watcher


def check(settings: RelaySettings, tell: Callable[[str], None], environ: Mapping[str, str] = os.environ) -> Checked:
    """Hold a relay to its promises.

    Args:
        settings: what was asked for.
        tell: called with where the provider listens, once it does.
        environ: holds the key and CA bundles.

    Raises:
        ConfigError: for settings that cannot be, and an address that cannot be had.
    """
    base, (host, port), writer = base_url(settings.url), address(settings.listen), load(settings.dialect)
    plan, key, watcher = trials(settings.scenarios, writer), key_in(settings.key, environ), Watcher()
    provider = HostileProvider(
        dialect=settings.dialect, host=host, port=port, any_model=True, interval_s=INTERVAL_S, watch=watcher
    )
    run = Run(
        settings=settings,
        base=base,
        model=settings.model or provider.models[0],
        key=key,
        writer=writer,
        context=tls.context(environ, http2=False),
        provider=provider,
        watcher=watcher,
    )
    started_at, started_s = datetime.now(UTC), time.monotonic()
    verdicts = asyncio.run(_played(run, plan, tell))
    found = tuple(_hidden(one, key) for each in verdicts for one in each.findings)
    tried = tuple(_hidden(each.tried, key) for each in verdicts)
    return Checked(
        url=base,
        listen=provider.base_url,
        dialect=settings.dialect,
        model=run.model,
        started_at=started_at,
        duration_ms=round((time.monotonic() - started_s) * 1000),
        outcome=outcome_of(found, is_unknown=any(one.outcome == "unknown" for one in tried)),
        promises=tuple(_kept(verdicts)),
        trials=tried,
        findings=found,
    )


async def _played(run: Run, plan: Sequence[Trial], tell: Callable[[str], None]) -> list[Verdict]:
    try:
        await run.provider.__aenter__()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"--listen {run.settings.listen}: {error}") from error
    try:
        tell(f"the provider listens on {run.provider.base_url}, which has to be the relay's upstream")
        found: list[Verdict] = []
        for number, trial in enumerate(plan):
            try:
                connection = await received.connect(run.base, run.context)
            except EvidenceError as error:
                # Nobody is there: asking again thirty times would not change that.
                return found + [verdict.unknown(left, str(error)) for left in plan[number:]]
            found.append(await _tried(run, trial, number, connection))
        return found
    finally:
        await run.provider.__aexit__(None, None, None)


async def _tried(run: Run, trial: Trial, number: int, connection: Connection) -> Verdict:
    word = f"relay-check {number:02} {os.urandom(6).hex()}"  # no cache can know it
    keyless = () if "key" in run.writer.LACKS else ("keyless",)
    run.provider.play(*dict.fromkeys((*keyless, trial.scenario)))
    run.watcher.begin(word.encode())
    asked = question(run.settings, trial, run.model, word, run.key)
    answer = await received.ask(connection, asked, run.settings.timeout_s, run.watcher.is_held)
    await asyncio.sleep(SETTLE_S)
    tries, strays = run.watcher.finish(), run.watcher.strays
    return verdict.judge(Asking(trial, asked, run.key), run.writer, tries, strays, received.without(answer, run.key))


def _kept(verdicts: Sequence[Verdict]) -> Iterator[Kept]:
    """Tell of each promise in how many trials it could be seen, and in how many it was broken."""
    for promise in PROMISES.values():
        broken = [one for each in verdicts for one in each.findings if one.promise == promise.id]
        judged = sum(promise.id in each.tried.judged for each in verdicts)
        outcome: Outcome = "violated" if broken else "holds" if judged else "unknown"
        grave = any(one.severity == "error" for one in broken)
        yield Kept(
            id=promise.id,
            promise=promise.promise,
            outcome=outcome,
            severity="error" if grave else "warning" if broken else promise.severity,
            judged=judged,
            broken=len(broken),
        )


def _hidden(value: Value, key: Key | None) -> Value:
    """Take the key out of every text of a record, whoever quoted it."""
    if key is None:
        return value
    said = {name: getattr(value, name) for name in value.__struct_fields__}
    texts = {name: key.hidden_in(text) for name, text in said.items() if isinstance(text, str)}
    rows = {
        name: tuple(key.hidden_in(text) for text in row)
        for name, row in said.items()
        if isinstance(row, tuple) and all(isinstance(text, str) for text in row)
    }
    return structs.replace(value, **texts, **rows)
