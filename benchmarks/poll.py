"""A whole poll on loopback: CPU time of fetch, parse, resolve and judge beside a client that only fetches the same.

60 providers with a listing of 500 KB each and 500 requests about single models. Goal: at most 1.5 times the CPU of
aiohttp fetching alone; and on one listing, time linear in its models. `--models` measures the second.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROVIDERS, ASKED = 60, 500
LISTED = 700  # entries of a listing of 500 KB
ROUNDS = 7
LARGE = (1_000, 10_000, 100_000)


def entry(number: int) -> dict[str, object]:
    """Give what a large public catalogue says of one model."""
    return {
        "id": f"vendor-{number % 40}/modèle-{number}-instruct",
        "object": "model",
        "created": 1_790_000_000 + number,
        "owned_by": f"vendor-{number % 40}",
        "description": "Tuned for instructions, code and dialogue: café, 日本語, русский. " * 3,
        "context_length": 131_072,
        "architecture": {"modality": "text->text", "input_modalities": ["text"], "output_modalities": ["text"]},
        "pricing": {"prompt": "0.00000018", "completion": "0.0000006", "request": "0", "image": "0"},
        "supported_parameters": ["max_tokens", "temperature", "top_p", "stop", "tools", "response_format"],
    }


def answer(value: object) -> bytes:
    """Write a value as a whole HTTP answer."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


class Server(asyncio.Protocol):
    """Answers with the listing, or with the endpoints of a model."""

    listing = endpoints = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start with nothing read."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - only TCP is served
        self._transport, self._read = transport, b""

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        self._read += data
        while b"\r\n\r\n" in self._read:
            head, self._read = self._read.split(b"\r\n\r\n", 1)
            self._transport.write(self.listing if b"/models HTTP" in head[:40] else self.endpoints)


async def serve(listed: int) -> None:
    """Listen on as many addresses as there are providers, and print the port."""
    Server.listing = answer({"object": "list", "data": [entry(n) for n in range(listed)]})
    Server.endpoints = answer(
        {"data": {"endpoints": [{"name": "a", "pricing": {"prompt": "0.1", "completion": "0.2"}}]}}
    )
    loop = asyncio.get_running_loop()
    first = await loop.create_server(Server, "127.0.0.1", 0, backlog=1024)
    port = first.sockets[0].getsockname()[1]
    others = [await loop.create_server(Server, f"127.0.0.{n + 2}", port, backlog=1024) for n in range(PROVIDERS - 1)]
    print(port, len(others), flush=True)
    await asyncio.Event().wait()


def asked_of(provider: int) -> list[str]:
    """Give the models that one provider's row allows; all rows together have as many as are asked for."""
    count = ASKED // PROVIDERS + (provider < ASKED % PROVIDERS)
    return [str(entry(n)["id"]) for n in range(count)]


def rows(port: int, providers: int) -> dict[str, object]:
    """Write the rows of a poll."""
    listing = {
        "path": "/models",
        "prices": "pricing",
        "context_tokens": "context_length",
        "parameters": "supported_parameters",
    }
    endpoint = {"path": "/models/{id}/endpoints", "count": "data.endpoints", "prices": "data.endpoints[].pricing"}
    return {
        f"provider-{n}": {
            "dialect": "openai-chat",
            "base_url": f"http://127.0.0.{n + 1}:{port}/v1",
            "listing": listing,
            "endpoint": endpoint,
            "models": asked_of(n),
        }
        for n in range(providers)
    }


def used_ms() -> float:
    """CPU time of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return 1000 * (usage.ru_utime + usage.ru_stime)


def ours(port: int, providers: int) -> float:
    """CPU ms of a poll, imports and reading the configuration apart."""
    sys.path[:0] = [ROOT]
    from contracts import live
    from contracts.run import rows_of
    from contracts.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "providers.yaml"
        written = {"version": 1, "providers": rows(port, providers)}
        path.write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")
        settings = Settings(config=str(path), timeout_s=120.0)
        warm = Settings(config=str(path), providers=("provider-0",), models=tuple(asked_of(0)[:1]), timeout_s=120.0)
        live.check(warm, environ={})
        before = used_ms()
        rows_of(settings)
        configuration = used_ms() - before
        before = used_ms()
        report, _ = live.check(settings, environ={})
        taken = used_ms() - before - configuration
    resolved = [f for f in report.findings if f.contract == "models.resolve" and f.outcome == "holds"]
    if providers == PROVIDERS and len(resolved) != ASKED:
        raise SystemExit(f"expected {ASKED} models that resolve, found {len(resolved)}")
    return taken


async def fetch(port: int) -> float:
    """CPU ms of aiohttp fetching the same, and doing nothing with it."""
    import aiohttp
    from yarl import URL

    urls = [f"http://127.0.0.{n + 1}:{port}/v1/models" for n in range(PROVIDERS)]
    urls += [f"http://127.0.0.{n + 1}:{port}/v1/models/{m}/endpoints" for n in range(PROVIDERS) for m in asked_of(n)]
    before = used_ms()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0, limit_per_host=4)) as session:

        async def get(url: str) -> int:
            async with session.get(URL(url)) as response:
                return len(await response.read())

        await asyncio.gather(*map(get, urls))
    return used_ms() - before


def measured(words: list[str]) -> float:
    """Run this script in a process of its own and take the number that it prints."""
    done = subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout)


def with_server(listed: int) -> tuple[subprocess.Popen[str], str]:
    """Start the server in a process of its own."""
    server = subprocess.Popen([sys.executable, __file__, "serve", str(listed)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None  # noqa: S101 - it is a pipe
    return server, server.stdout.readline().split()[0]


def compare() -> None:
    """Print the poll beside aiohttp, runs alternating."""
    server, port = with_server(LISTED)
    try:
        times: dict[str, list[float]] = {"aiohttp": [], "ours": []}
        for _ in range(ROUNDS):
            for name, taken in times.items():
                taken.append(measured([name, port]))
    finally:
        server.kill()
        server.wait()
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    for name, median in medians.items():
        low, high = min(times[name]), max(times[name])
        print(f"{name:<10} {median:>8.1f} ms CPU  ({low:.0f}-{high:.0f})  {median / medians['aiohttp']:.2f}")


def large() -> None:
    """Print the CPU of one poll of one provider by the number of its models."""
    for listed in LARGE:
        server, port = with_server(listed)
        try:
            taken = min(measured(["one", port]) for _ in range(3))
        finally:
            server.kill()
            server.wait()
        print(f"{listed:>8} models {taken:>9.1f} ms CPU  {1000 * taken / listed:.2f} µs a model")


def main() -> None:
    """Measure, or play one part of the measurement."""
    match sys.argv[1:]:
        case ["serve", listed]:
            asyncio.run(serve(int(listed)))
        case ["ours", port]:
            print(ours(int(port), PROVIDERS))
        case ["one", port]:
            print(ours(int(port), 1))
        case ["aiohttp", port]:
            print(asyncio.run(fetch(int(port))))
        case _:
            compare()
            large()


if __name__ == "__main__":
    main()
