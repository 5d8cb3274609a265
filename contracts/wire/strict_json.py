"""Strict JSON: one value and nothing else, each departure told apart with the byte where it stands.

Readers of JSON differ in what they let pass, so what one router reads another refuses. The rules here are those of
RFC 8259 (https://www.rfc-editor.org/rfc/rfc8259, read 2026-11-30) with its interoperability advice taken as rule:
no duplicate keys, no number outside a double, no unpaired surrogates, no BOM.

Two speeds: compiled readers that say yes or no, and `json_scan`, which says what and where.
"""

from __future__ import annotations

import re
from typing import Any, Final

import jiter
import msgspec

from contracts.facts import Fault

UNREADABLE: Final = object()
"""Stands for a value that could not be had; no JSON value is this object."""

MAX_BYTES: Final = 32 * 1024 * 1024  # a listing of thousands of models has 3 MB
MAX_LOOKED_THROUGH: Final = 1_000_000  # values, of data that are not in order: a second; honest listings have 100,000
MAX_VALUES: Final = 1_500_000  # of any data; empty objects take 90 bytes each, so that a run stays below 200 MB
MAX_DEPTH: Final = 128  # chat chunks have 6; the compiled readers stop at 200

# Both compiled readers make an int of any length, but no double holds a whole number of more digits. That long a run
# has so many digits in a row among every fiftieth byte, which takes a hundredth of the time to look at.
_DOUBLE_DIGITS = 308
_STEP = 50
_sampled_digits = re.compile(rb"[0-9]{%d}" % (_DOUBLE_DIGITS // _STEP)).search
_digits = re.compile(rb"[0-9]{%d}" % (_DOUBLE_DIGITS + 1)).search

_HAS_BLANKS = b": "  # at the beginning of data that are not compact, which need not be written for that to be seen
_BEGIN = 40

_read = msgspec.json.Decoder().decode
_write = msgspec.json.Encoder().encode
_Refused = (ValueError, RecursionError, OverflowError, msgspec.MsgspecError)


def loads_fast(data: bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Read one value that is in order; UNREADABLE for anything else, whose faults `decode` then tells.

    Whole numbers stay int, numbers with a point or an exponent are float.
    """
    if _values(data) > MAX_VALUES:
        return UNREADABLE
    try:
        value = _read(data)
        # Data that come out again as they went in are compact and strict: no key twice, no infinity, no odd byte.
        # That costs half of what jiter takes, which alone among the compiled readers refuses a duplicate key.
        if _HAS_BLANKS in data[:_BEGIN] or _write(value) != data:
            value = jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=False)
    except _Refused:
        return UNREADABLE
    if len(data) > 2 * max_depth and data.count(b"[") + data.count(b"{") > max_depth and _is_deeper(value, max_depth):
        return UNREADABLE
    if len(data) > _DOUBLE_DIGITS and _sampled_digits(data[::_STEP]) and _digits(data):
        return UNREADABLE
    return value


def decode(data: bytes, max_depth: int = MAX_DEPTH, max_bytes: int = MAX_BYTES) -> tuple[Any, tuple[Fault, ...]]:
    """Read one value and tell what is wrong with it.

    Args:
        data: the whole text in UTF-8.
        max_depth: objects and arrays within each other.
        max_bytes: longer data are not looked at.

    Returns:
        The value and its faults, one for each kind, in the order of their first bytes; `byte` is an offset in `data`.
        With `nan`, `overflow`, `duplicate-key` (the last one wins), `control-character` and `lone-surrogate` (kept as
        a surrogate code point) there is a value. With `concatenated`, `invalid-utf8`, `too-deep`, `too-large`, `bom`,
        `empty`, `truncated` and `malformed` it is UNREADABLE.
    """
    if len(data) > max_bytes:
        return UNREADABLE, (Fault(kind="too-large", detail=f"{len(data)} bytes, at most {max_bytes}", byte=max_bytes),)
    value = loads_fast(data, max_depth)
    if value is not UNREADABLE:
        return value, ()
    many = _values(data)
    if many > MAX_LOOKED_THROUGH:
        said = f"not in order, and more than {MAX_LOOKED_THROUGH} values are not looked through for the place"
        if many > MAX_VALUES:
            said = f"more than {MAX_VALUES} values"
        return UNREADABLE, (Fault(kind="too-large", detail=said, byte=0),)
    return _exact(data, max_depth)


def _values(data: bytes) -> int:
    """About how many values long data hold, by the signs that part them; nothing of shorter data."""
    return sum(map(data.count, (b",", b"[", b"{"))) if len(data) > MAX_LOOKED_THROUGH else 0


def _is_deeper(value: Any, max_depth: int) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(max_depth):
        level = [
            child
            for holder in level
            for child in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def _exact(data: bytes, max_depth: int) -> tuple[Any, tuple[Fault, ...]]:
    from contracts.wire.json_scan import Broken, Scan

    bad: UnicodeDecodeError | None = None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        bad = error
        text = data[: error.start].decode()
    scan = Scan(text, max_depth)
    value: Any = UNREADABLE
    broken: Broken | None = None
    try:
        value = scan.value()
    except Broken as error:
        broken = error
    if bad is not None and (broken is None or broken.kind in ("truncated", "empty")):
        # A character that the end has cut is not wrong, there only is too little of it.
        cut = broken is not None and bad.reason == "unexpected end of data"
        broken = Broken("truncated" if cut else "invalid-utf8", "within a character" if cut else "", len(text))
    places = [(seen.at, seen.kind, seen.detail, seen.count) for seen in scan.seen.values()]
    if broken is not None:
        value = UNREADABLE
        places.append((broken.at, broken.kind, broken.detail, 1))
    places.sort()
    return value, tuple(
        Fault(kind=kind, detail=detail, byte=at if text.isascii() else len(text[:at].encode()), count=count)
        for at, kind, detail, count in places
    )
