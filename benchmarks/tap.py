"""What a tap adds to the CPU of a router that forwards streams with httpx and uvicorn: python benchmarks/tap.py.

Two processes forward streams of a provider in a third, one with a tap and one without, at the same time, so that
whatever else the machine does hits both; they change parts each round. Their CPU time is read before and after. One
event is one read, as providers send them.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.timing import table  # noqa: E402 - the path comes first

EVENTS = 200  # of one stream: a reply of some 150 words
GAP_S = 0.001  # between two events of a stream, so that none is read with the next
ROUNDS = 8  # an even number
STREAMS = {1: 10, 200: 1}  # side by side: how often in a row
TEXTS = (" the", " cat", " naïve", " — ", "日本", " went", " out", ".\n")
BODY = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Tell me something. " * 40}]}
HEADERS = [(b"content-type", b"text/event-stream")]


def events() -> list[bytes]:
    """The events of a stream, as bytes."""
    found = []
    for number in range(EVENTS):
        delta = {"content": TEXTS[number % len(TEXTS)]}
        choice: dict[str, Any] = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
        found.append(choice)
    found.append({"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"})
    usual = {
        "model": "m",
        "id": "chatcmpl-Cq3kT0rVf1nB2x8Yw7zLmNoPqRs5",
        "object": "chat.completion.chunk",
        "created": 1,
    }
    texts = [json.dumps({**usual, "choices": [choice]}, ensure_ascii=False) for choice in found]
    return [b"data: " + text.encode() + b"\n\n" for text in [*texts, "[DONE]"]]


async def provide(scope: Any, receive: Any, send: Any) -> None:
    """Play a provider that sends an event at a time."""
    if scope["type"] != "http":
        return
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    for event in events():
        await send({"type": "http.response.body", "body": event, "more_body": True})
        await asyncio.sleep(GAP_S)
    await send({"type": "http.response.body", "body": b""})


def router(upstream: str) -> Callable[[Any, Any, Any], Awaitable[None]]:
    """Make a router that forwards what is asked at /plain, and with a tap at /tapped; /cpu tells the CPU so far."""
    import httpx

    from contracts.taps import Taps, of_httpx

    folder = tempfile.mkdtemp()
    rows = Path(folder) / "providers.yaml"
    rows.write_text("version: 1\nproviders:\n  p: {dialect: openai-chat, models: [m]}\n")
    taps = Taps.open(str(rows), os.path.join(folder, "observed.jsonl"))
    client = httpx.AsyncClient(limits=httpx.Limits(max_connections=None), timeout=60)

    async def forward(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        body = (await receive()).get("body", b"")
        if scope["path"] == "/cpu":
            usage = resource.getrusage(resource.RUSAGE_SELF)
            told = f"{usage.ru_utime + usage.ru_stime:.6f}".encode()
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(told))]}
            )
            await send({"type": "http.response.body", "body": told})
            return
        async with client.stream("POST", f"{upstream}/v1/chat/completions", content=body) as response:
            chunks: AsyncIterator[bytes] = response.aiter_raw()
            if scope["path"] == "/tapped":
                chunks = of_httpx.aforward(taps, "p", response)
            await send({"type": "http.response.start", "status": response.status_code, "headers": HEADERS})
            async for chunk in chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return forward


def serve(what: str, port: int, upstream: str) -> None:
    """Serve the provider or the router until ended."""
    import uvicorn

    app = provide if what == "provider" else router(upstream)
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        log_level="error",
        access_log=False,
        http="h11",
        lifespan="off",
        timeout_keep_alive=600,
    )


def start(what: str, upstream: str = "-") -> tuple[subprocess.Popen[bytes], int]:
    """Start a process of this file and wait until it listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, __file__, what, str(port), upstream])
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if process.poll() is not None:
                raise SystemExit(f"the {what} ended") from None
        else:
            return process, port


async def read(port: int, path: str, streams: int, times: int) -> None:
    """Read so many streams side by side, on bare sockets: the client is not what is measured."""
    body = json.dumps(BODY).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode()

    async def one() -> None:
        for _ in range(times):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head + body)
            seen = await reader.read()
            writer.close()
            if seen.count(b"data: ") != EVENTS + 2:
                raise SystemExit(f"{path}: {seen.count(b'data: ')} events arrived")

    await asyncio.gather(*(one() for _ in range(streams)))


async def cpu(port: int) -> float:
    """CPU seconds that a router has used so far."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /cpu HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return float(answer.rpartition(b"\r\n\r\n")[2])


async def together(ports: list[int], streams: int, times: int) -> tuple[float, float]:
    """CPU seconds of the router without a tap and of the one with it, for the same work at the same time."""
    plain, tapped = ports
    before = await cpu(plain), await cpu(tapped)
    await asyncio.gather(read(plain, "/plain", streams, times), read(tapped, "/tapped", streams, times))
    return await cpu(plain) - before[0], await cpu(tapped) - before[1]


def main() -> None:
    """Print microseconds of CPU an event, and what the tap's part is."""
    provider, upstream = start("provider")
    routers = [start("router", f"http://127.0.0.1:{upstream}") for _ in range(2)]
    ports = [port for _, port in routers]
    rows = []
    try:
        for streams, times in STREAMS.items():
            count = streams * times * (EVENTS + 2)
            for way in (ports, ports[::-1]):
                asyncio.run(together(way, streams, 1))
            took = [
                asyncio.run(together(ports if number % 2 else ports[::-1], streams, times)) for number in range(ROUNDS)
            ]
            # Two rounds with the parts changed are one measurement: what one process has of its own cancels out.
            pairs = [(a[0] + b[0], a[1] + b[1]) for a, b in zip(took[::2], took[1::2], strict=True)]
            plain, tapped = (median(pair[way] for pair in pairs) / count / 2 * 1e6 for way in range(2))
            parts = sorted((t - p) / p * 100 for p, t in pairs)
            shown = f"{median(parts):.1f} ({parts[0]:.1f} to {parts[-1]:.1f})"
            rows.append([str(streams), f"{plain:.1f}", f"{tapped:.1f}", shown])
    finally:
        for process in (provider, *(process for process, _ in routers)):
            process.terminate()
    print(table(["streams", "forwarding, µs an event", "with a tap", "more, %: median (of all)"], rows))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    else:
        main()
