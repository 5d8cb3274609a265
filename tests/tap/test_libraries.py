"""Taps beside `requests`, httpx and ASGI: bytes pass as they are, and what became of the answer is known."""

from __future__ import annotations

import asyncio
import io
import json
import zlib
from collections.abc import AsyncIterator, Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import httpx
import jsonschema_rs
import msgspec
import pytest
import requests

from contracts.errors import ConfigError
from contracts.model import Request
from contracts.observations import Observation, read
from contracts.taps import Taps, aforward, forward, of_httpx, of_requests
from contracts.taps.asgi import TapMiddleware
from contracts.testing import text_of
from contracts.testing.plugin import Factory
from tests.tap.conftest import Written

if TYPE_CHECKING:
    from contracts.taps.asgi import Message, Receive, Scope, Send

MODEL = "loopback/libre"
BODY = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "Answer in French, please."}]}

KEY = {"Authorization": "Bearer test"}


def only(written: Written) -> Observation:
    (one,) = written.all()
    return one


def test_what_is_forwarded_with_requests_is_what_came(written: Written, hostile_provider: Factory) -> None:
    provider = hostile_provider("honest")
    url = f"{provider.base_url}/chat/completions"
    with requests.post(url, json=BODY, stream=True, timeout=5, headers=KEY) as response:
        sent = list(of_requests.forward(written.taps, "groesse", response))
    assert text_of(b"".join(sent)) == provider.text
    one = only(written)
    (line,) = written.path.read_bytes().splitlines()
    schema = msgspec.json.decode(files("contracts").joinpath("library/schemas/observation.json").read_bytes())
    jsonschema_rs.validate(schema, msgspec.json.decode(line))
    assert (one.provider, one.model, one.verification.verdict) == ("groesse", MODEL, "ok")
    assert one.facts.ended == "complete"
    assert one.facts.asked is not None
    assert one.facts.asked.ascii
    assert one.facts.reply is not None
    assert one.facts.reply.text.non_ascii > 0
    assert one.facts.timing is not None
    assert one.facts.timing.arrivals == len(sent)


@pytest.mark.parametrize("scenario", ["honest", "gzip"])
def test_what_is_forwarded_with_httpx_is_what_was_on_the_wire(
    written: Written, hostile_provider: Factory, scenario: str
) -> None:
    provider = hostile_provider(*([] if scenario == "honest" else ["gzip"]))
    url = f"{provider.base_url}/chat/completions"

    async def go() -> bytes:
        async with httpx.AsyncClient() as client, client.stream("POST", url, json=BODY, headers=KEY) as response:
            return b"".join([chunk async for chunk in of_httpx.aforward(written.taps, "groesse", response)])

    with httpx.Client() as client, client.stream("POST", url, json=BODY, headers=KEY) as response:
        raw = b"".join(of_httpx.forward(written.taps, "groesse", response))
    other = asyncio.run(go())
    if scenario == "gzip":
        raw, other = zlib.decompress(raw, 31), zlib.decompress(other, 31)
    assert text_of(raw) == text_of(other) == provider.text
    first, second = written.all()
    assert first.facts.reply is not None
    assert second.facts.reply is not None
    assert first.facts.reply.text == second.facts.reply.text
    assert (first.verification.verdict, first.facts.ended) == ("ok", "complete")


def test_a_connection_that_breaks_is_cut_and_a_client_that_leaves_is_not(
    written: Written, hostile_provider: Factory
) -> None:
    provider = hostile_provider("reset-mid-event")
    url = f"{provider.base_url}/chat/completions"
    with (
        httpx.Client() as client,
        client.stream("POST", url, json=BODY, headers=KEY) as response,
        pytest.raises(httpx.TransportError),
    ):
        list(of_httpx.forward(written.taps, "groesse", response))
    honest = hostile_provider("honest")
    with requests.post(f"{honest.base_url}/chat/completions", json=BODY, stream=True, timeout=5, headers=KEY) as answer:
        chunks = of_requests.forward(written.taps, "groesse", answer)
        next(chunks)
        chunks.close()
    cut, left = written.all()
    assert (cut.facts.ended, cut.verification.verdict) == ("cut", "truncated")
    assert left.facts.ended == "unknown"


def test_chunks_pass_as_the_very_objects_they_are(written: Written) -> None:
    chunks: list[Any] = [b'data: {"gr\xc3', b"\xb6\xc3\x9fe", bytearray(b"\n\n"), b""]
    tap = written.taps.tap("groesse", Request(), 200, ())
    passed = list(forward(chunks, tap))
    assert all(a is b for a, b in zip(chunks, passed, strict=True))

    async def some() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def go() -> list[bytes]:
        return [chunk async for chunk in aforward(some(), written.taps.tap("groesse", Request(), 200, ()))]

    assert all(a is b for a, b in zip(chunks, asyncio.run(go()), strict=True))


def test_an_exception_on_the_way_reaches_the_router_and_a_provider_nobody_knows_does_not(written: Written) -> None:
    def failing() -> Iterable[bytes]:
        yield b"\xc3"
        raise TimeoutError("zu spät")

    tap = written.taps.tap("groesse", Request(), 200, ())
    with pytest.raises(TimeoutError, match="zu spät"):
        list(forward(failing(), tap))
    unknown = written.taps.tap("unbekannt", Request(), 200, ())
    assert list(forward([b"\xc3"], unknown)) == [b"\xc3"]
    assert isinstance(unknown.failure, ConfigError)
    assert str(unknown.failure) == "expected one of the providers groesse, nihon, found 'unbekannt'"
    assert written.taps.asked("unbekannt", Request()) is None
    assert only(written).facts.ended == "cut"


def test_a_response_that_no_client_made_is_forwarded_as_well(written: Written) -> None:
    alone = httpx.Response(200, stream=httpx.ByteStream("größe".encode()))
    assert b"".join(of_httpx.forward(written.taps, "groesse", alone)).decode() == "größe"
    made = requests.Response()
    made.raw, made.status_code = io.BytesIO("größe".encode()), 200
    assert b"".join(of_requests.forward(written.taps, "groesse", made)).decode() == "größe"
    assert isinstance(of_httpx.tap(written.taps, "groesse", alone).failure, RuntimeError)
    nobody: Any = ["größe"]
    assert isinstance(written.taps.tap(nobody, Request(method="POST", url="/"), 200, ()).failure, TypeError)


def test_each_attempt_is_of_the_model_that_it_asked_for(written: Written) -> None:
    def request(model: object, path: str, prompt: str = "hi") -> Request:
        body = {"messages": [{"role": "user", "content": prompt}], "model": model, "max_tokens": 5}
        return Request(method="POST", url=f"http://127.0.0.1:1{path}", body=json.dumps(body).encode())

    asked = written.taps.asked("groesse", request("größe/1", "/v1/chat/completions", "Où ça ?"))
    assert asked is not None
    for provider, tried in (
        ("groesse", request("größe/1", "/v1/chat/completions")),
        ("nihon", request("日本:free", "/api/chat")),
        ("groesse", request(7, "/v1/chat/completions")),
        ("groesse", Request(method="POST", url="/v1/chat/completions", body="größe".encode())),
        ("groesse", Request(method="POST", url="/v1/chat/completions")),
    ):
        written.taps.tap(provider, tried, 503, (), asked=asked).finish()
    seen = [one.facts.asked for one in written.all()]
    assert [(one.model, one.path.rpartition("/")[2], one.ascii, one.cap) for one in seen if one is not None] == [
        ("größe/1", "completions", False, 5), ("日本:free", "chat", False, 5), (None, "completions", False, 5),
        ("größe/1", "completions", False, 5),
    ]  # fmt: skip


def test_no_key_of_a_request_is_written(written: Written, hostile_provider: Factory) -> None:
    provider = hostile_provider("honest")
    headers = {"Authorization": "Bearer sk-geheim-4711", "Cookie": "a=geheim"}
    with requests.post(
        f"{provider.base_url}/chat/completions", json=BODY, stream=True, timeout=5, headers=headers
    ) as response:
        list(of_requests.forward(written.taps, "groesse", response))
    written.taps.close()
    assert b"geheim" not in written.path.read_bytes()


# ASGI


def served(written: Written, answer: list[bytes], provider: str | None = "groesse", **over: Any) -> httpx.Response:
    """Ask an application whose answer these chunks are; what is not sent to its end raises."""
    headers = [(b"content-type", b"text/event-stream"), *over.get("headers", ())]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        scope["state"]["provider"] = provider
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for chunk in answer:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        if over.get("fails"):
            raise RuntimeError("kaputt")
        await send({"type": "http.response.body", "body": b""})

    async def go() -> httpx.Response:
        tapped = TapMiddleware(with_state(app), written.taps, lambda scope: scope["state"]["provider"])
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=with_state(tapped))) as client:
            method = over.get("method", "POST")
            return await client.request(method, "http://größe.example/v1/chat/completions", json=BODY)

    return asyncio.run(go())


def with_state(app: Any) -> Any:
    async def stated(scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})
        await app(scope, receive, send)

    return stated


def stream(text: str) -> list[bytes]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
    value = {"id": "ä", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}
    return [b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n", b"data: [DONE]\n\n"]


def test_what_an_application_sends_is_seen_with_what_it_did_to_it(written: Written) -> None:
    spoilt = [chunk.decode("latin-1").encode() for chunk in stream("Où ça — 你好")]
    assert served(written, spoilt).content == b"".join(spoilt)
    one = only(written)
    assert (one.model, one.verification.verdict, one.facts.ended) == (MODEL, "mangled", "complete")
    assert one.facts.asked is not None
    assert one.facts.asked.path == "/v1/chat/completions"


def test_an_answer_that_is_not_sent_to_its_end_is_no_fault_of_the_provider(written: Written) -> None:
    with pytest.raises(RuntimeError, match="kaputt"):
        served(written, stream("Où ça")[:1], fails=True)
    assert only(written).facts.ended == "unknown"


def test_an_answer_without_a_provider_has_no_tap(written: Written) -> None:
    served(written, stream("Où ça"), provider=None)
    assert written.all() == []


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_what_has_no_body_by_its_method_is_no_empty_answer(written: Written, method: str) -> None:
    assert served(written, [], method=method).status_code == 200
    assert written.all() == []


def test_a_lifespan_passes(written: Written) -> None:
    seen: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del send
        seen.append({"type": scope["type"], **await receive()})

    async def receive() -> Message:
        return {"größe": 1}

    async def send(message: Message) -> None:
        del message

    tapped = TapMiddleware(app, written.taps, lambda _: "groesse")
    asyncio.run(tapped({"type": "lifespan"}, receive, send))
    assert seen == [{"type": "lifespan", "größe": 1}]


def test_a_client_cannot_make_a_line_too_long_to_be_read(written: Written) -> None:
    body = json.dumps({"model": "größe" * 500_000, "messages": []}).encode()
    tap = written.taps.tap(
        "groesse", Request(method="POST", url="/ü" * 500_000 + "/chat/completions", body=body), 200, ()
    )
    tap.finish()
    seen = only(written)
    assert seen.facts.asked is not None
    assert (seen.model, seen.facts.asked.model, len(seen.facts.asked.path)) == ("größe" * 100, "größe" * 100, 500)


def test_what_is_left_is_written_when_the_application_has_shut_down(written: Written) -> None:
    sent: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await send({"type": "lifespan.startup.complete"})
        for _ in range(3):
            tap = written.taps.tap("groesse", Request(method="POST", url="/v1/chat/completions"), 200, ())
            tap.feed("größe".encode())
            tap.finish()
        await send({"type": "lifespan.shutdown.complete"})

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        del message
        sent.append(sum(one.count for one in read(str(written.path))))

    asyncio.run(TapMiddleware(app, written.taps, lambda _: "groesse")({"type": "lifespan"}, receive, send))
    assert sent == [0, 3]


def test_the_rows_of_a_bad_file_are_refused_at_the_start(tmp_path: Any) -> None:
    path = tmp_path / "providers.yaml"
    path.write_text("version: 1\nproviders:\n  groesse: {dialekt: openai-chat}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"providers.yaml:3:13: unknown key 'dialekt'"):
        Taps.open(str(path), str(tmp_path / "gesehen.jsonl"))


def test_a_router_is_told_what_could_not_be_written(written: Written, tmp_path: Any) -> None:
    assert (written.taps.dropped, written.taps.failure) == (0, None)
    full = Taps.open(str(tmp_path / "providers.yaml"), "/dev/full")
    full.tap("groesse", Request(method="POST", url="/v1/chat/completions"), 200, ()).finish()
    full.close()
    assert (full.dropped, full.failure) == (1, "No space left on device")


def test_of_a_body_that_was_streamed_nothing_is_known(written: Written, hostile_provider: Factory) -> None:
    provider = hostile_provider("honest")
    url = f"{provider.base_url}/chat/completions"
    pieces = (json.dumps(BODY).encode(), b" ")
    with httpx.Client() as client, client.stream("POST", url, content=iter(pieces), headers=KEY) as response:
        list(of_httpx.forward(written.taps, "groesse", response))
    with requests.post(url, data=iter(pieces), stream=True, timeout=5, headers=KEY) as answer:
        list(of_requests.forward(written.taps, "groesse", answer))
    assert [one.facts.asked for one in written.all()] == [None, None]
