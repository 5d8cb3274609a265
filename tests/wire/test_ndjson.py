"""NDJSON: lines of LF or CRLF, the last one with or without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.facts import Fault
from contracts.wire.ndjson import Decoder
from tests.wire.streams import at_cuts, cuts, places, told

lines = st.lists(
    st.sampled_from(
        [
            '{"a":"é"}'.encode(),
            "你好".encode(),
            b"{}",
            b" ",
            b"\t",
            b"\r",
            b"\n",
            b"\n",
            b"\r\n",
            b"\0",
            b"\xff",
            b"\xe4",
            b"\xef\xbb\xbf",
        ]
    ),
    max_size=30,
).map(b"".join)


@given(lines, places, st.sampled_from([1, 2, 5, 9, 1 << 23]))
def test_where_the_network_cuts_does_not_matter(body: bytes, where: list[int], limit: int) -> None:
    whole = told(Decoder, [body], limit)
    assert told(Decoder, at_cuts(body, where), limit) == whole
    assert told(Decoder, [body[i : i + 1] for i in range(len(body))], limit) == whole


@given(lines)
def test_every_line_that_is_not_blank_is_an_event(body: bytes) -> None:
    whole = told(Decoder, [body])
    rest = body.removeprefix(b"\xef\xbb\xbf")
    *ended, last = rest.split(b"\n")
    expected = [line.removesuffix(b"\r") for line in ended] + [last]
    assert [event[1] for event in whole.events] == [line for line in expected if line.strip(b" \t\r\n")]
    assert all(body[at : at + len(data)] == data for _, data, _, at in whole.events)
    crlf = body.count(b"\r\n")
    framing = whole.framing
    assert (framing.bytes, framing.lf, framing.crlf) == (len(body), body.count(b"\n") - crlf, crlf)
    assert framing.cr == body.count(b"\r") - crlf


def test_the_last_line_needs_no_end() -> None:
    decoder = Decoder()
    assert decoder.feed('{"é":1}\r\n\n {"b":'.encode()) == [(None, '{"é":1}'.encode(), b"", 0)]
    assert decoder.feed(b"2}") == ()
    assert decoder.close() == [(None, b' {"b":2}', b"", 11)]
    framing = decoder.framing()
    assert (framing.events, framing.tail_bytes, framing.tail_byte, decoder.tail_data) == (2, 0, None, b"")


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_line_past_the_limit_is_dropped_and_told_of(size: int) -> None:
    body = b"{}\n" + b"x" * 70_000 + "é\0".encode() + b"\r\n[]\n"
    whole = told(Decoder, [body[i : i + size] for i in range(0, len(body), size)], 9)
    assert [event[1] for event in whole.events] == [b"{}", b"[]"]
    assert whole.framing.over_limit == Fault(kind="event-too-large", detail="more than 9 bytes", event=1, byte=3)
    assert whole.framing.nuls == Fault(kind="nul", event=1, byte=body.index(0))
    assert (whole.framing.longest_event_bytes, whole.framing.crlf) == (2, 1)


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_the_limit_is_the_last_size_that_passes(end: bytes, over: bool) -> None:
    line = '"é"'.encode()
    for pieces in cuts(line + end):
        whole = told(Decoder, pieces, len(line) - over)
        assert len(whole.events) == (not over)
        assert (whole.framing.over_limit is not None) is over


def test_a_long_line_may_have_its_crlf_cut_at_the_limit() -> None:
    line = "é".encode() * 40_000
    whole = told(Decoder, [line + b"\r", b"\n"], len(line))
    assert [event[1] for event in whole.events] == [line]
    assert (whole.framing.crlf, whole.framing.cr, whole.framing.over_limit) == (1, 0, None)
