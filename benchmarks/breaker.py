"""Breaker and verdicts at work: python benchmarks/breaker.py [--calls N].

Both incidents with their very counts, and the call at which each trips; honest traffic in every language of the tests'
sentences, which must trip nothing; what one verdict, one round of decisions and one count in a database cost.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from datetime import timedelta
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
from contracts.verifications.place import parse
from contracts.verifications.store import Verifications
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


def database(rows: int) -> None:
    """Time the count of two days in a table of many rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "router.db"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(TABLE)
            connection.executemany(
                "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model) "
                "VALUES ('structural', 'ok', '', 0, ?, ?, ?)",
                (
                    ((NOON - timedelta(seconds=number)).isoformat(), f"größe-{number % 7}", f"m-{number % 50}")
                    for number in range(rows)
                ),
            )
            connection.execute("CREATE INDEX am ON verifications (applied_at)")
        table = Verifications(parse(f"sqlite:///{path}"))
        started = perf_counter()
        tallies = table.tallies(span(NOON, WINDOW_S))
        took = perf_counter() - started
        table.close()
        counted = sum(tally.day + tally.before for tally in tallies)
        print(f"{counted} of {rows} rows counted in SQLite: {took * 1000:.0f} ms, {len(tallies)} rows read")


def main() -> None:
    """Print it all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=CALLS)
    calls = parser.parse_args().calls
    incidents()
    one_round()
    database(calls)
    found = honest_traffic(calls)
    each_us = found.seconds / found.calls * 1e6
    print(f"honest: {found.calls} calls in {found.languages} languages, {found.polls} polls, {each_us:.0f} µs a call")
    print(f"  verdicts: {found.verdicts}")
    print(f"  tripped: {found.tripped or 'nothing'}")


if __name__ == "__main__":
    main()
