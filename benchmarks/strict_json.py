"""Read one chat chunk as strict JSON, beside readers that let more pass: python benchmarks/strict_json.py."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import jiter
import msgspec

from benchmarks.timing import alternate, table
from contracts.wire.strict_json import decode, loads_fast

LOOPS = 5000
CHUNK = {
    "id": "chatcmpl-Cq3kT0rVf1nB2x8Yw7zLmNoPqRs5",
    "object": "chat.completion.chunk",
    "created": 1796000000,
    "model": "example-4o-mini-2026-07-18",
    "system_fingerprint": "fp_51db84afab",
    "choices": [{"index": 0, "delta": {"content": " déjà — 你好"}, "logprobs": None, "finish_reason": None}],
    "usage": None,
}
TEXTS = {
    "compact": json.dumps(CHUNK, ensure_ascii=False, separators=(",", ":")).encode(),
    "with blanks": json.dumps(CHUNK, ensure_ascii=False).encode(),
    "escaped": json.dumps(CHUNK, separators=(",", ":")).encode(),
    "duplicate key": json.dumps(CHUNK, ensure_ascii=False, separators=(",", ":")).encode()[:-1] + b',"id":1}',
}


def repeat(read: Callable[[bytes], object], data: bytes) -> None:
    """Read the same text often enough to be timed."""
    for _ in range(LOOPS):
        read(data)


def main() -> None:
    """Print µs for each text, and for the last one what only ours tells."""
    readers: dict[str, Callable[[bytes], object]] = {
        "loads_fast": loads_fast,
        "decode": decode,
        "json": json.loads,
        "msgspec": msgspec.json.Decoder().decode,
        "jiter": partial(jiter.from_json, allow_inf_nan=False),
    }
    rows = []
    for name, data in TEXTS.items():
        seconds = alternate({reader: partial(repeat, read, data) for reader, read in readers.items()})
        cells = [f"{seconds[reader] / LOOPS * 1e6:.2f}" for reader in readers]
        rows.append([f"{name}, {len(data)} bytes", *cells, f"{seconds['json'] / seconds['decode']:.1f}"])
    print(table(["µs a text", *readers, "decode: times as fast as json"], rows))
    print(decode(TEXTS["duplicate key"])[1])


if __name__ == "__main__":
    main()
