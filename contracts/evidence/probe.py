"""Ask a host that nobody knows for its model listing, by GETs alone and through the spend guard."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from contracts import dialects
from contracts.errors import EvidenceError, SpendRefused
from contracts.evidence import keys, lookups, proxies, reading, tls
from contracts.evidence.asker import Line, Question, ask
from contracts.evidence.guard import SpendGuard
from contracts.evidence.ledger import Ledger
from contracts.evidence.limits import Bounds
from contracts.evidence.rules import RowRules
from contracts.evidence.tape import Tape, decoded
from contracts.evidence.transport import PER_HOST, Wire
from contracts.wire.status import is_success
from contracts.wire.strict_json import UNREADABLE, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from contracts.evidence.keys import Key


TOO_MANY = 429


class Heard(NamedTuple):
    """What a path answered: its JSON value without the key, or why there is none. `status` is 0 where nothing came."""

    path: str
    status: int
    value: Any
    trouble: str


def ask_all(
    base: str,
    paths: Mapping[str, Callable[[Any], bool]],
    variable: str | None,
    timeout_s: float,
    environ: Mapping[str, str],
) -> list[Heard]:
    """Ask for one path after another below a base URL, until an answer is what was looked for, or is 429.

    Args:
        base: without a slash at its end.
        paths: what to ask for, and what tells of its JSON value whether that was looked for.
        variable: holds the key that is sent as a bearer token; None sends none.
        timeout_s: limit for all questions, in seconds.
        environ: holds the key, proxies and CA bundles.

    Raises:
        EvidenceError: where the key is not there, or no path gave any answer.
    """
    key, no_key = (None, "") if variable is None else keys.find(variable, environ)
    if no_key:
        raise EvidenceError(no_key, "read")
    heard = lookups.run(_ask_all(base, paths, key, timeout_s, environ))
    if all(not one.status for one in heard):
        raise EvidenceError(f"{base}: {heard[0].trouble}", "connect")
    return heard


async def _ask_all(
    base: str,
    paths: Mapping[str, Callable[[Any], bool]],
    key: Key | None,
    timeout_s: float,
    environ: Mapping[str, str],
) -> list[Heard]:
    root = urlsplit(base).path
    rules = RowRules(
        provider=urlsplit(base).hostname or base,
        base_url=base,
        catalogue=tuple(("GET", root + path) for path in paths),
        chat_path="",
        declares_key=False,
    )
    # The answers are read from the tape: what dialect they are in is what is to be found out.
    tables = dialects.Tables(schema=lambda _: b"{}")
    tape = Tape(Wire(base, tls.context(environ, http2=True), proxies.proxy_for(base, environ)))
    line = Line(
        guard=SpendGuard(tape, rules, Ledger()),
        reader=reading.Reader(dialects.load("openai-chat"), tables, Bounds()),
        headers=(),
        credentials=(("Authorization", f"Bearer {key.reveal()}"),) if key else (),
        keys=(key,) if key else (),
        deadline=asyncio.get_running_loop().time() + timeout_s,
        retries=0,
        room=asyncio.Semaphore(PER_HOST),
    )
    heard: list[Heard] = []
    try:
        for path, is_wanted in paths.items():
            heard.append(await _ask(line, tape, base, path))
            if heard[-1].value is not None and is_wanted(heard[-1].value):
                break
            if heard[-1].status == TOO_MANY:  # which says nothing of the path, and that more questions are unwelcome
                break
    finally:
        await line.guard.aclose()
    return heard


async def _ask(line: Line, tape: Tape, base: str, path: str) -> Heard:
    try:
        evidence = await ask(line, Question(kind="listing", url=f"{base}{path}"))
    except (EvidenceError, SpendRefused) as error:
        return Heard(path, 0, None, str(error))
    status = evidence.facts.status
    if not is_success(status):
        return Heard(path, status, None, "")
    if evidence.facts.limits:
        return Heard(path, status, None, evidence.facts.limits[0].detail)
    chunks, _, fault = decoded(tape.takes[-1], line.reader.bounds)
    value, _ = decode(b"".join(chunks))
    if value is UNREADABLE or fault is not None:
        return Heard(path, status, None, f"status {status}, and no JSON that can be read")
    for key in line.keys:
        if key.is_telling:
            value = keys.taken_out(value, key)
    return Heard(path, status, value, "")
