"""Captures: answers that somebody kept in a file, read into Exchanges whose bytes nobody touched.

Three formats: what `curl -i` writes, HAR 1.2, vcrpy cassettes. The reader is chosen by the file's ending and,
where that says nothing or two things (`.json`), by its content. Each reader is imported when it is used.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from contracts.captures.intake import Capture, file_bytes, found
from contracts.errors import CaptureError

if TYPE_CHECKING:
    from contracts.model import Exchange, Request

__all__ = ["TIMING", "Capture", "read", "read_capture", "read_request", "timing_of"]

TIMING = ".timing.json"  # the sidecar of a cassette (`timing`), which is no capture by itself


def read(path: str, request: Request | None = None) -> list[Exchange]:
    """Read every answer that a capture holds, in its order; never an empty list.

    Args:
        path: the file, `-` for standard input; its ending chooses the reader.
        request: what was asked, where the user says so: it takes the place of what the capture knows of its requests.

    Raises:
        CaptureError: for whatever cannot be read as one of the three formats, with the place where that shows.
    """
    return list(read_capture(path, request).exchanges)


def read_capture(path: str, request: Request | None = None) -> Capture:
    """Read a capture as `read` does, and say too which of its entries hold no answer to judge."""
    data = file_bytes(path)
    kind = _kind(path, data)
    if kind == "dump":
        from contracts.captures import http_dump

        return Capture((http_dump.exchange(data, path, request),))
    if kind == "cassette":
        from contracts.captures import vcr

        taken = vcr.from_yaml(data, path)
        if os.path.isfile(timing_of(path)):
            from contracts.captures import timing

            taken = taken._replace(exchanges=timing.applied(taken.exchanges, path))
    else:
        taken = _from_json(data, path)
    if request is None:
        return taken
    from msgspec.structs import replace

    return taken._replace(exchanges=tuple(replace(exchange, request=request) for exchange in taken.exchanges))


def timing_of(path: str) -> str:
    """Name the file that may stand beside a cassette and tell when its bytes arrived."""
    return path.rpartition(".")[0] + TIMING


def read_request(path: str) -> Request:
    """Read what was asked from a JSON file (`inspect --request`). Raises CaptureError."""
    from contracts.captures import request_file

    return request_file.request(file_bytes(path), path)


def _kind(path: str, data: bytes) -> str:
    ending = path.rpartition(".")[2].lower()
    if ending in ("http", "txt"):
        return "dump"
    if ending in ("har", "json"):
        return "json"
    if ending in ("yaml", "yml"):
        return "cassette"
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"HTTP/"):
        return "dump"
    if start.startswith(b"{"):
        return "json"
    # vcrpy sorts its keys: `interactions` stands first unless a comment or a `recorded` header does.
    if start.startswith((b"#", b"---", b"interactions:", b"recorded:", b"version:")):
        return "cassette"
    raise CaptureError(f"{path}:1: expected a `curl -i` dump, a HAR or a vcrpy cassette, found {found(start)}")


def _from_json(data: bytes, path: str) -> Capture:
    """HAR, or a cassette that vcrpy's JSON serializer wrote: both bear `.json`, their members tell them apart."""
    from contracts.captures import har, intake, vcr

    document = intake.json_value(data, path)
    members = document if isinstance(document, dict) else {}
    if "log" in members:
        return har.from_document(document, path)
    if "interactions" in members:
        return vcr.from_document(document, path)
    raise CaptureError(f"{path}: expected a HAR (member 'log') or a vcrpy cassette ('interactions'), found neither")
