"""Streams that hold, written in every other way that the standards allow: what no contract may find fault with.

A client that cannot read one of them has a fault of its own, or we pass what we should not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from tests.oracles.recordings import Recording

BASES = ("stream-ok", "tools-ok", "tool-calls-ok")
SEPARATED = "你\u2028好\u0085"  # LINE SEPARATOR and NEXT LINE are text in SSE and JSON; only CR and LF end a line


def crlf(body: bytes) -> bytes:
    """End lines in CRLF."""
    return body.replace(b"\n", b"\r\n")


def cr(body: bytes) -> bytes:
    """End lines in CR."""
    return body.replace(b"\n", b"\r")


def byte_order_mark(body: bytes) -> bytes:
    """Begin with a byte order mark."""
    return b"\xef\xbb\xbf" + body


def no_space_after_colon(body: bytes) -> bytes:
    """Leave out the space that may stand after a field's colon."""
    return re.sub(rb"^(data|event): ", rb"\1:", body, flags=re.MULTILINE)


def comments(body: bytes) -> bytes:
    """Put comments before the first event, between events and inside each."""
    return b": \xc3\x9cberlastet\n\n" + re.sub(rb"^(data:.*)$", b": \xe2\x80\xa6\n\\1", body, flags=re.MULTILINE)


def more_blank_lines(body: bytes) -> bytes:
    """End events by three blank lines."""
    return body.replace(b"\n\n", b"\n\n\n\n")


def data_over_two_lines(body: bytes) -> bytes:
    """Write the JSON of each event over two data fields, cut where JSON allows white space."""
    return body.replace(b"data: {", b"data: {\ndata: ")


def retry_first(body: bytes) -> bytes:
    """Begin with a block that has no data: how long to wait before connecting again."""
    return b"retry: 1500\n\n" + body


def id_on_each(body: bytes) -> bytes:
    """Give each event an id."""
    return re.sub(rb"^(data:.*)$", b"id: \xc3\xa47\n\\1", body, flags=re.MULTILINE)


def escaped(body: bytes) -> bytes:
    """Escape all that is not ASCII, what lies beyond the first plane in pairs."""
    text = body.decode()
    return "".join(char if char.isascii() else json.dumps(char)[1:-1] for char in text).encode()


def line_separators_in_text(body: bytes) -> bytes:
    """Put characters into the text that some libraries take for the ends of lines."""
    return body.replace("你好".encode(), SEPARATED.encode())


def unknown_member(body: bytes) -> bytes:
    """Add a member to each object at the top that no API documents."""
    return re.sub(rb'^((?:data: )?\{)"', b'\\1"x_gr\xc3\xb6\xc3\x9fe":[1],"', body, flags=re.MULTILINE)


Vary = Callable[[bytes], bytes]
ANY_FRAMING: tuple[Vary, ...] = (crlf, escaped, line_separators_in_text, unknown_member)
OF_EVENTS: tuple[Vary, ...] = (
    cr,
    byte_order_mark,
    no_space_after_colon,
    comments,
    more_blank_lines,
    data_over_two_lines,
    retry_first,
    id_on_each,
)


def quoted(label: str) -> str:
    """Write the label's parameter in quotes and capitals, as any parameter may be."""
    return label.partition(";")[0] + '; charset="UTF-8"'


def capitals(label: str) -> str:
    """Write the label in capitals; neither types nor charsets have a case."""
    return label.upper()


def latin_1(label: str) -> str:
    """Declare a charset that the bytes are not in."""
    return label.partition(";")[0] + "; charset=iso-8859-1"


def written(recordings: list[Recording], folder: Path) -> list[Recording]:
    """Write the streams that hold in every other legal way into a folder, as recordings."""
    made = []
    for base in _bases(recordings):
        lines = base.facts.body.kind == "ndjson"
        for vary in ANY_FRAMING if lines else (*ANY_FRAMING, *OF_EVENTS):
            body = vary(base.body)
            if body != base.body:
                made.append(_write(base, folder, vary.__name__, body))
        made += [_write(base, folder, label.__name__, base.body, label) for label in (quoted, capitals)]
    return made


def mislabelled(recordings: list[Recording], folder: Path) -> list[Recording]:
    """Write the same streams with a label whose charset is not theirs."""
    return [_write(base, folder, "latin_1", base.body, latin_1) for base in _bases(recordings)]


def broken_off(recordings: list[Recording], folder: Path) -> list[Recording]:
    """Write the same streams as they arrive where the transfer breaks off inside an event, in chunks as on the wire."""
    made = []
    for base in _bases(recordings):
        at = len(base.body) * 2 // 3
        chunks = b"%x\r\n%s\r\n" % (at, base.body[:at]) + b"%x\r\n%s" % (at, base.body[at : at + 9])
        made.append(_write(base, folder, "broken_off", chunks, chunked=True))
    return made


def _bases(recordings: list[Recording]) -> list[Recording]:
    return [base for base in recordings if base.kind in BASES and base.streamed]


def _write(  # noqa: PLR0913 - a dump has as many parts
    base: Recording, folder: Path, name: str, body: bytes, relabel: Callable[[str], str] = str, *, chunked: bool = False
) -> Recording:
    """Write a variant of a recording beside the request that it answers."""
    headers = [
        (n, relabel(v) if n.lower() == "content-type" else v)
        for n, v in base.exchange.headers
        if n.lower() != "transfer-encoding"
    ]
    headers += [("Transfer-Encoding", "chunked")] * chunked
    head = "".join(f"{n}: {v}\r\n" for n, v in headers)
    path = folder / f"{base.dialect}-{base.kind}-{name}.http"
    path.write_bytes(f"HTTP/1.1 200 OK\r\n{head}\r\n".encode("latin-1") + body)
    path.with_suffix(".request.json").write_bytes(base.path.with_suffix(".request.json").read_bytes())
    return Recording(path, f"{base.kind}/{name}", base.dialect)
