"""An answer that is tapped as it comes and as it is sent counts once, and a fault of the router is the router's."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from contracts import model
from contracts.config import catalogue
from contracts.facts import Body, Coding, Facts, Fault
from contracts.judge import judge
from contracts.observations import Observation, read
from contracts.taps import of_httpx, of_requests
from contracts.taps.once import WAIT_S, Once
from contracts.testing import text_of
from contracts.testing.plugin import Factory
from contracts.text.verdict import Verification
from tests.tap.conftest import Written
from tests.tap.routers import KEY, begin, body_of, misread, router, serving, tapped

if TYPE_CHECKING:
    from contracts.taps.asgi import App, Receive, Scope, Send

CATALOGUE = catalogue.load(None)
MODEL = "loopback/libre"
BODY = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "Answer in French, please."}]}
PATH = "/chat/completions"


def ask(app: App, times: int = 1) -> bytes:
    """Ask a router that is served by uvicorn; gives the last answer."""
    with serving(app) as url, httpx.Client(timeout=20) as client:
        for _ in range(times):
            content = client.post(url + PATH, json=BODY).content
    return content


def words(seen: list[Observation]) -> list[tuple[str, str, int]]:
    return sorted((one.provider, one.verification.verdict, one.count) for one in seen)


@pytest.mark.parametrize("whole", [False, True])
def test_an_answer_that_two_taps_see_counts_once(written: Written, hostile_provider: Factory, whole: bool) -> None:
    provider = hostile_provider("honest")
    content = ask(tapped(router(written.taps, ("groesse", provider.base_url), whole=whole), written.taps), times=3)
    assert text_of(content) == provider.text
    seen = written.all()
    assert sum(one.count for one in seen) == 3
    assert {one.verification.verdict for one in seen} == {"ok"}
    assert all(one.facts.timing is not None for one in seen)  # what came is written: only that knows of times


def test_a_damaged_answer_of_the_provider_is_one_sighting_and_stays_the_providers(
    written: Written, hostile_provider: Factory
) -> None:
    provider = hostile_provider("double-encoded")
    ask(tapped(router(written.taps, ("groesse", provider.base_url)), written.taps))
    (one,) = written.all()
    assert (one.verification.verdict, one.verification.scope, one.count) == ("mangled", model.Scope.PROVIDER, 1)
    assert one.verification.model_attributable


def test_what_the_router_damaged_is_written_once_and_is_nobody_elses_fault(
    written: Written, hostile_provider: Factory
) -> None:
    provider = hostile_provider("honest")
    content = ask(tapped(router(written.taps, ("groesse", provider.base_url), change=misread()), written.taps))
    assert text_of(content) == provider.text.encode().decode("latin-1")
    (one,) = written.all()
    assert one.verification.verdict == "mangled"
    assert one.verification.detail.startswith("double-utf8-latin1 [pipeline]: ")
    assert (one.verification.scope, one.verification.model_attributable) == (model.Scope.PIPELINE, False)
    evidence = model.Evidence(facts=one.facts, source=model.Source.OBSERVED, ref="ä", at=one.at)
    found = judge(CATALOGUE.bound_to_dialect("openai-chat"), [evidence], provider="groesse", models=(MODEL,))
    (finding,) = [finding for finding in found if finding.contract == "text.intact"]
    assert (finding.outcome, finding.scope) == (model.Outcome.VIOLATED, model.Scope.PIPELINE)
    # All else is of what came: that the router declares another charset is no doing of the provider's.
    assert ("content-type", "text/event-stream") in [(name.lower(), value) for name, value in one.facts.headers]


def test_two_files_have_both(written: Written, hostile_provider: Factory, tmp_path: Any) -> None:
    provider = hostile_provider("honest")
    (tmp_path / "ä").mkdir()
    other = Written(tmp_path / "ä")
    ask(tapped(router(written.taps, ("groesse", provider.base_url), change=misread()), other.taps))
    assert words(written.all()) == [("groesse", "ok", 1)]
    assert words(other.all()) == [("groesse", "mangled", 1)]


def test_attempts_at_several_providers_are_answers_of_their_own(written: Written, hostile_provider: Factory) -> None:
    failing, honest = hostile_provider("overloaded"), hostile_provider("honest")
    tries = (("nihon", failing.base_url), ("groesse", honest.base_url))
    ask(tapped(router(written.taps, *tries), written.taps))
    assert words(written.all()) == [("groesse", "ok", 1), ("nihon", "unverifiable", 1)]


def in_a_thread(taps: Any, url: str, wait: Callable[..., Any]) -> App:
    """Ask with requests in a thread, chunk by chunk, as servers do for endpoints and iterators that do not wait."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked = await body_of(receive)
        scope["state"]["provider"] = "groesse"
        response = await wait(
            lambda: requests.post(url + scope["path"], data=asked, headers=KEY, stream=True, timeout=20)
        )
        chunks = await wait(lambda: of_requests.forward(taps, "groesse", response))
        headers = [(b"content-type", response.headers["content-type"].encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        while chunk := await wait(lambda: next(chunks, b"")):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    return app


def in_a_task(taps: Any, url: str) -> App:
    """Read the provider in a task of its own, which is still busy when all was sent."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked = await body_of(receive)
        scope["state"]["provider"] = "groesse"
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()

        async def read() -> None:
            async with (
                httpx.AsyncClient() as client,
                client.stream("POST", url + PATH, content=asked, headers=KEY) as r,
            ):
                async for chunk in of_httpx.aforward(taps, "groesse", r):
                    await queue.put(chunk)
                    if b"[DONE]" in chunk:
                        await queue.put(None)

        task = asyncio.create_task(read())
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        while chunk := await queue.get():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        await task

    return app


@pytest.mark.parametrize("how", ["to_thread", "task"])
def test_threads_and_tasks_of_a_request_belong_to_it(written: Written, hostile_provider: Factory, how: str) -> None:
    provider = hostile_provider("honest")
    app = in_a_task(written.taps, provider.base_url) if how == "task" else in_a_thread(
        written.taps, provider.base_url, asyncio.to_thread
    )  # fmt: skip
    assert text_of(ask(tapped(app, written.taps))) == provider.text
    assert words(written.all()) == [("groesse", "ok", 1)]


def test_a_router_that_fails_after_an_answer_has_come_loses_nothing(
    written: Written, hostile_provider: Factory
) -> None:
    provider = hostile_provider("double-encoded")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"]["provider"] = "groesse"
        async with httpx.AsyncClient() as client:
            url = provider.base_url + PATH
            async with client.stream("POST", url, content=await body_of(receive), headers=KEY) as response:
                async for _ in of_httpx.aforward(written.taps, "groesse", response):
                    pass
                await begin(send, response)
        raise RuntimeError("größer als gedacht")

    with pytest.raises(httpx.RemoteProtocolError):
        ask(tapped(app, written.taps))
    assert words(written.all()) == [("groesse", "mangled", 1)]


def test_what_came_is_written_although_sending_does_not_end(written: Written, hostile_provider: Factory) -> None:
    provider = hostile_provider("double-encoded")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        async with httpx.AsyncClient() as client:
            url = provider.base_url + PATH
            async with client.stream("POST", url, content=await body_of(receive), headers=KEY) as response:
                scope["state"]["provider"] = "groesse"
                await begin(send, response)
                async for chunk in of_httpx.aforward(written.taps, "groesse", response):
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
        assert not written.path.stat().st_size
        written.taps.look_after(monotonic() + WAIT_S)
        until = monotonic() + 20
        while not written.path.stat().st_size and monotonic() < until:
            await send({"type": "http.response.body", "body": b": ping\n\n", "more_body": True})
            await asyncio.sleep(0.01)
        await send({"type": "http.response.body", "body": b""})

    ask(tapped(app, written.taps))
    assert words(written.all()) == [("groesse", "mangled", 1)]


# What is written of what came and what was sent

OK = Verification(verdict="ok")
EMPTY = Verification(verdict="malformed", detail="empty response", model_attributable=True, scope=model.Scope.MODEL)
MANGLED = Verification(
    verdict="mangled", detail="double-utf8-latin1 [provider]: 3 × U+00E2 U+0080", model_attributable=True,
    scope=model.Scope.PROVIDER,
)  # fmt: skip
FAILED = Verification(verdict="unverifiable", detail="status 503")
LEFT = Verification(verdict="unverifiable", detail="the client left")
UNREAD = Verification(verdict="unverifiable", detail="content coding not read")
ASKED = model.Request(method="POST", url="/v1/chat/completions")
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FACTS = Facts(dialect="openai-chat", kind="chat", status=200, headers=(), body=Body(kind="sse", bytes=7))


def seen(word: Verification, provider: str = "größe", **facts: Any) -> Observation:
    status = int(word.detail[-3:]) if word.detail.startswith("status") else 200
    return Observation(
        at=NOON, provider=provider, model="日本-1", verification=word,
        facts=structs.replace(FACTS, status=status, **facts),
    )  # fmt: skip


def test_what_came_ends_after_what_was_sent_was_written_and_still_counts_once() -> None:
    found: list[Observation] = []
    once = Once(found.append, {})
    first, second = once.began(), once.began()
    once.sent(seen(OK))
    once.release()
    assert len(found) == 1
    first(seen(OK))
    second(seen(OK))
    assert len(found) == 2


def test_an_answer_that_two_middlewares_see_counts_once_although_its_inner_tap_never_ends() -> None:
    found: list[Observation] = []
    waiting: dict[Once, float] = {}
    outer = Once(found.append, waiting)
    inner = Once(outer.came, waiting)
    inner.began()
    inner.sent(seen(OK))
    inner.over()
    outer.sent(seen(OK))
    inner.release()
    assert len(found) == 1
    outer.came(seen(OK))  # another answer, after the request
    assert len(found) == 2
    assert not waiting


def told(came: list[Observation], sent: Observation | None) -> list[Observation]:
    found: list[Observation] = []
    once = Once(found.append, {})
    for one in came:
        once.began()(one)
    once.over() if sent is None else once.sent(sent)
    once.over()
    return found


CODED = Coding(fault=Fault(kind="not-asked", detail="br"), declared="br", raw_bytes=3, decoded_bytes=0)
OURS = structs.replace(
    MANGLED,
    detail="double-utf8-latin1 [pipeline]: 3 × U+00E2 U+0080",
    model_attributable=False,
    scope=model.Scope.PIPELINE,
)
NONE_OF_THE_MODELS = structs.replace(EMPTY, model_attributable=False, scope=model.Scope.PIPELINE)


@pytest.mark.parametrize(
    ("came", "sent", "expected"),
    [
        ([], seen(MANGLED), [MANGLED]),
        ([seen(OK)], None, [OK]),
        ([seen(OK)], seen(OK), [OK]),
        ([seen(MANGLED)], seen(structs.replace(MANGLED, detail="double-utf8-latin1 [undetermined]: 9 ×")), [MANGLED]),
        ([seen(OK)], seen(MANGLED), [OURS]),
        ([seen(OK)], seen(EMPTY), [NONE_OF_THE_MODELS]),
        ([seen(MANGLED)], seen(OK), [MANGLED]),
        ([seen(MANGLED), seen(OK)], seen(MANGLED), [MANGLED, OK]),
        ([seen(EMPTY)], seen(MANGLED), [EMPTY]),
        ([seen(OK)], seen(LEFT), [OK]),
        ([seen(FAILED)], seen(structs.replace(FAILED, detail="status 502")), [FAILED]),
        ([seen(FAILED)], seen(EMPTY), [FAILED]),
        ([seen(FAILED)], seen(OK), [FAILED, OK]),
        ([seen(FAILED), seen(OK)], seen(OK), [FAILED, OK]),
        ([seen(OK), seen(FAILED)], seen(MANGLED), [FAILED, OURS]),
        ([seen(FAILED, "日本"), seen(OK)], seen(OK), [FAILED, OK]),
        ([seen(OK, "日本")], seen(MANGLED), [OK, MANGLED]),
        ([seen(UNREAD, coding=CODED)], seen(MANGLED), [MANGLED]),
        ([seen(LEFT, ended="cut")], seen(EMPTY), [LEFT]),
        ([seen(OK, ended="cut")], seen(MANGLED), [OURS]),
    ],
)  # fmt: skip
def test_which_of_them_is_written(
    came: list[Observation], sent: Observation | None, expected: list[Verification]
) -> None:
    assert [one.verification for one in told(came, sent)] == expected


STEPS = st.lists(st.sampled_from(["begin", "end", "sent", "over", "release"]), max_size=14)
ONES = st.sampled_from([seen(OK), seen(MANGLED), seen(EMPTY), seen(FAILED), seen(OK, "日本")])


@settings(deadline=None)
@given(STEPS, st.data())
def test_in_any_order_each_call_counts_once_and_none_is_lost(steps: list[str], data: st.DataObject) -> None:
    found: list[Observation] = []
    waiting: dict[Once, float] = {}
    once, begun, came, sent, is_over = Once(found.append, waiting), [], [], [], False
    for step in [*steps, *["end"] * len(steps), "over", "release"]:
        if step == "begin":
            begun.append(once.began())
        elif step == "end" and begun:
            came.append(structs.replace(data.draw(ONES)))  # each is an object of its own
            begun.pop()(came[-1])
        elif step == "sent" and not is_over:
            sent.append(data.draw(ONES))
            is_over = True
            once.sent(sent[-1])
        elif step == "over":
            is_over = True
            once.over()
        elif step == "release":
            once.release()
    assert not waiting
    others = [one for one in came if all(one.provider != other.provider for other in sent)]
    assert [one for one in found if one in others] == others
    assert len(came) <= len(found) <= len(came) + len(sent)
    faults = {one.verification.verdict for one in (*came, *sent) if one.verification.verdict == "mangled"}
    if faults and not any(one.verification is EMPTY for one in came):
        assert "mangled" in {one.verification.verdict for one in found}


def test_a_process_that_was_forked_off_writes_its_own_and_not_what_waits_in_the_other(written: Written) -> None:
    def answer() -> None:
        tap = written.taps.tap("groesse", ASKED, 200, ())
        tap.feed("größe".encode())
        tap.finish()

    with written.taps.request():
        answer()
        child = os.fork()
        if child == 0:
            try:
                answer()
                written.taps.close()
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert sum(one.count for one in read(str(written.path))) == 1
    assert sum(one.count for one in written.all()) == 2


def test_of_many_requests_at_once_each_counts_once(written: Written, hostile_provider: Factory) -> None:
    provider = hostile_provider("honest")
    app = tapped(router(written.taps, ("groesse", provider.base_url)), written.taps)

    async def go(url: str) -> list[str]:
        async with httpx.AsyncClient(timeout=60) as client:
            answers = await asyncio.gather(*(client.post(url + PATH, json=BODY) for _ in range(20)))
        return [text_of(answer.content) for answer in answers]

    with serving(app) as url:
        assert asyncio.run(go(url)) == [provider.text] * 20
    assert sum(one.count for one in written.all()) == 20
