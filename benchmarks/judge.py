"""A stream of 100,000 events judged by every contract, beside what the openai SDK needs only to read it.

    python benchmarks/judge.py [--events N] [--rounds N]

Alternating rounds in one process; medians of CPU time. Without the openai SDK ours stands alone.
The stream is text over deltas of a few words, 4 KiB a read, with role, finish, usage and close. Events that are alike
but for their text are decoded once; in the padded stream no two are.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from contracts import dialects
from contracts.config import catalogue
from contracts.fold import Fold
from contracts.judge import judge
from contracts.model import Evidence, Outcome, Request, Source

MODEL = "z-ai/glm-5.3-flash"
READ_BYTES = 4096
GOAL_RATIO = 20
WORDS = [
    " the",
    " stream",
    " of",
    " Größe",
    " tokens",
    " —",
    " 你好",
    ",",
    " naïve",
    " and",
    " so",
    " on",
    "\n\n",
    " 👩‍👧",
]
BODY = {"model": MODEL, "messages": [{"role": "user", "content": "Grüß mich"}], "stream": True,
        "stream_options": {"include_usage": True}}  # fmt: skip
REQUEST = Request(method="POST", url="/v1/chat/completions", body=json.dumps(BODY).encode())
HEADERS = (("Content-Type", "text/event-stream; charset=utf-8"),)


def stream(events: int, *, padded: bool = False) -> Iterator[bytes]:
    """Give the stream, cut wherever READ_BYTES cut it; `padded`: each event carries other padding, as OpenAI's do."""
    held = bytearray()
    for number in range(events):
        held += event(number, events, padded=padded)
        while len(held) >= READ_BYTES:
            yield bytes(held[:READ_BYTES])
            del held[:READ_BYTES]
    yield bytes(held) + b"data: [DONE]\n\n"


def event(number: int, events: int, *, padded: bool) -> bytes:
    """Give one event: role first, finish and usage last, a comment now and then."""
    delta = {"content": WORDS[number % len(WORDS)]} if number else {"role": "assistant", "content": ""}
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    chunk = {"id": "gen-1796000000-größe", "object": "chat.completion.chunk", "created": 1796000000, "model": MODEL}
    if number == events - 1:
        chunk |= {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16}}
    elif number == events - 2:
        chunk |= {"choices": [{**choice, "delta": {}, "finish_reason": "stop"}]}
    else:
        chunk |= {"choices": [choice]}
    if padded:
        chunk["obfuscation"] = f"{number * 2654435761 % 2**32:x}"
    comment = b"" if number % 100 else b": PROCESSING\n\n"
    return comment + b"data: " + json.dumps(chunk, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"


def ours() -> Callable[[list[bytes]], None]:
    """Give what folds a stream and judges it by every contract; loading the contracts is not part of it."""
    contracts = catalogue.load(None)
    tables, bound = contracts.tables("openai-chat"), contracts.bound_to_dialect("openai-chat")
    dialect = dialects.load("openai-chat")

    def run(chunks: list[bytes]) -> None:
        fold = Fold(REQUEST, 200, HEADERS, dialect, tables)
        for chunk in chunks:
            fold.feed(chunk)
        evidence = Evidence(facts=fold.finish("complete"), source=Source.SYNTHETIC, ref="benchmark")
        findings = judge(bound, [evidence], provider=None, models=(MODEL,))
        broken = [f.detail for f in findings if f.outcome is Outcome.VIOLATED]
        if broken:
            raise SystemExit(f"the benchmark's stream is not in order: {broken}")

    return run


def sdk() -> Callable[[list[bytes]], None] | None:
    """Give what reads a stream with the openai SDK, over a transport that hands it the same chunks; None without it."""
    try:
        import httpx

        openai: Any = import_module("openai")
    except ImportError:
        return None

    def run(chunks: list[bytes]) -> None:
        def answer(_: httpx.Request) -> httpx.Response:
            return httpx.Response(200, headers=dict(HEADERS), stream=Chunks(chunks))

        class Chunks(httpx.SyncByteStream):
            """The chunks as they are."""

            def __init__(self, chunks: list[bytes]) -> None:
                """Take the chunks."""
                self.chunks = chunks

            def __iter__(self) -> Iterator[bytes]:
                """Give them one by one."""
                yield from self.chunks

        with httpx.Client(transport=httpx.MockTransport(answer)) as http:
            client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1/v1", http_client=http)
            for _ in client.chat.completions.create(model=MODEL, messages=BODY["messages"], stream=True):
                pass

    return run


def cpu_us(run: Callable[[list[bytes]], None], chunks: list[bytes], events: int) -> float:
    """Measure one run in µs of CPU time for each event."""
    gc.collect()
    started = time.process_time()
    run(chunks)
    return (time.process_time() - started) / events * 1e6


def peak_kib(run: Callable[[list[bytes]], None], chunks: list[bytes]) -> float:
    """Measure the most memory that a run holds beyond the chunks, in KiB."""
    gc.collect()
    tracemalloc.start()
    run(chunks)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1024


def row(run: Callable[[list[bytes]], None], name: str, chunks: list[bytes], events: int, rounds: int) -> str:
    """Measure one line of the table."""
    us = statistics.median(cpu_us(run, chunks, events) for _ in range(rounds))
    return f"{name:<9} {us:<13.2f} {peak_kib(run, chunks):.0f}"


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    run, peer = ours(), sdk()
    run(list(stream(100)))
    print("events    µs an event   peak KiB")
    for events in (options.events // 100, options.events // 10, options.events):
        print(row(run, f"{events}", list(stream(events)), events, options.rounds))
    events = options.events // 10
    print(row(run, "padded", list(stream(events, padded=True)), events, options.rounds))
    if peer is None:
        print("the openai SDK is not installed, so there is no ratio")
        return
    for name, padded in (("alike", False), ("padded", True)):
        chunks = list(stream(events, padded=padded))
        peer(chunks)
        pairs = [(cpu_us(run, chunks, events), cpu_us(peer, chunks, events)) for _ in range(options.rounds)]
        mine, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
        print(f"events {name}, alternating: every contract judged {mine:.2f} µs, the openai SDK reads {theirs:.1f} µs")
        print(f"ratio {theirs / mine:.1f} (goal: {GOAL_RATIO})")


if __name__ == "__main__":
    main()
