"""An event stream is framed as the standard says, and nothing is lost at its end.

What it checks
    Every line is a known field or a comment; every event is ended by a blank line; no event passes the size
    limit; bytes outside the data are UTF-8; the chunks of HTTP that carry it are chunks to the end. Comments,
    CRLF or CR, a byte order mark, no space after the colon, data over several lines and `retry` are legal.

Why it matters
    A conforming parser drops an unknown line, and the event that no blank line ended, without a word.

Example:
    check: {kind: sse_framing}

Source
    https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, is_success, not_applicable, times, unfinished, unknown, violated
from contracts.model import Where

if TYPE_CHECKING:
    from contracts.facts import Facts, Framing
    from contracts.model import Verdict


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`unknown_fields`: names of fields beyond the standard that this provider is known to send."""

    unknown_fields: tuple[str, ...] = ()


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the framing."""
    framing = facts.framing
    if not is_success(facts):
        return not_applicable(f"judges 2xx answers, and the status is {facts.status}")
    if framing is None or facts.body.kind != "sse":
        return not_applicable("the answer is no event stream")
    strange = [f for f in framing.unknown_fields if f.detail not in want.unknown_fields]
    expected = "only event, data, id, retry and comments"
    if strange:
        first = strange[0]
        detail = f"a line with the unknown field '{first.detail}' came {times(first.count)} and is dropped by parsers"
        return violated(detail, expected=expected, observed=first.detail, at=first)
    if framing.over_limit is not None:
        fault = framing.over_limit
        return violated(f"an event is too large: {fault.detail}", expected="events within the limit", at=fault)
    stopped = unfinished(facts)
    if stopped:
        return unknown(stopped)
    if facts.broken is not None:
        return violated(
            f"what follows is lost with the HTTP chunks: {facts.broken.detail}",
            expected="a body in chunks to its end",
            observed="chunks that are none",
            where=Where(event=framing.events),
        )
    if framing.tail_data:
        return violated(
            f"the last {framing.tail_bytes} bytes are an event that no blank line ended, so it is lost",
            expected="a blank line after every event",
            observed="the end of the body inside an event" if not framing.tail_whole else "a whole event, not ended",
            where=Where(event=framing.events, byte=framing.tail_byte),
        )
    if framing.invalid_utf8 is not None and not facts.json_faults:
        return violated("bytes that are no UTF-8", expected="UTF-8", observed="other bytes", at=framing.invalid_utf8)
    return holds(described(framing))


def described(framing: Framing) -> str:
    """Describe what is legal and still worth knowing."""
    ends = [n for n, count in (("LF", framing.lf), ("CRLF", framing.crlf), ("CR", framing.cr)) if count]
    words = [f"{framing.events} events", f"line ends {' and '.join(ends) or 'none'}"]
    if framing.comments:
        words.append(f"{framing.comments} comments")
    if framing.bom:
        words.append("a byte order mark")
    return ", ".join(words)
