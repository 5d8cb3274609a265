"""The SSE decoder: the standard's events, and facts that do not depend on where the network cuts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.facts import Fault
from contracts.wire.sse import Decoder, Event
from tests.wire.streams import at_cuts, bodies, cuts, places, told

CASES = [json.loads(line) for line in Path(__file__).with_name("sse_cases.jsonl").read_bytes().splitlines()]


def reference(body: bytes) -> list[Event]:
    """The standard's algorithm, one byte after the other, and nothing done twice as fast."""
    at = 3 if body.startswith(b"\xef\xbb\xbf") else 0
    out: list[Event] = []
    name, last_id, data, start = b"", b"", b"", at
    while at < len(body):
        end = at
        while end < len(body) and body[end] not in b"\r\n":
            end += 1
        if end == len(body):
            break
        line, begin, at = body[at:end], at, end + (2 if body[end : end + 2] == b"\r\n" else 1)
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if data:
                out.append((name or None, data[:-1], last_id, start))
            name, data, start = b"", b"", at
        elif field == b"data":
            data += value + b"\n"
        elif field == b"event":
            name = value
        elif field == b"id" and b"\0" not in value:
            last_id = value
        assert begin < at
    return out


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_case_gives_its_events_wherever_it_is_cut(case: dict[str, Any]) -> None:
    body = bytes.fromhex(case["input_hex"])
    whole = told(Decoder, [body])
    assert [
        {"event": (name or b"message").decode(), "data": data.decode("utf-8", "replace"), "id": last_id.decode()}
        for name, data, last_id, _ in whole.events
    ] == case["expected"]
    assert whole.framing.retry_ms == case["retry"]
    for pieces in cuts(body):
        assert told(Decoder, pieces) == whole


@given(bodies, places, st.sampled_from([1, 9, 17, 40, 1 << 23]))
def test_where_the_network_cuts_does_not_matter(body: bytes, where: list[int], limit: int) -> None:
    whole = told(Decoder, [body], limit)
    assert told(Decoder, at_cuts(body, where), limit) == whole
    assert told(Decoder, [body[i : i + 1] for i in range(len(body))], limit) == whole


@given(bodies)
def test_events_and_their_places_are_those_of_the_standard(body: bytes) -> None:
    whole = told(Decoder, [body])
    assert whole.events == reference(body)
    assert whole.framing.events == len(whole.events)


@given(bodies)
def test_every_byte_and_line_end_is_counted(body: bytes) -> None:
    framing = told(Decoder, [body]).framing
    crlf = body.count(b"\r\n")
    assert framing.bytes == len(body)
    assert (framing.lf, framing.crlf, framing.cr) == (body.count(b"\n") - crlf, crlf, body.count(b"\r") - crlf)
    assert (framing.nuls.count, framing.nuls.byte) if framing.nuls else (body.count(0), body.find(0)) == (0, -1)


@given(bodies)
def test_the_first_invalid_byte_is_where_a_decoder_stops(body: bytes) -> None:
    first = None
    try:
        body.decode()
    except UnicodeDecodeError as error:
        first = error.start
    fault = told(Decoder, [body]).framing.invalid_utf8
    assert (fault and fault.byte) == first


@pytest.mark.parametrize("eol", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize(
    "block", [b"data: \xe4\xbd\xa0~", b"event: \xc3\xa9~data: y~", b"data:y~", b"id: 1~data: y~", b"data: a~data: b~"]
)
def test_a_long_stream_of_any_shape_is_read_as_the_standard_says(eol: bytes, block: bytes) -> None:
    parts = [block + b"~"] * 120
    parts[0:0] = [b": warming up~~"]
    parts[50:50] = [
        b": OPENROUTER PROCESSING~~",
        b": two~: lines~~",
        b"foo: \xc3\xbc~data: late~~",
        b"data: a\rb~~",
        b"event: z~~",
    ]
    body = b"".join(parts).replace(b"~", eol)
    whole = told(Decoder, [body])
    assert whole.events == reference(body)
    assert whole.framing.comments == 4
    assert [fault.detail for fault in whole.framing.unknown_fields] == ["foo", "b"]
    for size in (1, 2, 7, 64, 1000):
        assert told(Decoder, [body[i : i + size] for i in range(0, len(body), size)]) == whole


@pytest.mark.parametrize("eol", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    "odd", [b"data: \0", b"data: \xff", b"data: a\rb", b": c", b"event: e\ndata: q", b"id: \xc3\xbc"]
)
def test_one_read_for_each_event_tells_the_same_as_one_read_for_all(eol: bytes, odd: bytes) -> None:
    lines = [
        b"id: 7",
        *(b"data: %d \xe2\x80\x94" % 10**i if i % 3 else b"data: %d" % 10**i for i in (9, 1, 2, 9, 3, 5)),
    ]
    reads = [line + eol * 2 for line in [*lines, odd, *lines[1:], odd, odd, *lines]]
    whole = told(Decoder, [b"".join(reads)])
    assert told(Decoder, reads) == whole
    assert whole.events == reference(b"".join(reads))
    assert whole.framing.events == len(whole.events)


@pytest.mark.parametrize("more", [b"\n", b"\r", b"\r\n", b"\n\r"])
def test_more_empty_lines_after_an_event_are_no_tail(more: bytes) -> None:
    body = "data: é\r\n\r\n".encode() + more
    for pieces in ([body], *cuts(body)):
        assert told(Decoder, pieces).framing.tail_bytes == 0


def test_line_ends_are_counted_in_what_is_dropped_wherever_it_is_cut() -> None:
    line = b"data: " + "é".encode() * 996 + b"\r\n"
    body = line * 9
    whole = told(Decoder, [body], 100)
    assert (whole.framing.crlf, whole.framing.lf, whole.framing.cr) == (9, 0, 0)
    for size in (len(line), len(line) - 1, len(line) + 1, 1025):
        assert told(Decoder, [body[i : i + size] for i in range(0, len(body), size)], 100) == whole


@pytest.mark.parametrize(
    "block", [b"event: \xc3\xa9\r~data: q~~", b"event: a\rb~data: q~~", b"event: e~data: \xc3\xa9\r~~", b"data: a\rb~~"]
)
@pytest.mark.parametrize("eol", [b"\n", b"\r\n"])
@pytest.mark.parametrize("lead", [b"", b"event: e~data: q~~", b"data: q~~"])
def test_a_cr_alone_ends_a_line_in_any_shape(lead: bytes, block: bytes, eol: bytes) -> None:
    body = (lead + block + lead).replace(b"~", eol)
    whole = told(Decoder, [body])
    assert whole.events == reference(body)
    assert all(told(Decoder, pieces) == whole for pieces in cuts(body))


def test_an_empty_event_name_is_the_default() -> None:
    assert told(Decoder, ["event:\ndata: é\n\n".encode()]).events == [(None, "é".encode(), b"", 0)]


def test_the_facts_name_what_a_parser_hides() -> None:
    body = (
        b"\xef\xbb\xbf: hi\n\ndata: caf\xc3\xa9\n\n\n\rretry: 1500\r\n"
        b"foo: 1\r\nfoo: 2\r\nb\xc3\xa4r\r\ndata: \0\xff\0\r\n\r\n"
        b"id: 9\ndata: [DONE]\ndata: \xe4\xbd\xa0"
    )
    framing = told(Decoder, [body]).framing
    assert (framing.bom, framing.comments, framing.retry_ms, framing.events) == (True, 1, 1500, 2)
    assert (framing.lf, framing.crlf, framing.cr) == (7, 6, 1)
    assert framing.unknown_fields == (
        Fault(kind="unknown-field", detail="foo", event=1, byte=body.index(b"foo"), count=2),
        Fault(kind="unknown-field", detail="b\\xc3\\xa4r", event=1, byte=body.index(b"b\xc3\xa4r")),
    )
    assert framing.nuls == Fault(kind="nul", event=1, byte=body.index(0), count=2)
    assert framing.invalid_utf8 == Fault(kind="invalid-utf8", event=1, byte=body.index(b"\xff"))
    assert (framing.tail_byte, framing.tail_bytes) == (body.index(b"id: 9"), len(body) - body.index(b"id: 9"))
    assert framing.tail_data
    assert told(Decoder, [body]).tail_data == "[DONE]\n你".encode()
    assert framing.longest_event_bytes == len(b"retry: 1500\r\nfoo: 1\r\nfoo: 2\r\nb__r\r\ndata: _____\r\n") - 2


def test_only_the_first_eight_unknown_names_are_kept_and_none_of_them_whole() -> None:
    names = [b"\x1b[31mn%d\xe2\x80\xae" % i + b"x" * 500 for i in range(20)]
    framing = told(Decoder, [b"\n".join(names) + b"\ndata: \xc3\xbc\n\n"]).framing
    assert len(framing.unknown_fields) == 8
    for fault in framing.unknown_fields:
        assert fault.detail.startswith("\\x1b[31mn")
        assert fault.detail.isascii()
        assert fault.detail.isprintable()
        assert len(fault.detail) < 250


def test_a_retry_time_longer_than_any_life_is_no_reason_to_raise() -> None:
    assert told(Decoder, [b"retry: " + b"9" * 9000 + b"\n\n"]).framing.retry_ms == 10**15
    assert told(Decoder, [b"retry: " + b"0" * 9000 + b"7\n\n"]).framing.retry_ms == 7
    assert told(Decoder, ["retry: ٣\n\n".encode()]).framing.retry_ms is None


@pytest.mark.parametrize(
    ("tail", "data"),
    [
        (b"data: \xc3\xa9", b"\xc3\xa9"),
        (b"data: x\n", b"x"),
        (b"data\n", b""),
        (b"data", None),
        (b"dat", None),
        (b": only a comment \xe2\x80\x94\n", None),
    ],
)
def test_what_no_empty_line_ended_is_a_tail(tail: bytes, data: bytes | None) -> None:
    whole = told(Decoder, [b"data: 1\n\n" + tail])
    assert len(whole.events) == 1
    assert (whole.framing.tail_byte, whole.framing.tail_bytes) == (9, len(tail))
    assert (whole.framing.tail_data, whole.tail_data) == (data is not None, data or b"")
    assert not whole.framing.unknown_fields


@pytest.mark.parametrize("tail", [b"<html>", '{"error": "größe"}'.encode(), b"datum", b"data: 2\nInternal", b"datA: 2"])
def test_a_line_that_no_field_begins_is_unknown_where_the_body_ends_in_it_too(tail: bytes) -> None:
    ended, cut = (told(Decoder, [b"data: 1\n\n" + tail + end]).framing.unknown_fields for end in (b"\n", b""))
    assert len(cut) == 1
    assert cut == ended
    assert cut[0].byte == 9 + tail.rfind(b"\n") + 1


@pytest.mark.parametrize("size", [1, 3, 16, 10_000])
def test_an_event_past_the_limit_is_dropped_and_told_of_and_decoding_goes_on(size: int) -> None:
    body = (
        b"data: 1\n\nid: x\n: c\nfoo\ndata: "
        + "é".encode() * 50
        + b"\0\r\n\r\ndata: 2\n\nevent: "
        + b"e" * 90
        + b"\ndata: 3\n\n"
    )
    whole = told(Decoder, [body[i : i + size] for i in range(0, len(body), size)], 64)
    assert [event[1:] for event in whole.events] == [(b"1", b"", 0), (b"2", b"", body.index(b"data: 2"))]
    assert whole.framing.over_limit == Fault(
        kind="event-too-large", detail="more than 64 bytes", event=1, byte=9, count=2
    )
    assert (whole.framing.comments, whole.framing.unknown_fields) == (0, ())
    assert whole.framing.nuls == Fault(kind="nul", event=1, byte=body.index(0))
    assert (whole.framing.bytes, whole.framing.crlf, whole.framing.longest_event_bytes) == (len(body), 2, 8)


@pytest.mark.parametrize("over", [False, True])
def test_the_limit_is_the_last_size_that_passes(over: bool) -> None:
    line = "data: é\n".encode()
    for pieces in cuts(line + b"\n"):
        whole = told(Decoder, pieces, len(line) - over)
        assert len(whole.events) == (not over)
        assert (whole.framing.over_limit is not None) is over
    for pieces in cuts(line):
        whole = told(Decoder, pieces, len(line) - over)
        assert (whole.framing.over_limit is not None) is over
        assert whole.tail_data == (b"" if over else "é".encode())


def test_a_line_without_end_is_held_in_bounded_memory() -> None:
    import tracemalloc

    decoder = Decoder(100_000)
    piece = "é".encode() * 32_768
    tracemalloc.start()
    try:
        for _ in range(100):
            assert not decoder.feed(piece)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000
    decoder.close()
    framing = decoder.framing()
    assert (framing.tail_bytes, framing.over_limit and framing.over_limit.byte) == (6_553_600, 0)
    assert framing.invalid_utf8 is None


def test_a_line_full_of_field_names_takes_no_more_time_than_another() -> None:
    from time import thread_time

    seconds = {}
    for size in (4_000, 32_000):
        body = b"data: " * size + b"\ndata: \xc3\xbc\n\n"
        begin = thread_time()
        assert len(told(Decoder, [body]).events) == 1
        seconds[size] = thread_time() - begin
    assert seconds[32_000] < 24 * seconds[4_000] + 0.02
