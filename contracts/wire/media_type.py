"""Content-Type as it is written, with what contradicts itself in it.

The grammar is RFC 9110, section 8.3 (https://www.rfc-editor.org/rfc/rfc9110#section-8.3); what becomes of several
values follows the Fetch standard (https://fetch.spec.whatwg.org/#concept-header-extract-mime-type), names of
encodings the Encoding standard (https://encoding.spec.whatwg.org/#names-and-labels); all read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - the grammar's word
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_essence = re.compile(rf"({_TOKEN})/({_TOKEN})\Z").match
_parameter = re.compile(rf"({_TOKEN})=(?:({_TOKEN})|({_QUOTED}))\Z", re.DOTALL).match
_escaped = re.compile(r"\\(.)", re.DOTALL).sub
_UTF_8 = frozenset(
    ("unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "utf-8", "utf8", "x-unicode20utf8"),
)


class MediaType(NamedTuple):
    """One media type. `parameters` are all that are legal, in order, names in lower case, values unquoted."""

    essence: str
    parameters: tuple[tuple[str, str], ...] = ()
    conflicts: tuple[str, ...] = ()
    """What contradicts itself: `parameter NAME`, `lines` (of the header) or `list` (several values in one line)."""


def parse(values: Sequence[str]) -> MediaType | None:
    """Read all Content-Type lines of an answer, in their order.

    Of several types the last one counts, and it keeps the charset of an equal one before it. A parameter that is not
    legal, such as `charset = utf-8`, is no parameter.

    Returns:
        None where there is no line, or none that is a media type.
    """
    return _parsed(tuple(values))


@lru_cache(maxsize=64)  # every contract that asks reads the same few lines again
def _parsed(values: tuple[str, ...]) -> MediaType | None:
    merged: MediaType | None = None
    conflicts: list[str] = []
    read: list[MediaType] = []
    for value in values:
        parts = [part for part in _split(value, ",") if part]
        if len(parts) > 1:
            conflicts.append("list")
        read += [media_type for part in parts if (media_type := _one(part)) is not None]
    if len({(one.essence, _comparable(one.parameters)) for one in read}) > 1 and len(values) > 1:
        conflicts.append("lines")
    for media_type in read:
        parameters = media_type.parameters
        if merged is not None and merged.essence == media_type.essence and charset_of(media_type) is None:
            parameters += tuple(pair for pair in merged.parameters if pair[0] == "charset")
        merged = media_type._replace(parameters=parameters)
        conflicts += media_type.conflicts
    return merged and merged._replace(conflicts=tuple(dict.fromkeys(conflicts)))


def charset_of(media_type: MediaType) -> str | None:
    """The charset that is declared, in lower case; every label of UTF-8 is `utf-8`. Of several the first counts."""
    for name, value in media_type.parameters:
        if name == "charset":
            return _label(value)
    return None


def is_json(essence: str) -> bool:
    """Say whether a type is JSON, as the MIME Sniffing standard does."""
    return essence in ("application/json", "text/json") or essence.endswith("+json")


def is_sse(essence: str) -> bool:
    """Say whether a type is that of event streams."""
    return essence == "text/event-stream"


def _one(value: str) -> MediaType | None:
    essence, *rest = _split(value, ";")
    if _essence(essence) is None:
        return None
    parameters = []
    for part in rest:
        match = _parameter(part)
        if match is not None:
            quoted = match[3]
            parameters.append((match[1].lower(), match[2] if quoted is None else _escaped(r"\1", quoted[1:-1])))
    known: dict[str, str] = {}
    conflicts = [
        f"parameter {name}" for name, value in _comparable(parameters) if known.setdefault(name, value) != value
    ]
    return MediaType(essence.lower(), tuple(parameters), tuple(conflicts))


def _split(value: str, separator: str) -> Iterator[str]:
    """Cut at the separators that stand in no quoted string, without the blanks around."""
    for part in re.findall(rf"(?:{_QUOTED}|[^{separator}])*", value, re.DOTALL)[:-1] or [value]:
        yield part.strip(" \t")


def _comparable(parameters: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _label(value) if name == "charset" else value) for name, value in parameters)


def _label(charset: str) -> str:
    label = charset.lower()
    return "utf-8" if label in _UTF_8 else label
