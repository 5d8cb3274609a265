"""Where an event stream has empty lines, whatever ends its lines.

An empty line is a line end right after another one. CR LF is one line end, so it is none; in all other pairs
(LF LF, LF CR, CR CR) the second byte begins one.
"""

from __future__ import annotations

from contracts.wire.octets import CR, LF


def last_blank(chunk: bytes, last: int) -> int:
    """Offset after the last empty line of a chunk that is not empty, 0 if there is none.

    Args:
        chunk: bytes cut anywhere.
        last: the byte before them, LF where a block begins.
    """
    if CR not in chunk:
        end = chunk.rfind(b"\n\n") + 2
        return end if end > 1 else _at_start(chunk, last)
    # Found from the end in no time on a stream of CRLF, which the other pairs would search in vain.
    found = chunk.rfind(b"\r\n\r\n")
    low = found + 2 if found >= 0 else 0
    pair = max(chunk.rfind(b"\n\n", low), chunk.rfind(b"\n\r", low), chunk.rfind(b"\r\r", low))
    if pair >= 0:
        return _after(chunk, pair + 1)
    return found + 4 if found >= 0 else _at_start(chunk, last)


def first_blank(chunk: bytes, last: int) -> int:
    """Offset after the first empty line of a chunk that is not empty, 0 if there is none."""
    end = _at_start(chunk, last)
    if end:
        return end
    pairs = [i for i in (chunk.find(b"\n\n"), chunk.find(b"\n\r"), chunk.find(b"\r\r")) if i >= 0]
    return _after(chunk, min(pairs) + 1) if pairs else 0


def _at_start(chunk: bytes, last: int) -> int:
    if (chunk[0] == LF and last == LF) or (chunk[0] == CR and last in (LF, CR)):
        return _after(chunk, 0)
    return 0


def _after(chunk: bytes, end: int) -> int:
    """Offset after the line end that begins at `end`."""
    return end + 2 if chunk[end : end + 2] == b"\r\n" else end + 1
