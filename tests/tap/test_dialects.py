"""Every dialect through a tapped router: the Facts of a tap are those of a fold of the whole, wherever it was cut."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
import pytest
import requests
from msgspec import structs

from contracts import dialects
from contracts.config import catalogue
from contracts.facts import Facts
from contracts.fold import fold
from contracts.model import Ended, Exchange, Headers, Request
from contracts.observations import Observation
from contracts.taps import Spoken, Taps, of_httpx, of_requests
from contracts.taps.asgi import TapMiddleware
from contracts.testing import Scenario, known_scenarios, writers
from contracts.testing.plugin import Factory

if TYPE_CHECKING:
    from contracts.taps.asgi import Receive, Scope, Send

CATALOGUE = catalogue.load(None)
SPOKEN = {name: Spoken(dialects.load(name), CATALOGUE.tables(name)) for name in writers.names()}
FAULTY = (
    "honest", "double-encoded", "replacement-characters", "lone-surrogates", "json-cut", "json-nan", "sse-cut-short",
    "sse-no-final-blank", "finish-never", "finish-twice", "error-mid-stream", "tool-calls", "reasoning",
    "only-blanks", "empty-success", "overloaded", "json-for-stream", "sse-labelled-json", "bom", "cr", "byte-by-byte",
)  # fmt: skip
STEPS = (1, 7, 4096, 1 << 20)
KEY = {"Authorization": "Bearer test", "x-api-key": "test", "x-goog-api-key": "test"}
MODEL = "loopback/libre"


def played() -> Iterator[Any]:
    scenarios: Mapping[str, Scenario] = known_scenarios()
    for name in writers.names():
        for scenario in FAULTY:
            if scenarios[scenario].lacking(writers.load(name)) is None:
                yield pytest.param(name, scenario, id=f"{name} {scenario}")


def question(name: str) -> tuple[str, bytes]:
    """The path below the base URL of a streamed chat, and its body."""
    asking = dialects.load_asking(name)
    assert asking is not None
    return asking.chat_path(MODEL), asking.free_chat(MODEL, 50)


def taps() -> tuple[Taps, list[Observation]]:
    found: list[Observation] = []
    return Taps(SPOKEN, found.append), found


def cut(body: bytes, step: int) -> list[bytes]:
    return [body[start:end] for start, end in pairwise([*range(0, len(body), step), len(body)])]


def of_whole(name: str, request: Request, status: int, headers: Headers, body: bytes) -> Facts:
    """What a fold of all that came says."""
    exchange = Exchange(
        request=request, status=status, headers=headers, body=(body,), ref="größe", ended=Ended.COMPLETE
    )
    return fold(exchange, *SPOKEN[name])


def without_times(facts: Facts) -> Facts:
    return structs.replace(facts, timing=None)


@pytest.mark.parametrize(("name", "scenario"), [*played()])
def test_what_comes_is_folded_as_a_whole_is(hostile_provider: Factory, name: str, scenario: str) -> None:
    provider = hostile_provider(scenario, dialect=name, any_model=True)
    path, body = question(name)
    tapping, found = taps()
    with httpx.Client(timeout=20) as client:
        for step in (None, *STEPS):
            with client.stream("POST", provider.base_url + path, content=body, headers=KEY) as response:
                tap = of_httpx.tap(tapping, name, response)
                came = []
                for chunk in response.iter_raw(step):
                    tap.feed(chunk)
                    came.append(chunk)
                tap.finish("complete")
                headers = tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in response.headers.raw)
                asked = of_httpx.asked_of(response.request)
            expected = of_whole(name, asked, response.status_code, headers, b"".join(came))
            assert without_times(found.pop().facts) == expected, step
    with requests.post(provider.base_url + path, data=body, headers=KEY, stream=True, timeout=20) as answer:
        came = list(of_requests.forward(tapping, name, answer))
    request = of_requests.asked_of(answer.request)
    expected = of_whole(name, request, answer.status_code, tuple(answer.headers.items()), b"".join(came))
    assert without_times(found.pop().facts) == expected
    assert found == []


def sent_through(name: str, path: str, body: bytes, chunks: list[bytes], **head: Any) -> Facts:
    """What the middleware sees of chunks that an application sends."""
    tapping, found = taps()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        while (await receive()).get("more_body"):
            pass
        headers = [(n.encode("latin-1"), v.encode("latin-1")) for n, v in head.get("headers", ())]
        await send({"type": "http.response.start", "status": head.get("status", 200), "headers": headers})
        for chunk in chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def go() -> None:
        tapped = TapMiddleware(app, tapping, lambda _: name)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=tapped)) as client:
            answer = await client.post(f"http://größe.example{path}", content=body)
            assert answer.content == b"".join(chunks)

    asyncio.run(go())
    (one,) = found
    return one.facts


@pytest.mark.parametrize(("name", "scenario"), [*played()])
def test_what_is_sent_is_folded_as_a_whole_is(hostile_provider: Factory, name: str, scenario: str) -> None:
    provider = hostile_provider(scenario, dialect=name, any_model=True)
    path, body = question(name)
    answer = httpx.post(provider.base_url + path, content=body, headers=KEY)
    path = httpx.URL(provider.base_url + path).raw_path.decode()
    headers = tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in answer.headers.raw)
    head: dict[str, Any] = {"status": answer.status_code, "headers": headers}
    whole = of_whole(name, Request(method="POST", url=path, body=body), body=answer.content, **head)
    if scenario == "honest":
        assert whole.asked is not None
        assert whole.asked.stream
        assert whole.reply is not None
        assert whole.reply.streamed
    for step in STEPS:
        assert sent_through(name, path, body, cut(answer.content, step), **head) == whole, step


# What no scenario plays


def gemini_array(provider: Any) -> tuple[str, bytes, bytes]:
    """A stream of Gemini's that was asked for without `alt=sse`: one array, in pieces."""
    path, body = question("gemini")
    streamed = httpx.post(provider.base_url + path, content=body, headers=KEY).content
    values = [line.removeprefix(b"data: ") for line in streamed.splitlines() if line.startswith(b"data: ")]
    return path.partition("?")[0], body, b"[" + b"\n,\r\n".join(values) + b"\n]\n"


@pytest.mark.parametrize("scenario", ["honest", "double-encoded", "finish-never", "tool-calls"])
def test_an_array_of_gemini_is_folded_as_a_whole_is(hostile_provider: Factory, scenario: str) -> None:
    path, body, answer = gemini_array(hostile_provider(scenario, dialect="gemini", any_model=True))
    json.loads(answer)
    headers = (("content-type", "application/json; charset=UTF-8"),)
    path = f"/v1beta{path}"
    whole = of_whole("gemini", Request(method="POST", url=path, body=body), 200, headers, answer)
    assert whole.reply is not None
    assert whole.reply.choices
    for step in STEPS:
        assert sent_through("gemini", path, body, cut(answer, step), headers=headers) == whole, step


EMBEDDINGS = {
    "openai-chat": ("/v1/embeddings", {"object": "list", "data": [{"embedding": [0.1, -2e-3], "index": 0}]}),
    "gemini": ("/v1beta/models/größe:embedContent", {"embedding": {"values": [0.1, 2]}}),
    "ollama": ("/api/embed", {"model": "größe", "embeddings": [[0.1]]}),
    "cohere": ("/v2/embed", {"id": "größe", "embeddings": {"float": [[0.1]]}}),
}


@pytest.mark.parametrize("name", EMBEDDINGS)
def test_embeddings_are_nobodys_empty_answer(name: str) -> None:
    path, value = EMBEDDINGS[name]
    path = httpx.URL(f"http://x{path}").raw_path.decode()
    answer, body = msgspec.json.encode(value), msgspec.json.encode({"model": "größe", "input": "日本"})
    headers = (("content-type", "application/json"),)
    whole = of_whole(name, Request(method="POST", url=path, body=body), 200, headers, answer)
    for step in STEPS:
        assert sent_through(name, path, body, cut(answer, step), headers=headers) == whole, step
    tapping, found = taps()
    tap = tapping.tap(name, Request(method="POST", url=path, body=body), 200, headers)
    tap.feed(answer)
    tap.finish()
    assert (found[0].verification.verdict, found[0].verification.model_attributable) == ("unverifiable", False)


def gzipped(body: bytes) -> bytes:
    return zlib.compress(body, wbits=31)


@pytest.mark.parametrize("name", writers.names())
@pytest.mark.parametrize(("coding", "code"), [("gzip", gzipped), ("deflate", zlib.compress)])
def test_a_coded_answer_is_folded_as_a_plain_one(
    hostile_provider: Factory, name: str, coding: str, code: Callable[[bytes], bytes]
) -> None:
    path, body = question(name)
    provider = hostile_provider("double-encoded", dialect=name, any_model=True)
    plain = httpx.post(provider.base_url + path, content=body, headers=KEY)
    path = httpx.URL(provider.base_url + path).raw_path.decode()
    headers = (("content-type", plain.headers["content-type"]), ("content-encoding", coding))
    whole = of_whole(name, Request(method="POST", url=path, body=body), 200, headers, plain.content)
    tapping, found = taps()
    for step in STEPS:
        request = Request(method="POST", url=path, body=body)
        tap = tapping.tap(name, request, 200, headers, is_coded=True)
        for chunk in cut(code(plain.content), step):
            tap.feed(chunk)
        tap.finish()
        assert structs.replace(found.pop().facts, coding=None) == whole, step
