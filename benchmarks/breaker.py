"""Breaker and verdicts at work: python benchmarks/breaker.py [--calls N].

Both incidents with their very counts, and the call at which each trips; honest traffic in every language of the tests'
sentences, which must trip nothing; what one verdict, one round of decisions and one count in a database cost.

`--rows N` makes a table of so many rows instead, and polls it as a timer would: without `--apply`, with it, when
all of the table is looked at, and once more. `--per-day`, `--no-index` and `--folder` say of what kind and where it is;
10^8 rows take 13 GB and six minutes to make.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from contracts.breaker.decide import decide
from contracts.breaker.memory import State
from contracts.breaker.observed import Row, count, observed, span
from contracts.breaker.rate import Limits
from contracts.breaker.tally import Key, Tally
from contracts.text.charset import RequestCharset, profile
from contracts.text.verdict import Verification, verify_response
from tests.breaker.test_incidents import empties, mojibake
from tests.breaker.traffic import NOON
from tests.text.samples import honest, traps

CALLS = 1_000_000
DAYS = 7  # that the honest calls are spread over
POLL = timedelta(hours=3)
WINDOW_S = POLL.total_seconds()  # so that no call is in no window
PROVIDERS = 4
MODELS = 5  # of each provider; the models of one are not alike
TABLE = """CREATE TABLE verifications (id INTEGER PRIMARY KEY, kind TEXT, verdict TEXT, detail TEXT,
    model_attributable INTEGER, applied_at TEXT, provider TEXT, model TEXT)"""

ROWS = """WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
    INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model)
    SELECT CASE WHEN i % 2 THEN 'structural' ELSE 'client_outcome' END,
        CASE WHEN i / 2 % 97 = 0 THEN 'malformed' WHEN i / 2 % 5 = 0 THEN 'unverifiable' ELSE 'ok' END,
        CASE WHEN i / 2 % 97 = 0 THEN 'empty response' WHEN i / 2 % 5 = 0 THEN 'tool call' ELSE '' END,
        i / 2 % 97 = 0, strftime('%Y-%m-%dT%H:%M:%f', ? + i * ?, 'unixepoch') || '+00:00',
        'größe-' || (i * 7919 % 20), 'm-' || (i * 104729 % 25) FROM n"""
ROOT = Path(__file__).parents[1]
PYTHONPATH = os.pathsep.join([str(ROOT), str(ROOT / "cli")])


class Honest(NamedTuple):
    """What honest traffic came to."""

    calls: int
    languages: int
    polls: int
    verdicts: dict[str, int]
    tripped: tuple[Key, ...]
    seconds: float


def honest_traffic(calls: int, seed: int = 6) -> Honest:
    """Answer, judge and poll: sentences of one language each, tool calls, caps, throttles, and now and then nothing."""
    chance = random.Random(seed)  # noqa: S311 - the same at each run
    by_language: dict[str, list[str]] = {}
    for language, sentence in honest():
        by_language.setdefault(language, []).append(sentence)
    prompts = {language: profile(sentences[:1]) for language, sentences in by_language.items()}
    languages, odd, ascii_prompt = list(by_language), traps(), profile(["Summarize this, please."])
    begin, every = NOON - timedelta(days=DAYS), timedelta(days=DAYS) / calls
    rows: list[Row] = []
    verdicts: Counter[str] = Counter()
    tripped: list[Key] = []
    polls, next_poll, started = 0, begin + POLL, perf_counter()
    for number in range(calls):
        at = begin + number * every
        language = languages[number % len(languages)]
        text = " ".join(chance.choices(by_language[language], k=1 + number % 3))
        if number % 101 == 0:
            text = chance.choice(odd)
        model = chance.randrange(MODELS)
        charset = ascii_prompt if number % 2 else prompts[language]
        provider = f"größe-{chance.randrange(PROVIDERS)}"
        row = observed(at, provider, f"模型-{model}", _answer(chance, text, charset, model))
        verdicts[row.verdict] += 1
        rows.append(row)
        if at >= next_poll or number == calls - 1:
            rows = [row for row in rows if row.at >= at - timedelta(hours=48)]
            decisions = decide(count(rows, span(at, WINDOW_S)), {}, at, lambda _: 0.0, Limits())
            tripped += [one.key for one in decisions if one.state is State.OPEN]
            polls, next_poll = polls + 1, next_poll + POLL
    return Honest(calls, len(languages), polls, dict(verdicts), tuple(tripped), perf_counter() - started)


def _answer(chance: random.Random, text: str, charset: RequestCharset, model: int) -> Verification:
    """One honest answer; the models say nothing in 0.2 to 1 % of their answers."""
    lot = chance.random()
    finish, has_calls, status = "stop", False, 200
    if lot < 0.002 * (1 + model):
        text = ""
    elif lot < 0.25:  # noqa: PLR2004 - every fourth turn calls a tool
        text, finish, has_calls = "", "tool_calls", True
    elif lot < 0.27:  # noqa: PLR2004
        finish = "length"
    elif lot < 0.28:  # noqa: PLR2004
        status = chance.choice([400, 429, 500, 503])
    return verify_response(text, finish, has_calls, status=status, request_charset=charset)


def incidents() -> None:
    """Replay both and print when they trip."""
    for name, rows in (("38 empty of 108, 70 with a tool call", empties()), ("mojibake at one provider", mojibake(3))):
        seen: list[Row] = []
        faults = 0
        for row in sorted(rows, key=lambda row: row.at):
            seen.append(row)
            faults += row.model_attributable
            decisions = decide(count(seen, span(row.at, WINDOW_S)), {}, row.at, lambda _: 0.0)
            tripped = [one for one in decisions if one.state is State.OPEN]
            if tripped:
                break
        for one in tripped:
            print(f"{name}: {one.key} by {one.by} at call {len(seen)} of {len(rows)}, fault {faults}: {one.why}")


def one_round() -> None:
    """Time one round of decisions on many keys."""
    tallies = [
        Tally(provider=f"größe-{p}", model=f"m-{m}", verdict=verdict, signature=sign, attributable=bad, day=n, window=n)
        for p in range(300) for m in range(20)
        for verdict, sign, bad, n in (("ok", "", False, 900), ("malformed", "empty response", True, 3))
    ]  # fmt: skip
    started = perf_counter()
    decisions = decide(tallies, {}, NOON, lambda _: 0.0)
    print(f"decisions on {len(decisions)} keys: {(perf_counter() - started) * 1000:.0f} ms")


def database(rows: int, per_day: int, folder: str | None = None, *, index: bool = True) -> None:
    """Time polls of a table of many rows, every other of them an answer that is judged."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        path = Path(own) / "router.db"
        begin = datetime.now(UTC).timestamp() - rows / per_day * 86_400
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(TABLE)
            connection.execute(ROWS, (rows, begin, 86_400 / per_day))
            if index:
                connection.execute("CREATE INDEX am ON verifications (applied_at)")
        size_gb = path.stat().st_size / 1e9
        print(f"{rows} rows, {per_day} a day, {size_gb:.2f} GB, {'with' if index else 'without'} an index")
        for more in ([], ["--apply"], ["--apply"]):
            started = perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "contracts_cli", "degraded", "--verifications", f"sqlite:///{path}", *more],
                check=False, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": PYTHONPATH},
            )  # fmt: skip
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            said = f"{perf_counter() - started:.1f} s, at most {used.ru_maxrss / 1024:.0f} MiB"
            print(f"  degraded {' '.join(more)}: {said}: {(done.stdout or done.stderr).strip()}")


def main() -> None:
    """Print it all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--per-day", type=int, default=2_500_000)
    parser.add_argument("--folder")
    parser.add_argument("--no-index", action="store_true")
    asked = parser.parse_args()
    if asked.rows is not None:
        database(asked.rows, asked.per_day, asked.folder, index=not asked.no_index)
        return
    calls = asked.calls
    incidents()
    one_round()
    database(calls, max(1, calls // 4))
    found = honest_traffic(calls)
    each_us = found.seconds / found.calls * 1e6
    print(f"honest: {found.calls} calls in {found.languages} languages, {found.polls} polls, {each_us:.0f} µs a call")
    print(f"  verdicts: {found.verdicts}")
    print(f"  tripped: {found.tripped or 'nothing'}")


if __name__ == "__main__":
    main()
