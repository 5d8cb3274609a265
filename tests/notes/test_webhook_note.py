"""A webhook gets every note of a run in one signed request, again where the receiver was at fault, and no further."""

from __future__ import annotations

import hashlib
import hmac
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contracts.errors import ConfigError
from contracts.report import Note, encode
from contracts.sinks import notes as note_sinks
from contracts.sinks import webhook_note
from contracts.testing import certificate
from tests.notes.test_row_note import note

SECRET = "geheim-0815-Zwiebel"
ENVIRON = {"HOOK_SECRET": SECRET}


DRIP = 1  # no status: sends a byte now and then, and never a whole line


class Receiver:
    """A server on loopback; `answers` are the statuses in order, 204 when they have run out, 0 closes at once."""

    def __init__(self, answers: Sequence[int] = (), tls: ssl.SSLContext | None = None) -> None:
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        left = list(answers)
        self.ended = threading.Event()
        seen, ended = self.seen, self.ended

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                seen.append((self.path, dict(self.headers.items()), body))
                status = left.pop(0) if left else 204
                if status == DRIP:
                    while not ended.wait(0.01):
                        self.wfile.write(b"1")
                        self.wfile.flush()
                    return
                if status == 0:
                    self.close_connection = True
                    return
                self.send_response(status)
                if status in (301, 307):
                    self.send_header("Location", "/anderswo")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_GET(self) -> None:
                self.do_POST()

            def handle(self) -> None:
                with suppress(OSError):  # a client that trusts nobody hangs up
                    super().handle()

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.server.server_port}"
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)


@pytest.fixture
def receive() -> Iterator[Callable[..., Receiver]]:
    started: list[Receiver] = []

    def start(*answers: int, tls: ssl.SSLContext | None = None) -> Receiver:
        receiver = Receiver(answers, tls)
        threading.Thread(target=receiver.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        started.append(receiver)
        return receiver

    yield start
    for receiver in started:
        receiver.server.shutdown()
        receiver.server.server_close()


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, 0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += 1


def send(sink: str, *notes: Note, time: Time | None = None) -> list[note_sinks.Lost]:
    time = time or Time()
    return webhook_note.send(sink, notes, ENVIRON, clock=lambda: time.now, sleep=time.sleep)


Receive = Callable[..., Receiver]


def test_all_notes_go_in_one_request_signed_over_the_bytes_that_were_sent(receive: Receive) -> None:
    receiver = receive()
    both = note(), note("另一个")
    assert send(f"{receiver.url}/haken?raum=1&secret=HOOK_SECRET", *both) == []
    ((path, headers, body),) = receiver.seen
    assert path == "/haken?raum=1"
    assert msgspec.json.decode(body, type=list[Note]) == list(both)
    assert headers["Content-Type"] == "application/json"
    assert headers["X-Contracts-Signature"] == "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert SECRET not in f"{path}{headers}{body!r}"


def test_without_a_secret_nothing_is_signed_and_without_notes_nothing_is_sent(receive: Receive) -> None:
    receiver = receive()
    assert send(receiver.url) == []
    assert receiver.seen == []
    assert send(receiver.url, note()) == []
    assert "X-Contracts-Signature" not in receiver.seen[0][1]
    assert receiver.seen[0][2] == b"[" + encode(note()) + b"]"


def test_what_is_not_encrypted_goes_to_this_machine_and_to_no_proxy(
    receive: Receive, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver, proxy = receive(), receive()
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert send(receiver.url, note("größe")) == []
    assert (len(receiver.seen), proxy.seen) == (1, [])


RETRIED = [
    ([500], 2, True),
    ([503, 429, 0], 4, True),
    ([400], 1, False),
    ([404], 1, False),
    ([301], 1, False),
    ([307], 1, False),
    ([500] * 99, 6, False),
]


@pytest.mark.parametrize(("answers", "attempts", "arrives"), RETRIED, ids=[str(c[0][:4]) for c in RETRIED])
def test_an_attempt_is_repeated_where_another_may_help(
    receive: Receive, answers: list[int], attempts: int, arrives: bool
) -> None:
    receiver, time = receive(*answers), Time()
    lost = send(f"{receiver.url}/geheimer-pfad", note(), time=time)
    assert len(receiver.seen) == attempts
    assert [one.note for one in lost] == [] if arrives else [note()]
    assert {path for path, _, _ in receiver.seen} == {"/geheimer-pfad"}
    assert time.now < webhook_note.DEADLINE_S
    for one in lost:
        assert one.why == f"http://127.0.0.1: expected a 2xx answer to the notes, found {answers[0]}"


def test_there_is_no_attempt_after_the_deadline(receive: Receive) -> None:
    receiver, time = receive(*[500] * 99), Time()

    def clock() -> float:
        time.now += 4
        return time.now

    lost = webhook_note.send(receiver.url, [note()], ENVIRON, clock=clock, sleep=time.sleep)
    assert (len(receiver.seen), len(lost)) == (2, 1)


def test_a_receiver_that_answers_byte_by_byte_is_not_waited_for(receive: Receive) -> None:
    receiver = receive(DRIP, DRIP, DRIP, DRIP, DRIP, DRIP)
    (lost,) = webhook_note.send(receiver.url, [note()], ENVIRON, clock=lambda: 0.0, sleep=lambda _: None, attempt_s=0.2)
    receiver.ended.set()
    assert lost.why == "http://127.0.0.1: expected an answer to the notes within 0.2 s, found none"


def test_a_receiver_is_trusted_by_the_authorities_of_the_system_alone(
    receive: Receive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = certificate.make(certificate.Terms())
    receiver = receive(tls=identity.context)
    (lost,) = send(receiver.url, note())
    assert "certificate verify failed" in lost.why
    assert receiver.seen == []
    (tmp_path / "ämter.pem").write_bytes(identity.authority_pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ämter.pem"))
    assert send(receiver.url, note()) == []
    assert len(receiver.seen) == 1


def test_where_nobody_listens_every_note_is_lost_and_the_path_is_not_shown() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = server.server_port
    server.server_close()
    lost = send(f"http://127.0.0.1:{port}/geheimer-pfad", note(), note("另一个"))
    assert [one.note.provider for one in lost] == ["größe", "另一个"]
    assert all("expected an answer to the notes, found: " in one.why and "geheim" not in one.why for one in lost)


REFUSED = [
    "http://example.org/haken",
    "https:///haken",
    "https://nutzer:geheim@example.org/",
    "https://example.org/#teil",
    "https://example.org:größe/",
    "https://größe.example/",
    "https://example.org/?secret=",
    "https://example.org/?secret=KEINER",
    "https://example.org/?secret=HOOK_SECRET&secret=HOOK_SECRET",
    "https://[größe/haken",
]


@pytest.mark.parametrize("sink", REFUSED)
def test_a_webhook_that_cannot_be_or_would_be_read_by_others_is_refused(sink: str) -> None:
    with pytest.raises(ConfigError, match="--note http") as error:
        note_sinks.check(sink, ENVIRON)
    assert "geheim" not in str(error.value)


@pytest.mark.parametrize("sink", ["https://example.org/x?secret=HOOK_SECRET", "http://localhost:1/", "http://[::1]:1/"])
def test_https_and_this_machine_will_do(sink: str) -> None:
    note_sinks.check(sink, ENVIRON)


def test_a_note_that_was_judged_from_captures_is_not_sent(receive: Receive) -> None:
    receiver = receive()
    assert note_sinks.deliver(receiver.url, [note(synthetic=True), note("另一个", replay=True)], environ={}) == []
    assert receiver.seen == []
    assert note_sinks.deliver(receiver.url, [note(synthetic=True)], force=True, environ={}) == []
    assert len(receiver.seen) == 1
