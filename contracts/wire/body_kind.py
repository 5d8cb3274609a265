"""What a body is, told by its first bytes and, where they do not tell, by its label."""

from __future__ import annotations

from contracts.facts import BodyKind
from contracts.wire.strict_json import UNREADABLE, decode

MAX_BLANK_BYTES = 64 * 1024  # so much white space before anything: the label decides what the body is
FIRST: dict[bytes, BodyKind] = {b"{": "json", b"[": "json", b"<": "html"}
FIELDS = (b"data", b"event", b"id", b"retry", b":")
SSE = "text/event-stream"
NDJSON = ("application/x-ndjson", "application/ndjson", "application/jsonl")
BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n"


def sniff(head: bytes, label: str, *, last: bool = False) -> BodyKind | None:
    """Tell what a body is by its first bytes; None while they do not tell, unless they are the `last`."""
    if len(head) < len(BOM) and BOM.startswith(head) and not last:
        return None
    rest = head.removeprefix(BOM)
    start = rest.lstrip(BLANK)
    if len(rest) - len(start) >= MAX_BLANK_BYTES:
        return kind_by_label(label)
    if not start:
        return None
    if start[:1] == b"[" and label == SSE:
        if len(start) == 1 and not last:
            return None
        return "sse" if start[1:2].isalpha() else "json"  # a line such as [DONE], whose field name is missing
    known = FIRST.get(start[:1])
    return known or _by_field(start, label, last=last)


def _by_field(start: bytes, label: str, *, last: bool) -> BodyKind | None:
    """Tell a stream by the name of its first field; what has none is what its label says."""
    for field in FIELDS:
        if start.startswith(field):
            after = start[len(field) : len(field) + 1]
            if field == b":" or after in (b":", b"\r", b"\n"):
                return "sse"
    if not last and any(field.startswith(start) for field in FIELDS):
        return None
    return kind_by_label(label)


def kind_by_label(label: str) -> BodyKind:
    """Tell what a body is meant to be."""
    if label == SSE:
        return "sse"
    return "ndjson" if label in NDJSON else "text"


def several_lines(body: bytes) -> bool:
    """Tell whether a body is one JSON object a line, two lines at least."""
    lines = [line for line in body.splitlines()[:8] if line.strip()]
    return len(lines) > 1 and all(decode(line)[0] is not UNREADABLE for line in lines[:2])


def is_blank(body: bytes) -> bool:
    """Tell whether a body holds nothing but white space behind a byte order mark, or only a part of that."""
    return not (b"" if BOM.startswith(body) else body.removeprefix(BOM).strip(BLANK))
