"""What the contracts pass the official clients read in full; where our verdict and a client differ, a table says why.

Every recording with a verdict is played on loopback, byte for byte, to each official SDK of its dialect.
"""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from contracts.facts import Facts
from contracts.model import Exchange, Request
from tests.oracles import clients, differences, plainly
from tests.oracles.behaviour import (
    HANGS,
    IN_FULL,
    NOTHING,
    Cut,
    Seen,
    Stage,
    behaviour_of,
    byte_by_byte,
    every_7_bytes,
    inside_characters,
    readings,
    whole,
)
from tests.oracles.differences import Entry
from tests.oracles.loopback import Player
from tests.oracles.recordings import Recording
from tests.oracles.sdks import Sdks, installed
from tests.oracles.told import Notes, Told, differing
from tools import oracle_tables

VERSIONS, ENTRIES = differences.table()
NAMES = sorted(name for dialect in clients.CLIENTS.values() for name in dialect)


@pytest.mark.parametrize("client", NAMES)
def test_where_a_client_differs_from_our_verdict_the_table_says_why(client: str, seen: list[Seen]) -> None:
    found = [differences.difference(one) for one in seen if one.client == client]
    assert found
    unexplained = [one for one in found if one and not any(entry.explains(one) for entry in ENTRIES)]
    assert not unexplained, f"{differences.FILE.name} explains none of these:\n" + "\n".join(map(str, unexplained))


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.fault for entry in ENTRIES])
def test_what_the_table_explains_occurs(entry: Entry, seen: list[Seen]) -> None:
    found = [one for one in map(differences.difference, seen) if one and entry.explains(one)]
    assert set(entry.places()) == {(one.client, one.kind) for one in found}
    assert set(entry.client) == {one.behaviour for one in found}


def test_a_difference_has_one_reason() -> None:
    places = [(entry.we, place) for entry in ENTRIES for place in entry.places()]
    assert len(places) == len(set(places))


def test_every_entry_stands_in_one_table_of_the_documentation() -> None:
    shown = [row[0] for table in oracle_tables.TABLES.values() for row in list(table())[1:]]
    assert sorted(shown) == sorted(entry.fault for entry in ENTRIES)
    assert len(set(shown)) == len(shown)


def test_the_table_was_made_with_the_clients_that_are_installed() -> None:
    assert installed() == VERSIONS


def test_no_client_hangs(seen: list[Seen]) -> None:
    assert [one for one in seen if one.behaviour == HANGS] == []


@pytest.mark.parametrize("cut", [every_7_bytes, inside_characters])
def test_where_the_network_cuts_changes_nothing_for_a_client(
    cut: Cut, seen: list[Seen], every: list[Recording], stage: Stage
) -> None:
    pairs = zip(seen, readings(every, stage, cut), strict=True)
    assert [(one, other.behaviour) for one, other in pairs if one != other] == []


def test_no_cut_inside_a_legal_stream_changes_anything_for_a_client(
    seen: list[Seen], legal: list[Recording], stage: Stage
) -> None:
    before = {(one.client, id(one.recording)): one.behaviour for one in seen}
    now = list(readings(legal, stage, byte_by_byte))
    assert [one for one in now if one.behaviour != before[one.client, id(one.recording)]] == []


def test_no_legal_way_to_write_a_stream_is_a_finding(legal: list[Recording]) -> None:
    assert {recording.dialect for recording in legal} == set(clients.CLIENTS)
    assert [(one.dialect, one.kind, sorted(one.violated)) for one in legal if one.violated] == []


def test_a_label_with_another_charset_than_the_bytes_have_is_a_finding(mislabelled: list[Recording]) -> None:
    assert {recording.dialect for recording in mislabelled} == set(clients.CLIENTS)
    expected = {one.dialect: ["http.media-type" if one.dialect == "ollama" else "sse.charset"] for one in mislabelled}
    assert {one.dialect: sorted(one.violated) for one in mislabelled} == expected


def test_a_transfer_that_breaks_off_is_violated_and_raised(broken_off: list[Recording], seen: list[Seen]) -> None:
    assert {recording.dialect for recording in broken_off} == set(clients.CLIENTS)
    assert [one.kind for one in broken_off if one.passes] == []
    assert {one.behaviour.split()[0] for one in seen if one.recording in broken_off} == {"raises"}


def counts(facts: Facts) -> tuple[Any, ...]:
    """What the fold counted of a reply, in the order of `counted`."""
    reply = facts.reply
    assert reply is not None
    choices = sorted(reply.choices, key=lambda choice: choice.index)
    return (
        [(choice.index, choice.text_chars) for choice in choices if choice.text_chars],
        sum(choice.reasoning_chars for choice in choices),
        sum(choice.refusal_chars for choice in choices),
        sum(choice.calls for choice in choices),
        [finish.reason for choice in choices for finish in choice.finishes],
        (reply.usage.input_tokens, reply.usage.output_tokens) if reply.usage.count else None,
    )


def counted(told: Told) -> tuple[Any, ...]:
    """The same of another reading. A count that is no whole number from 0 on says nothing."""
    usage = told.usage and tuple(one if isinstance(one, int) and one >= 0 else None for one in told.usage)
    text = [(choice, len(said)) for choice, said in told.text]
    return text, len(told.reasoning), len(told.refusal), len(told.calls), list(told.finishes), usage


def test_the_fold_counts_what_another_reader_finds(every: list[Recording]) -> None:
    passed = [one for one in every if one.passes and one.facts.reply is not None]
    assert len(passed) > 200
    for one in passed:
        assert counts(one.facts) == counted(plainly.read(one.dialect, one.body)), (one.dialect, one.kind)


def test_the_fold_finds_an_error_where_another_reader_does(recorded: list[Recording]) -> None:
    answers = [one for one in recorded if one.exchange.status == 200]
    differing_on = [
        (one.dialect, one.kind)
        for one in answers
        if bool(one.facts.errors) != bool(plainly.read(one.dialect, one.body).errors)
    ]
    assert differing_on == []


def test_most_of_what_is_played_is_not_ascii(every: list[Recording]) -> None:
    assert sum(not one.body.isascii() for one in every) > len(every) * 0.8


TEXT = "Grüße — 你好 👩‍👧"
CHUNK = {"choices": [{"index": 0, "delta": {"content": TEXT}, "finish_reason": "stop"}]}
BODY = f"data: {json.dumps(CHUNK, ensure_ascii=False)}\r\n\r\ndata: [DONE]\n\n"


class Made(Recording):
    """A recording that is no file: the body above, or another."""

    def __init__(self, body: str = BODY) -> None:
        super().__init__(differences.FILE, "gemacht", "openai-chat")
        asked = Request(method="POST", url="/v1/chat/completions", body=json.dumps({"stream": True}).encode())
        headers = (("Content-Type", "text/event-stream"), ("X-Größe", "ü"), ("X-Größe", "ö"))
        self.exchange = Exchange(request=asked, status=200, headers=headers, body=(body.encode(),), ref="gemacht")


@pytest.mark.parametrize("cut", [whole, every_7_bytes, inside_characters, byte_by_byte])
def test_a_cut_leaves_every_byte(cut: Cut) -> None:
    pieces = cut(BODY.encode())
    assert b"".join(pieces) == BODY.encode()
    assert all(pieces)
    assert cut is whole or sum(not is_text(piece) for piece in pieces) > 2


def is_text(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("whole_transfer", [True, False])
@pytest.mark.parametrize("cut", [whole, byte_by_byte])
def test_the_player_sends_head_and_body_as_recorded(cut: Cut, whole_transfer: bool) -> None:
    made, asked = Made(), b"POST /\xc3\xa4 HTTP/1.1\r\nContent-Length: 2\r\n\r\n\xc3\xa9"
    pieces = cut(made.body)
    with Player() as player:
        player.load(200, made.exchange.headers, pieces, whole=whole_transfer)
        with socket.create_connection(("127.0.0.1", int(player.url.rpartition(":")[2])), 5) as connection:
            connection.sendall(asked)
            got = b"".join(iter(lambda: connection.recv(1024), b""))
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    assert lines[:4] == ["HTTP/1.1 200 -", "Content-Type: text/event-stream", "X-Größe: ü", "X-Größe: ö"]
    framed = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    chunked = framed + b"0\r\n\r\n" * whole_transfer
    assert body == (made.body if cut is whole else chunked)


def reading(change: str) -> Any:
    """A client that reads well but for one thing."""

    def read(_sdks: Sdks, notes: Notes, _stream: bool, _path: str) -> None:
        if change == "all":
            return
        if change == "raise":
            raise ValueError("größe")
        if change == "wait":
            raise TimeoutError
        notes.text(TEXT[:-1] if change == "text" else TEXT)
        if change != "finishes":
            notes.finishes.append("stop")

    return read


@pytest.mark.parametrize(
    ("change", "behaviour"),
    [
        ("none", IN_FULL),
        ("text", "without text"),
        ("finishes", "without finishes"),
        ("all", NOTHING),
        ("raise", "raises ValueError"),
        ("wait", HANGS),
    ],
)
def test_what_a_client_loses_is_told(change: str, behaviour: str, stage: Stage) -> None:
    assert behaviour_of(reading(change), Made(), stage, whole) == behaviour


def test_readings_differ_by_what_they_do_not_agree_on() -> None:
    one, other = Notes(), Notes()
    for notes in (one, other):
        notes.text("Größe")
        notes.call(0, "wetter", '{"ort":"Köln",')
        notes.call(0, None, '"tag":1}' if notes is one else '"tag": 1}')
    assert differing(one.told(), other.told()) == []
    other.call(1, "uhrzeit", None)
    other.reasoning += "也许"
    assert differing(one.told(), other.told()) == ["reasoning", "calls"]
