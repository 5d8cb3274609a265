"""A key that a provider quotes is shown nowhere: whole, or begun by a limit; nor in what is kept of a chat."""

from __future__ import annotations

import socket

import pytest

from contracts.evidence import keys
from contracts.facts import Body, ErrorSeen, Facts, Fault, Listing
from contracts.listed import Model
from contracts.model import EvidenceRef, Finding, Outcome, Scope, Severity, Source, Where
from tests.live.conftest import KEY, Check, row
from tests.live.test_raw_wire import raw

SECRET = keys.Key(KEY)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"größe {KEY}!", "größe ***!"),
        (f"{KEY}{KEY}", "******"),
        (f"größe {KEY[:20]}… 你好 {KEY[:12]}", "größe ***… 你好 ***"),
        (f"{KEY[:14]}{KEY[:13]}x", "******x"),
        (KEY[:11], KEY[:11]),  # the beginning that a vendor's keys have in common
        ("sk-loopback is a word", "sk-loopback is a word"),
    ],
)
def test_a_key_is_hidden_also_where_it_was_cut(said: str, shown: str) -> None:
    assert SECRET.hidden_in(said) == shown


def test_a_word_that_a_local_server_takes_for_a_key_spoils_no_fact() -> None:
    facts = Facts(
        kind="chat", status=200, headers=(), about="ollama/größe", dialect="ollama", body=Body(kind="json", bytes=0)
    )
    assert keys.without(facts, [keys.Key("ollama")]) == facts


def test_nothing_of_an_answer_is_kept_with_the_key_in_it() -> None:
    listing = Listing(models=(Model(id=f"größe/{KEY}", prices=((KEY, KEY),)), Model(id="b")))
    facts = Facts(
        kind="chat", status=200, headers=((KEY, KEY),), listing=listing, dialect="openai-chat",
        body=Body(kind="json", bytes=0),
        errors=(ErrorSeen(form="event", message=KEY),), json_faults=(Fault(kind="syntax", detail=KEY),),
    )  # fmt: skip
    assert KEY not in repr(keys.without(facts, [SECRET]))


LISTED = [
    Listing(models=(Model(id="größe"), Model(**{"id": "b"} | said)))
    for said in (
        {"id": f"b/{KEY}"},
        {"prices": ((KEY, "0"),)},
        {"prices": (("prompt", KEY),)},
        {"parameters": ("temperature", f"größe {KEY}")},
        {"aliases": (KEY[:20],)},
        {"deprecated": KEY},
        {"replacement": KEY},
        {"quantization": KEY},
    )
]
LISTED += [Listing(faults=(Fault(kind="größe", detail=KEY),)), Listing(next=(("after", KEY),))]


@pytest.mark.parametrize("listing", LISTED)
def test_nothing_of_a_listing_is_kept_with_the_key_in_it(listing: Listing) -> None:
    facts = Facts(
        kind="listing", status=200, headers=(), listing=listing, dialect="openai-chat", body=Body(kind="json", bytes=0)
    )
    clean = keys.without(facts, [SECRET])
    assert KEY[:12] not in repr(clean)
    assert "***" in repr(clean)


def test_a_reference_is_shown_without_the_key() -> None:
    finding = Finding(
        provider="cafe", model=None, contract="http.status", outcome=Outcome.HOLDS, severity=Severity.ERROR,
        scope=Scope.PROVIDER, expected=None, observed=KEY, detail=KEY, reason=None, where=Where(),
        evidence=EvidenceRef(source=Source.LIVE, ref=f"GET http://h/models?after={KEY}", at=None),
    )  # fmt: skip
    assert KEY not in repr(keys.hidden([finding], [SECRET]))


@pytest.mark.parametrize("filler", [0, 20, 30, 40])
def test_a_server_that_answers_with_the_key_has_it_shown_nowhere(filler: int, check: Check) -> None:
    said = b"HTTP/1.1 200 OK\r\n" + b"\xe9" * filler + KEY.encode() + b" :\r\n\r\n"

    def speak(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(said)

    with raw(speak) as port:
        got = check({"cafe": row(f"http://127.0.0.1:{port}/v1")})
    assert KEY[:12] not in repr(got.report)
    assert "no HTTP" in got.reason("http.status")
