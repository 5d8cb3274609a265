"""What makes a file no strict YAML at all: its bytes, and what the parser complains of, in words."""

from __future__ import annotations

import re
from typing import Any

from contracts.errors import ConfigError


def check_bytes(data: bytes, name: str, max_bytes: int) -> None:
    """Refuse what is too long, no UTF-8, or read in two ways. Raises ConfigError."""
    if len(data) > max_bytes:
        raise ConfigError(f"{name}:1:1: expected at most {max_bytes} bytes, found {len(data)}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise ConfigError(f"{_at(name, before)}: expected UTF-8, found the byte 0x{data[error.start]:02X}") from error
    if text.isascii():
        return
    # YAML 1.1, which libyaml speaks, takes these for line ends and would fold or drop them; YAML 1.2 does not.
    # A file that both read alike is the only safe one.
    for mark, escape in (("\x85", "\\N"), ("\u2028", "\\L"), ("\u2029", "\\P")):
        at = text.find(mark)
        if at >= 0:
            raise ConfigError(
                f'{_at(name, text[:at])}: expected "{escape}" in double quotes, found a raw U+{ord(mark):04X}'
            )


def _at(name: str, before: str) -> str:
    lines = before.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return f"{name}:{len(lines)}:{len(lines[-1]) + 1}"


def unreadable(name: str, data: bytes) -> str:
    """Say which character the parser refused to read."""
    text = data.decode("utf-8")
    # The same set as libyaml's reader, YAML 1.2.2, section 5.1.
    odd = re.search("[^\t\n\r\x20-\x7e\xa0-\ufffd\U00010000-\U0010ffff]", text)
    if odd is None:
        return f"{name}:1:1: expected text, found a character that YAML does not allow"
    return f"{_at(name, text[: odd.start()])}: expected text, found the control character U+{ord(odd[0]):04X}"


_NO_START = "found character that cannot start any token"
# The parser's commonest complaints, in words that say what to do.
_SAID = {
    "mapping values are not allowed in this context": "expected a quoted text or a new line, found a second ': '",
    "mapping values are not allowed here": "expected a quoted text or a new line, found a second ': '",
    "found a tab character that violates indentation": "expected spaces before a key, found a tab",
    _NO_START: "expected a quoted text, found a mark that cannot start a plain one",
    "found unexpected end of stream": "expected the closing quote, found the end of the file",
    "exceeded maximum nesting depth": "expected fewer levels, found too many",
    "found invalid Unicode character escape code": "expected whole characters, found the escape of a surrogate",
}


def not_yaml(name: str, data: bytes, error: Any) -> str:
    """Say what the parser complains of, in words where we have them."""
    mark = error.problem_mark or error.context_mark
    at = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else f"{name}:1:1"
    problem = str(error.problem)
    # Python's parser names the tab in its message, libyaml does not.
    if "cannot start any token" in problem:
        text = data.decode("utf-8").removeprefix("\ufeff")
        tab = mark is not None and text[mark.index : mark.index + 1] == "\t"
        problem = "found a tab character that violates indentation" if tab else _NO_START
    if problem in _SAID:
        return f"{at}: {_SAID[problem]}"
    while_ = f" {error.context}" if error.context else ""
    return f"{at}: expected YAML, found a fault{while_}: {problem}"
