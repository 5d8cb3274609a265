"""What was asked, from a JSON file: `{"method", "path", "body", "headers", "keyless"}`, each optional.

`body` is a JSON value, whose bytes in the file are taken as the bytes that were sent, or a string, whose text in UTF-8
is. Non-ASCII stays raw UTF-8 and an escape stays an escape: nothing is written anew. The one exception is a value with
an unpaired surrogate escape, which the fast decoder refuses: its JSON is written anew, the surrogate still as an
escape. No body, or null: not known, but for methods that have none.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from contracts.captures.intake import json_value, shaped
from contracts.captures.parts import nothing_sent, text_bytes
from contracts.model import Request


class _File(Struct, forbid_unknown_fields=True):
    method: str = "POST"
    path: str = ""
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    keyless: bool = False


class _Bytes(Struct):
    body: Raw = field(default_factory=Raw)


def request(data: bytes, path: str) -> Request:
    """Read what was asked.

    Raises:
        CaptureError: for what is no JSON object with these members.
    """
    file = shaped(json_value(data, path), _File, path)
    return Request(
        method=file.method,
        url=file.path,
        headers=tuple(file.headers.items()),
        body=_sent(file, data),
        keyless=file.keyless,
    )


def _sent(file: _File, data: bytes) -> bytes | None:
    if file.body is None:
        return nothing_sent(file.method)
    if isinstance(file.body, str):
        return text_bytes(file.body)
    try:
        return bytes(msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=_Bytes).body)
    except msgspec.MsgspecError:
        import json

        text = json.dumps(file.body, ensure_ascii=False)
        return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text).encode("utf-8")
