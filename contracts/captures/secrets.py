"""Find what a capture must not hold, in bodies as they are and as a reader would decode them.

What is found is overwritten in place with as many bytes, so that framing, lengths and the places where the network cut
stay what they were. Looked into: JSON strings with their escapes, JSON within JSON strings, base64 at any alignment.
"""

from __future__ import annotations

import re
from binascii import Error as BinasciiError
from binascii import a2b_base64
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

DEPTH = 4  # a string in JSON in base64 in a JSON string is the deepest nest that makes sense
SHORTEST_KEY = 6  # characters: a shorter key would be found in honest words
LONG_KEY = 12  # characters: no word that a local server takes for a key, so it is looked for in any one case too
BASE64_CHARS = 20  # base64 of the shortest key that a pattern knows, and no more

_DIGIT, _LETTER = b"1x"  # what takes the place of a digit, so that a number stays one, and of everything else
KEY, TOKEN, EMAIL, ACCOUNT = "key", "token", "e-mail address", "account or organisation id"

# Each pattern is linear in what it reads, for a provider may send whatever makes one slow: hence the limits in them.
_START = r"(?<![A-Za-z0-9])"
_NOT_WITHIN = r"(?<![A-Za-z0-9_-])"
_VENDORS = r"sk-|sk_|rk_|pk-|pk_|gsk_|hf_|xai-|pplx-|nvapi-|gh[opsu]_|github_pat_|csk-|fw_|r8_|tgp_|api_|AIza|ya29\."
_AT = r"(?:@|%40|&#64;|&#x40;)"
_PATTERNS = (
    # Vendors' keys: a prefix, and what follows has a digit or a capital, so that `sk-learn-pipeline` stays.
    (KEY, re.compile(_START + rf"(?:{_VENDORS})(?=[A-Za-z0-9_.-]{{0,120}}[0-9A-Z])[A-Za-z0-9_.-]{{12,}}")),
    (KEY, re.compile(_START + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])")),
    (TOKEN, re.compile(r"(?i:bearer|basic)(?:\s|%20|\+)+(?=[A-Za-z0-9._~+/-]*[0-9._~+/-])([A-Za-z0-9._~+/-]{8,}=*)")),
    (TOKEN, re.compile(_NOT_WITHIN + r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?")),
    (EMAIL, re.compile(rf"[A-Za-z0-9._%+\x80-\xff-]{{1,64}}{_AT}[A-Za-z0-9\x80-\xff-]+(?:\.[A-Za-z0-9\x80-\xff-]+)+")),
    (ACCOUNT, re.compile(_START + r"(?:org|user|proj|acct|team|workspace|ws)[-_](?=[A-Za-z]*[0-9])[A-Za-z0-9]{10,}")),
    (ACCOUNT, re.compile(r"arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:([0-9]{12}):")),
    (ACCOUNT, re.compile(r"/accounts/([A-Za-z0-9_-]{6,})")),
    (
        ACCOUNT,
        re.compile(
            r'"(?i:(?:organi[sz]ation|org|account|user|owner|project|workspace|team|tenant|customer|billing_account)'
            r'_?(?:id|uuid)|creator_user_id|aws_account)"\s*:\s*(?:"([^"\\]+)"|([0-9]{4,}))'
        ),
    ),
    (ACCOUNT, re.compile(r'"(?i:organi[sz]ation|account|user)"\s*:\s*"(?=[^"\\]*[0-9])([^"\\\s]{12,})"')),
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{BASE64_CHARS},}}")
_TEXT = re.compile(r"[\x09\x0a\x0d\x20-\x7e\x80-\xff]{8,}")


class Found(NamedTuple):
    """One thing that a capture must not hold: where it stands, and what it is. Places are in bytes."""

    start: int
    end: int
    what: str


def scrubbed(data: bytes, keys: Iterable[str] = ()) -> tuple[bytes, Counter[str]]:
    """Overwrite what must not be kept, and count it by what it is.

    Args:
        data: a body without its content coding.
        keys: credentials that are known, which are looked for as they are and as they may be written.
    """
    removed: Counter[str] = Counter()
    clean = bytearray(data)
    end = 0
    for found in sorted(set(find(data.decode("latin-1"), literals(keys)))):
        if found.start >= end:
            removed[found.what] += 1
        end = max(end, found.end)
        for at in range(found.start, found.end):
            clean[at] = _DIGIT if ord("0") <= clean[at] <= ord("9") else _LETTER
    return bytes(clean), removed


def literals(keys: Iterable[str]) -> tuple[str, ...]:
    """Give the ways in which a known key may be written, beyond base64, which is looked into."""
    ways: list[str] = []
    for key in keys:
        if len(key) >= SHORTEST_KEY:
            raw = key.encode()
            ways += [raw.decode("latin-1"), quote(key, safe=""), raw.hex(), raw.hex().upper(), key[::-1]]
            ways += ["".join(f"%{byte:{form}}" for byte in raw) for form in ("02x", "02X")]
            if len(key) >= LONG_KEY:
                ways += [raw.lower().decode("latin-1"), raw.upper().decode("latin-1")]
    return tuple(dict.fromkeys(ways))


def find(text: str, keys: tuple[str, ...], depth: int = DEPTH) -> Iterator[Found]:
    """Find what must not be kept in a text of which each character stands for one byte."""
    for key in keys:
        at = text.find(key)
        while at >= 0:
            yield Found(at, at + len(key), KEY)
            at = text.find(key, at + 1)
    for what, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            group = match.lastindex or 0
            if not _is_filler(match[group]):
                yield Found(*match.span(group), what)
    if depth > 0:
        yield from _in_escapes(text, keys, depth - 1)
        yield from _in_base64(text, keys, depth - 1)


def _is_filler(text: str) -> bool:
    """Tell what was overwritten before, so that scrubbing twice finds nothing new."""
    return not text.strip("x1")


def _in_escapes(text: str, keys: tuple[str, ...], depth: int) -> Iterator[Found]:
    """Look at a text as a reader of its JSON strings would; where they begin and end does not matter for that."""
    if "\\" not in text:
        return
    pieces: list[str] = []
    inner_at, outer_at, size, at = [0], [0], 0, 0
    for escape in _ESCAPE.finditer(text):
        before = text[at : escape.start()]
        # As bytes of UTF-8, so that an address in any script is seen as it is elsewhere.
        said = (
            chr(int(escape[1], 16)).encode("utf-8", "surrogatepass").decode("latin-1")
            if escape[1]
            else _ESCAPED.get(escape[2], escape[2])
        )
        pieces += (before, said)
        size += len(before) + len(said)
        at = escape.end()
        inner_at += (size - len(said), size)
        outer_at += (escape.start(), at)
    pieces.append(text[at:])

    def outer(place: int) -> int:
        """Give the place in the text; within an escape, that of its beginning."""
        before = bisect_right(inner_at, place) - 1
        return outer_at[before] + (place - inner_at[before] if before % 2 == 0 else 0)

    for found in find("".join(pieces), keys, depth):
        yield Found(outer(found.start), outer(found.end - 1) + 1, found.what)


def _in_base64(text: str, keys: tuple[str, ...], depth: int) -> Iterator[Found]:
    """Look into base64; letters that were glued to its front shift it by up to three."""
    for match in _BASE64.finditer(text):
        for shift in range(4):
            run = match[0][shift:].replace("-", "+").replace("_", "/")
            run = run[: len(run) - (len(run) % 4 == 1)]
            try:
                inner = a2b_base64(run + "=" * (-len(run) % 4)).decode("latin-1")
            except (BinasciiError, ValueError):
                continue
            # What is no text decodes to bytes among which a pattern may be seen by chance.
            for piece in _TEXT.finditer(inner):
                for found in find(piece[0], keys, depth):
                    first, last = piece.start() + found.start, piece.start() + found.end
                    begin = match.start() + shift
                    yield Found(begin + first * 4 // 3, begin + -(-last * 4 // 3), found.what)


def across(data: bytes, keys: Iterable[str] = ()) -> Counter[str]:
    """Count what is found only when the pieces of a stream are joined, as whoever shows the reply joins them.

    Such a thing cannot be overwritten in place without guessing, so its stream is not kept.
    """
    from contracts.wire.sse import Decoder
    from contracts.wire.strict_json import UNREADABLE, decode

    decoder = Decoder()
    events = [data for _, data, _, _ in decoder.feed(data)]
    decoder.close()
    pieces: dict[str, list[str]] = {}
    for event in events or data.splitlines():
        value, _ = decode(event)
        if value is not UNREADABLE:
            for path, text in _strings(value):
                pieces.setdefault(path, []).append(text)
    ways = literals(keys)
    found: Counter[str] = Counter()
    for texts in pieces.values():
        if len(set(texts)) > 1:  # what every event repeats is no text in pieces
            joined = "".join(texts).encode("utf-8", "surrogatepass").decode("latin-1")
            found.update(f.what for f in find(joined, ways))
    return found


def _strings(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Walk the strings of a JSON value with the path of each; the reader of JSON bounds the depth."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(item, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, f"{path}[]")
