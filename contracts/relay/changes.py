"""What became of data that did not arrive byte for byte: damaged, written anew, or other members."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contracts.relay.events import Event

MOST_PATHS = 6  # members that are named
MAX_DEPTH = 20
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(rb"\\(?:u[0-9A-Fa-f]{4}|[\"\\/bfnrt])")
_MISREAD = ("latin-1", "cp1252")  # what requests falls back to for text/*, and what browsers read in its place


def changes(sent: Event, received: Event) -> tuple[str, ...]:
    """Say in words what is different, the gravest first; at least one thing where the data differ."""
    found = [*_damage(sent.data, received.data)]
    if not found and sent.is_json and not received.is_json:
        found.append("is no JSON any more")
    if not found and sent.is_json and received.is_json and sent.data != received.data:
        found += of_values(sent.value, received.value)
        found += _rewritten(sent, received, is_same=not found)
    if sent.name != received.name:
        found.append("the event has another name")
    return tuple(dict.fromkeys(found)) or ("other bytes",)


def first_difference(sent: bytes, received: bytes) -> int:
    """Give the offset of the first byte that is not the same."""
    if sent == received:
        return 0
    shorter = min(len(sent), len(received))
    return next((at for at in range(shorter) if sent[at] != received[at]), shorter)


def _damage(sent: bytes, received: bytes) -> Iterator[str]:
    """Tell what was done to the bytes as a whole, whatever they mean."""
    if sent.isascii():
        return
    try:
        text = sent.decode()
    except UnicodeDecodeError:
        # What is no UTF-8 was sent so on purpose, and a reader that puts U+FFFD or an escape there has decoded it.
        if received == sent.decode("utf-8", "replace").encode():
            yield "bytes that are no UTF-8 became U+FFFD"
        return
    for charset in _MISREAD:
        if received == sent.decode(charset, "replace").encode():
            yield f"double-encoded: read as {charset}, written as UTF-8"
            return
    if b"\xef\xbf\xbd" in received and b"\xef\xbf\xbd" not in sent:
        yield "characters became U+FFFD"
    elif received == bytes(b for b in sent if b < 0x80):  # noqa: PLR2004 - ASCII
        yield "every character beyond ASCII is lost"
    elif received == text.encode("ascii", "replace"):
        yield "every character beyond ASCII became a question mark"


def _rewritten(one: Event, other: Event, *, is_same: bool) -> Iterator[str]:
    """Tell how a JSON value was written otherwise; of another value than was sent only what that does not explain."""
    sent, received, said = one.data, other.data, []
    if _blanks(_bare(sent)) != _blanks(_bare(received)):
        said.append("spacing")
    if bool(_escapes(sent)) != bool(_escapes(received)) or (is_same and _escapes(sent) != _escapes(received)):
        said.append("escapes")
    if not is_same:
        said += ["key order"] if _common(one.value, other.value) != _common(other.value, one.value) else []
    elif _ordered(sent) != _ordered(received):
        # Keys that came twice are members that were dropped, in the order of the last.
        said.append("key order" if len(_STRING.findall(sent)) == len(_STRING.findall(received)) else "repeated keys")
    if said or is_same:
        yield f"re-serialised: {', '.join(said or ['numbers'])}"


def _common(one: Any, other: Any) -> list[str]:
    """Give the members that both have, in the order of the first."""
    both = isinstance(one, dict) and isinstance(other, dict)
    return [key for key in one if key in other] if both else []


def _ordered(data: bytes) -> Any:
    return json.loads(data.decode("utf-8", "replace"), object_pairs_hook=_keys)


def _bare(data: bytes) -> bytes:
    return _STRING.sub(b'""', data)


def _blanks(bare: bytes) -> int:
    return sum(bare.count(blank) for blank in (b" ", b"\t", b"\n", b"\r"))


def _escapes(data: bytes) -> list[bytes]:
    return [found.lower() for found in _ESCAPE.findall(data)]


def _keys(pairs: list[tuple[str, Any]]) -> Any:
    return [(key, value if isinstance(value, list) else None) for key, value in pairs]


def of_values(sent: Any, received: Any) -> Iterator[str]:
    """Name the members that are not what they were."""
    found = list(_differences(sent, received, ""))
    for verb in ("text", "rewrote", "dropped", "added"):
        named = [path for kind, path in found if kind == verb]
        if verb == "text":
            yield from dict.fromkeys(named)
        elif named:
            more = "" if len(named) <= MOST_PATHS else f" and {len(named) - MOST_PATHS} more"
            yield f"{verb} {', '.join(named[:MOST_PATHS])}{more}"


def _differences(sent: Any, received: Any, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Give what was done to which member, by its path."""
    goes_in = depth <= MAX_DEPTH
    if goes_in and isinstance(sent, dict) and isinstance(received, dict):
        for key, value in sent.items():
            here = f"{path}.{key}" if path else key
            if key not in received:
                yield "dropped", here
            else:
                yield from _differences(value, received[key], here, depth + 1)
        yield from (("added", f"{path}.{key}" if path else key) for key in received if key not in sent)
    elif goes_in and isinstance(sent, list) and isinstance(received, list) and len(sent) == len(received):
        for at, (one, other) in enumerate(zip(sent, received, strict=True)):
            yield from _differences(one, other, f"{path}[{at}]", depth + 1)
    elif sent == received and isinstance(sent, bool) is isinstance(received, bool):  # to Python True is 1
        return
    elif isinstance(sent, str) and isinstance(received, str) and (damage := _text(sent, received)):
        yield "text", f"{path or 'the text'} {damage}"
    else:
        yield "rewrote", path or "the value"


def _text(sent: str, received: str) -> str:
    """Tell what was done to a text; nothing where it is simply another one."""
    raw = sent.encode("utf-8", "surrogatepass")
    for charset in _MISREAD:
        if received == raw.decode(charset, "replace"):
            return "" if received == sent else f"is double-encoded: read as {charset}, written as UTF-8"
    if "\ufffd" in received and "\ufffd" not in sent:
        return "has U+FFFD in it"
    if received in {unicodedata.normalize(form, sent) for form in ("NFC", "NFD", "NFKC", "NFKD")}:
        return "was normalised"
    if received == sent.encode("ascii", "ignore").decode():
        return "lost every character beyond ASCII"
    for charset in ("ascii", *_MISREAD):
        if received == sent.encode(charset, "replace").decode(charset):
            return f"has a question mark for every character beyond {charset}"
    return _left_out(sent, received)


def _left_out(sent: str, received: str) -> str:
    """Tell what is missing of a text that is otherwise the same."""
    if received == sent.strip():
        return "lost its blanks at the ends"
    if received == sent.replace("\r\n", "\n"):
        return "has other line ends"
    if sent.startswith(received):
        return f"was cut after {len(received)} of {len(sent)} characters"
    lost = set(sent).difference(received)
    if not lost or received != "".join(one for one in sent if one not in lost):
        return ""
    named = ", ".join(f"U+{ord(one):04X}" for one in sorted(lost)[:MOST_PATHS])
    return f"lost every {named}{' and others' if len(lost) > MOST_PATHS else ''}"
