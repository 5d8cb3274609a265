"""A model of which its provider does not say what serves it: the listing shows what does not resolve, and no more."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

import pytest

from tests.live.conftest import ENDPOINT, Check, row
from tests.live.test_raw_wire import raw
from tests.live.test_wire import HEAD

LISTED = "größe/gelistet"
GONE = "größe/weg"


def answer(connection: socket.socket, body: object, status: bytes = b"200 OK") -> None:
    data = json.dumps(body, ensure_ascii=False).encode()
    head = HEAD.replace(b"200 OK", status)
    connection.sendall(head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(data) + data)


def speaker(endpoints: Callable[[socket.socket], None]) -> Callable[[socket.socket], None]:
    """Answer the listing as it should be, and what serves a model by `endpoints`."""

    def speak(connection: socket.socket) -> None:
        path = connection.recv(65536).split(b" ")[1]
        if path.endswith(b"/endpoints"):
            endpoints(connection)
        else:
            answer(connection, {"data": [{"id": LISTED}]})

    return speak


WAYS: list[tuple[Callable[[socket.socket], None], str]] = [
    (lambda connection: connection.close(), "closed"),
    (lambda connection: connection.sendall(b"gr\xc3\xb6\xc3\x9fe\r\n\r\n"), "no HTTP"),
    (lambda connection: answer(connection, {"error": {"message": "später"}}, b"503 Service Unavailable"), "status 503"),
    (lambda connection: answer(connection, {"error": {"message": "langsamer"}}, b"429 Too Many"), "status 429"),
    (lambda connection: answer(connection, {"data": {}}), "how many endpoints"),
]


@pytest.mark.parametrize(("endpoints", "said"), WAYS, ids=[said for _, said in WAYS])
def test_a_listed_model_is_unknown_and_an_unlisted_one_violated(
    endpoints: Callable[[socket.socket], None], said: str, check: Check
) -> None:
    with raw(speaker(endpoints)) as port:
        got = check(
            {"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None, models=[LISTED, GONE], endpoint=ENDPOINT)},
            contracts=("models.resolve",),
        )
    found = {f.model: f for f in got.report.findings}
    assert (found[LISTED].outcome, found[GONE].outcome, got.status) == ("unknown", "violated", 1)
    assert said in str(found[LISTED].reason)


def test_a_run_of_which_only_that_is_unknown_exits_3(check: Check) -> None:
    with raw(speaker(lambda connection: connection.close())) as port:
        got = check(
            {"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None, models=[LISTED], endpoint=ENDPOINT)},
            contracts=("models.resolve",),
        )
    assert got.status == 3
