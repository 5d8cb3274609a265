"""What every reader starts with: bounded reading of a file, its JSON, and messages that say what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from contracts.config.words import show
from contracts.errors import CaptureError

if TYPE_CHECKING:
    from contracts.model import Exchange

T = TypeVar("T")

# Keys and list indices from the root of a document to a value.
Path = tuple[str | int, ...]

# Bytes. A day of one browser's traffic as HAR is some tens of MiB; beyond this it is the wrong file.
LIMIT_BYTES = 256 * 1024 * 1024

# Bytes of a file that a message is made from; it quotes less.
_LINE = 400

_MISMATCH = re.compile("Expected `([^`]*)`, got `([^`]*)`")
_MISSING = re.compile("Object missing required field `([^`]*)`")
_UNKNOWN = re.compile("Object contains unknown field `(.*)`", re.DOTALL)
# The decoder's names for types, and ours.
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bytes": "bytes",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "a mapping",
    "datetime": "an instant",
    "date": "a day",
}


class Capture(NamedTuple):
    """What a capture held. `skipped` says, one line each, which entries hold no answer to judge and why."""

    exchanges: tuple[Exchange, ...]
    skipped: tuple[str, ...] = ()


def gathered(exchanges: list[Exchange], skipped: list[str], path: str) -> Capture:
    """Hand over what a capture of many entries held. Raises CaptureError when none of them holds an answer."""
    if not exchanges:
        why = f" in {len(skipped)}; {skipped[0]}" if skipped else ""
        raise CaptureError(f"{path}: expected an entry that holds an answer, found none{why}")
    return Capture(tuple(exchanges), tuple(skipped))


def file_bytes(path: str, limit: int = LIMIT_BYTES) -> bytes:
    """Read a file whole, or standard input where the path is `-`; at most `limit` bytes of it.

    Raises:
        CaptureError: when it cannot be opened or is larger.
    """
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            # One byte more than the limit: a pipe does not tell its size.
            data = file.read(limit + 1)
    except OSError as error:
        raise CaptureError(f"{path}: expected a readable file, found {error.strerror or error}") from error
    except ValueError as error:
        raise CaptureError(f"{path!a}: expected the path of a file, found {error}") from error
    if len(data) > limit:
        raise CaptureError(f"{path}: expected at most {limit} bytes, found more")
    return data


def found(data: bytes) -> str:
    """Quote the line at the start of what was found, safe for a terminal and without a credential."""
    if not data:
        return "nothing"
    line = data[:_LINE].split(b"\n", 1)[0].removesuffix(b"\r")
    return show(line.decode("utf-8", "backslashreplace"))


def json_value(data: bytes, path: str) -> Any:
    """Decode a JSON file. Raises CaptureError with line and column."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return _json_by_the_book(data, path)


def _json_by_the_book(data: bytes, path: str) -> Any:
    """Decode what the fast decoder refused: a lone surrogate is text that a HAR may hold, and errors need a line."""
    import json

    try:
        return json.loads(data.decode("utf-8"))
    except json.JSONDecodeError as error:
        rest = error.doc[error.pos :].encode("utf-8", "surrogatepass")
        raise CaptureError(f"{path}:{error.lineno}:{error.colno}: expected JSON, found {found(rest)}") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CaptureError(f"{path}:{line}: expected JSON in UTF-8, found byte 0x{data[error.start]:02x}") from error
    except RecursionError as error:
        raise CaptureError(f"{path}: expected JSON, found values nested too deeply") from error
    except ValueError as error:
        # A whole number of more digits than the interpreter converts.
        raise CaptureError(f"{path}: expected JSON, found a number that is too long") from error


def shaped(value: object, kind: type[T], path: str, locate: Callable[[Path], str] | None = None) -> T:
    """Give a decoded document its type.

    `locate` says where the value at a path of the document stands (`file:line:column`), where the format knows.

    Raises:
        CaptureError: naming the member that is missing or of the wrong type.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.MsgspecError as error:
        raise CaptureError(_explained(str(error), path, locate)) from error
    except (UnicodeError, RecursionError) as error:
        raise CaptureError(f"{path}: expected names in Unicode, found half a character in one") from error


def _explained(message: str, path: str, locate: Callable[[Path], str] | None) -> str:
    """Put the decoder's complaint into the form that all our messages have."""
    complaint, _, place = message.partition(" - at ")
    # `$.log.entries[0].request`; `[...]` stands for some key of a mapping and ends what can be located.
    steps = re.findall(r"\.([^.\[\]]+)|\[(\d+)\]", place.strip("`").partition("[...]")[0])
    where = locate(tuple(name or int(index) for name, index in steps)) if locate else path
    spot = place.strip("`").removeprefix("$").removeprefix(".")
    expected, got = _in_words(complaint)
    return f"{where}: expected {expected}{f' in {spot}' if spot else ''}, found {got}"


def _in_words(complaint: str) -> tuple[str, str]:
    """Say what was expected and what was found."""
    if match := _MISMATCH.fullmatch(complaint):
        return _word(match[1]), _word(match[2])
    if match := _MISSING.fullmatch(complaint):
        return f"the member '{match[1]}'", "none"
    if match := _UNKNOWN.fullmatch(complaint):
        return "known members only", show(match[1])
    return "another value", show(complaint)


def _word(name: str) -> str:
    """Name a type in plain words, also `int | null`."""
    return " or ".join(_KINDS.get(kind, kind) for kind in name.split(" | "))
