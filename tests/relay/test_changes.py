"""What became of data, said in words; and which event is which."""

from __future__ import annotations

import json
import time

import pytest

from contracts.relay import align, changes, events
from contracts.testing import writers

CHAT = writers.load("openai-chat")


def event(data: str | bytes, name: bytes | None = None) -> events.Event:
    """One event of a stream."""
    raw = data if isinstance(data, bytes) else data.encode()
    found = events.read(b"data: " + raw + b"\n\n", is_stream=True, writer=CHAT).events[0]
    return found._replace(name=name)


SENT = '{"id":"é","text":"Ωμέγα – “fin”","n":1.0}'
CASES = [
    (SENT.encode().decode("latin-1"), ("double-encoded: read as latin-1, written as UTF-8",)),
    (SENT.encode().decode("cp1252", "replace"), ("double-encoded: read as cp1252, written as UTF-8",)),
    (SENT.replace("Ω", "\ufffd"), ("characters became U+FFFD",)),
    (SENT.encode("ascii", "ignore").decode(), ("every character beyond ASCII is lost",)),
    (SENT.encode("ascii", "replace").decode(), ("every character beyond ASCII became a question mark",)),
    (SENT[:-2], ("is no JSON any more",)),
    (SENT.replace(":", ": "), ("re-serialised: spacing",)),
    (SENT.replace("é", "\\u00e9"), ("re-serialised: escapes",)),
    (SENT.replace("1.0", "1"), ("re-serialised: numbers",)),
    ('{"text":"Ωμέγα – “fin”","id":"é","n":1.0}', ("re-serialised: key order",)),
    (SENT.replace("é", "à", 1), ("rewrote id",)),
    (SENT.replace('"n":1.0', '"m":1.0'), ("dropped n", "added m")),
    (SENT.replace("“fin”", " ").replace("– ", "–"), ("text was cut after 8 of 13 characters",)),
    (SENT.replace("Ωμέγα – “fin”", "Ωμε\u0301γα – “fin”"), ("text was normalised",)),
    (SENT.replace("Ωμέγα – “fin”", "Î©"), ("rewrote text",)),
    (
        SENT.replace("Ωμέγα – “fin”", "Ωμέγα – “fin”".encode().decode("latin-1")),
        ("text is double-encoded: read as latin-1, written as UTF-8",),
    ),
    ('{"n":1.0, "id":"è","text":"Ωμέγα – “fin”"}', ("rewrote id", "re-serialised: spacing, key order")),
]


@pytest.mark.parametrize(("received", "expected"), CASES, ids=[expected[0] for _, expected in CASES])
def test_what_became_of_an_event_is_named(received: str, expected: tuple[str, ...]) -> None:
    assert changes.changes(event(SENT), event(received)) == expected


def test_a_number_in_the_place_of_a_truth_is_found_and_so_is_what_lies_deep() -> None:
    assert changes.changes(event('{"é":[true]}'), event('{"é":[1]}')) == ("rewrote é[0]",)
    deep = "[" * 30 + '"%s"' + "]" * 30
    (said,) = changes.changes(event(deep % "é"), event(deep % "è"))
    assert said.startswith("rewrote [0][0]")


LEFT_OUT = [
    ("Ωμέγα ‍fin‍", "Ωμέγα fin", "lost every U+200D"),
    (" Ωμέγα fin ", "Ωμέγα fin", "lost its blanks at the ends"),
    ("Ωμέγα\r\nfin", "Ωμέγα\nfin", "has other line ends"),
    ("Ωμέγα fin", "Ωμέγα", "was cut after 5 of 9 characters"),
    ("café Ω", "café ?", "has a question mark for every character beyond latin-1"),
    ("café 日", "caf? ?", "has a question mark for every character beyond ascii"),
]


@pytest.mark.parametrize(("sent", "received", "said"), LEFT_OUT, ids=[said for *_, said in LEFT_OUT])
def test_what_a_text_lost_is_named(sent: str, received: str, said: str) -> None:
    one, other = (event(json.dumps({"text": text})) for text in (sent, received))
    assert changes.changes(one, other)[0] == f"text {said}"


def test_a_key_that_came_twice_and_is_left_once_is_named() -> None:
    assert changes.changes(event('{"é":1,"é":2}'), event('{"é":2}')) == ("re-serialised: repeated keys",)


def test_bytes_that_were_no_utf_8_and_were_replaced_are_named() -> None:
    sent = b'{"note":"caf\xe9"}'
    said = changes.changes(event(sent), event(sent.decode("utf-8", "replace")))
    assert said == ("bytes that are no UTF-8 became U+FFFD",)


def test_another_name_of_an_event_is_a_change() -> None:
    assert changes.changes(event(SENT, b"message"), event(SENT)) == ("the event has another name",)


def test_the_first_byte_that_differs_is_counted_from_nought() -> None:
    assert changes.first_difference("aé".encode(), "aè".encode()) == 2
    assert changes.first_difference(b"a", b"ab") == 1
    assert changes.first_difference(b"a", b"a") == 0


def piece(text: str) -> events.Event:
    """An event of a chat that says some text."""
    return event(f'{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}')


def paired(sent: list[events.Event], received: list[events.Event]) -> list[tuple[int | None, int | None]]:
    """The pairs of two streams."""
    return [tuple(pair) for pair in align.align(sent, received, CHAT)]  # type: ignore[misc] # two each


def test_an_event_that_is_lost_shifts_no_other() -> None:
    sent = [piece(text) for text in ("é", "à", "ö", "日")]
    assert paired(sent, [sent[0], *sent[2:]]) == [(0, 0), (1, None), (2, 1), (3, 2)]


def test_events_that_are_all_rewritten_are_paired_by_their_text_around_one_that_was_added() -> None:
    sent = [piece(text) for text in ("é", "à", "ö")]
    received = [event(one.data.replace(b"{", b'{"relais":1,', 1)) for one in sent]
    received.insert(1, event('{"relais":"neu"}'))
    assert paired(sent, received) == [(0, 0), (None, 1), (1, 2), (2, 3)]


def test_an_event_that_moved_is_known_again() -> None:
    sent = [piece(text) for text in ("é", "à", "ö")]
    received = [sent[0], sent[2], sent[1]]
    pairs = align.align(sent, received, CHAT)
    assert [tuple(pair) for pair in align.moved(pairs, sent, received)] in ([(1, 2)], [(2, 1)])


def test_a_close_in_the_place_of_an_error_is_no_change_of_it() -> None:
    error, close = event('{"error":{"message":"échoué"}}'), event("[DONE]")
    assert sorted(paired([error], [close]), key=str) == [(0, None), (None, 0)]


def test_a_stream_of_thousands_of_events_is_paired_as_it_comes() -> None:
    sent = [piece(f"é{n}") for n in range(4000)]
    begun = time.process_time()
    assert paired(sent, [piece("à"), *sent[1:]]) == [(n, n) for n in range(4000)]
    assert time.process_time() - begun < 3  # the table of all with all would take half a minute
