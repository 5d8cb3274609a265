"""Decode event streams with the facts of their framing, beside httpx-sse: python benchmarks/sse.py [EVENTS].

Ratios count: how many times as fast as httpx-sse, which looks at no facts. Goals: 3 at reads of 1-64 KiB, 5 at one
event a read, 8 byte by byte, and a line of 200 MB in time linear in its length.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from time import thread_time

sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx
import httpx_sse

from benchmarks.timing import alternate, table
from contracts.wire.sse import Decoder

WORDS = {
    "ASCII": (" the", " of", " stream", " and", "\n", " def", " 3.14"),
    "mixed": (" the", "你好", "déjà", " —", "👩‍👩‍👧", "привет", "नमस्ते"),
}


def stream(events: int, words: str, eol: str, *, named: bool = False) -> bytes:
    """Chat chunks as a large provider sends them, with a comment every hundred events and a close marker."""
    rng = random.Random(events)  # noqa: S311 - no secret
    out = []
    for i in range(events):
        if not i % 100:
            out.append(f": PROCESSING{eol}{eol}")
        chunk = {
            "id": "chatcmpl-Cq3kT0rVf1nB2x8Yw7zLmNoPqRs5",
            "object": "chat.completion.chunk",
            "created": 1796000000,
            "model": "example-4o-mini-2026-07-18",
            "service_tier": "default",
            "system_fingerprint": "fp_51db84afab",
            "choices": [
                {"index": 0, "delta": {"content": rng.choice(WORDS[words])}, "logprobs": None, "finish_reason": None}
            ],
            "usage": None,
            "obfuscation": "x" * rng.randint(1, 16),
        }
        lead = f"event: response.chunk{eol}data: " if named else "data: "
        out.append(f"{lead}{json.dumps(chunk, ensure_ascii=False, separators=(',', ':'))}{eol}{eol}")
    out.append(f"data: [DONE]{eol}{eol}")
    return "".join(out).encode()


def cut(body: bytes, low: int, high: int) -> list[bytes]:
    """Reads of `low` to `high` bytes."""
    rng = random.Random(high)  # noqa: S311 - no secret
    out = []
    at = 0
    while at < len(body):
        size = rng.randint(low, high)
        out.append(body[at : at + size])
        at += size
    return out


def by_event(body: bytes, eol: bytes) -> list[bytes]:
    """One read for each block."""
    return [block + eol + eol for block in body.split(eol + eol)[:-1]]


def with_ours(reads: Iterable[bytes]) -> int:
    """Decode with the facts."""
    decoder = Decoder()
    feed = decoder.feed
    events = 0
    for read in reads:
        for _ in feed(read):
            events += 1
    decoder.close()
    return decoder.framing().events + 0 * events


def with_httpx_sse(reads: Iterable[bytes]) -> int:
    """Decode as a user of httpx does."""
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=iter(reads))
    return sum(1 for _ in httpx_sse.EventSource(response).iter_sse())


def rows(events: int) -> Iterator[list[str]]:
    """One row for each kind of stream and reads."""
    lf, crlf = "\n", "\r\n"
    cases: list[tuple[str, bytes, Callable[[bytes], list[bytes]]]] = [
        ("ASCII, LF, 1-64 KiB reads", stream(events, "ASCII", lf), partial(cut, low=1024, high=65536)),
        ("mixed, LF, 1-64 KiB reads", stream(events, "mixed", lf), partial(cut, low=1024, high=65536)),
        ("ASCII, CRLF, 1-64 KiB reads", stream(events, "ASCII", crlf), partial(cut, low=1024, high=65536)),
        ("mixed, CRLF, 1-64 KiB reads", stream(events, "mixed", crlf), partial(cut, low=1024, high=65536)),
        ("named, LF, 1-64 KiB reads", stream(events, "ASCII", lf, named=True), partial(cut, low=1024, high=65536)),
        ("ASCII, LF, 1 KiB reads", stream(events, "ASCII", lf), partial(cut, low=1024, high=1024)),
        ("ASCII, LF, one event a read", stream(events, "ASCII", lf), partial(by_event, eol=b"\n")),
        ("ASCII, CRLF, one event a read", stream(events, "ASCII", crlf), partial(by_event, eol=b"\r\n")),
        ("mixed, LF, one event a read", stream(events, "mixed", lf), partial(by_event, eol=b"\n")),
        ("ASCII, LF, byte by byte", stream(events // 20, "ASCII", lf), partial(cut, low=1, high=1)),
    ]
    for name, body, cutter in cases:
        reads = cutter(body)
        count = with_ours(reads)
        if count != with_httpx_sse(reads):
            raise SystemExit(f"{name}: the decoders do not agree on the number of events")
        seconds = alternate({"ours": partial(with_ours, reads), "peer": partial(with_httpx_sse, reads)})
        ours, peer = seconds["ours"], seconds["peer"]
        yield [name, f"{ours / count * 1e6:.2f}", f"{peer / count * 1e6:.2f}", f"{peer / ours:.1f}"]


def long_line(megabytes: int, read: int) -> float:
    """CPU seconds for one line of so many MB, in reads of the same size; it passes the limit on one event."""
    decoder = Decoder()
    piece = b"a" * read
    begin = thread_time()
    decoder.feed(b"data: ")
    for _ in range(megabytes * 1_000_000 // read):
        decoder.feed(piece)
    decoder.feed(b"\n\n")
    decoder.close()
    return thread_time() - begin


def main() -> None:
    """Print both tables."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    print(table(["stream", "ours µs/event", "httpx-sse µs/event", "times as fast"], list(rows(events))))
    growth = []
    for read, sizes in ((65536, (50, 100, 200)), (1, (2, 4, 8))):
        times = [long_line(size, read) for size in sizes]
        cells = [f"{size} MB: {seconds:.2f} s" for size, seconds in zip(sizes, times, strict=True)]
        growth.append([f"{read} byte reads", *cells, f"{times[2] / times[1]:.1f}"])
    print()
    print(table(["one line", "a quarter", "half", "whole", "half to whole (2 is linear)"], growth))


if __name__ == "__main__":
    main()
