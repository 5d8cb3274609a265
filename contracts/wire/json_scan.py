"""Read JSON that is not in order: every departure with its place, the value wherever there is one.

Slow beside a compiled reader, but linear in the text, and nesting costs no stack.
"""

from __future__ import annotations

import math
import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined] # typeshed leaves it out
from typing import Any, NoReturn

_space = re.compile(r"[ \t\n\r]*").match
_number = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?").match
_half_number = re.compile(r"(?:\.|[eE][+-]?)?\Z").match
_half_escape = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z").match
_controls = re.compile(r"[\x00-\x1f]")
_surrogates = re.compile("[\ud800-\udfff]")
_escapes = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_words = re.compile(r"true|false|null|NaN|-?Infinity").match
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": math.nan,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
}
_INT_DIGITS = 4300  # the most that int() takes, as its time grows with their square
_DOUBLE_DIGITS = 308  # a whole number of up to so many digits fits a double
_KEY_CHARS = 80  # of a duplicate key that are shown
_CLOSERS: dict[type, str] = {dict: "}", list: "]"}


class Broken(Exception):  # noqa: N818 - not an error of this program, but what the text is
    """The text holds no value: what is wrong, and at which character."""

    def __init__(self, kind: str, detail: str, at: int) -> None:
        """Keep the three apart."""
        super().__init__(kind, detail, at)
        self.kind = kind
        self.detail = detail
        self.at = at


class Seen:
    """A departure that leaves the value readable, with the character where it first stood."""

    __slots__ = ("at", "count", "detail", "kind")

    def __init__(self, kind: str, detail: str, at: int) -> None:
        """Begin with none."""
        self.kind = kind
        self.detail = detail
        self.at = at
        self.count = 0


class Scan:
    """One text. `seen` holds the departures found so far, by kind."""

    def __init__(self, text: str, max_depth: int) -> None:
        """Look at nothing yet."""
        self.seen: dict[str, Seen] = {}
        self._text = text
        self._max_depth = max_depth
        self._holders: list[Any] = []  # the objects and arrays around the place, outermost first
        self._keys: list[str] = []  # for each object among them the key whose value comes

    def value(self) -> Any:
        """Read the one value.

        Raises:
            Broken: there is none, or something follows it.
        """
        text = self._text
        if text.startswith("\ufeff"):
            raise Broken("bom", "", 0)
        at = self._skip(0)
        if at == len(text):
            raise Broken("empty", "", at)
        value, at = self._tree(at)
        at = self._skip(at)
        if at < len(text):
            if text[at] in '{["' or _number(text, at) or _words(text, at):
                raise Broken("concatenated", "a second value begins", at)
            self._expected("the end", at)
        return value

    def _tree(self, at: int) -> tuple[Any, int]:
        text = self._text
        while True:
            char = text[at : at + 1]
            if char in ("{", "["):
                value, at, complete = self._open({} if char == "{" else [], at)
                if not complete:
                    continue
            else:
                value, at = self._scalar(at)
            while self._holders:
                holder = self._holders[-1]
                if isinstance(holder, dict):
                    holder[self._keys.pop()] = value
                else:
                    holder.append(value)
                at = self._skip(at)
                char = text[at : at + 1]
                if char == ",":
                    at = self._skip(at + 1)
                    if isinstance(holder, dict):
                        at = self._key(holder, at)
                    break
                if char != _CLOSERS[type(holder)]:
                    self._expected(f"',' or '{_CLOSERS[type(holder)]}'", at)
                value = self._holders.pop()
                at += 1
            else:
                return value, at

    def _open(self, holder: Any, at: int) -> tuple[Any, int, bool]:
        """Begin an object or array; whether it is empty, hence complete, comes last."""
        if len(self._holders) == self._max_depth:
            raise Broken("too-deep", f"more than {self._max_depth} levels", at)
        at = self._skip(at + 1)
        if self._text[at : at + 1] == _CLOSERS[type(holder)]:
            return holder, at + 1, True
        self._holders.append(holder)
        return holder, self._key(holder, at) if isinstance(holder, dict) else at, False

    def _key(self, holder: dict[str, Any], at: int) -> int:
        """Read a key and its colon; return where the value begins."""
        if self._text[at : at + 1] != '"':
            self._expected("a key in double quotes", at)
        key, end = self._string(at)
        if key in holder:
            # ascii() leaves nothing that a terminal would act on.
            self._note("duplicate-key", at, detail=ascii(key[:_KEY_CHARS])[1:-1])
        end = self._skip(end)
        if self._text[end : end + 1] != ":":
            self._expected("':'", end)
        self._keys.append(key)
        return self._skip(end + 1)

    def _scalar(self, at: int) -> tuple[Any, int]:
        text = self._text
        if text[at : at + 1] == '"':
            return self._string(at)
        number = _number(text, at)
        if number is not None:
            end = number.end()
            if end < len(text) and text[end] in ".eE" and _half_number(text, end):
                self._expected("a digit", len(text))
            return self._numeric(number[0], whole=number.end(1) < 0 and number.end(2) < 0, at=at), end
        word = _words(text, at)
        if word is not None:
            value = _WORDS[word[0]]
            if isinstance(value, float):
                self._note("nan", at, detail=word[0])
            return value, word.end()
        rest = text[at : at + 9]
        if rest and at + len(rest) == len(text) and any(word.startswith(rest) for word in _WORDS):
            at = len(text)
        return self._expected("a value", at)

    def _numeric(self, digits: str, *, whole: bool, at: int) -> int | float:
        value: int | float
        if whole and len(digits) <= _DOUBLE_DIGITS:
            return int(digits)
        double = float(digits)
        if math.isinf(double):
            self._note("overflow", at, detail=digits if len(digits) <= _KEY_CHARS else f"{len(digits)} characters")
        value = int(digits) if whole and len(digits) <= _INT_DIGITS else double
        return value

    def _string(self, at: int) -> tuple[str, int]:
        text = self._text
        try:
            value, end = scanstring(text, at + 1, False)  # noqa: FBT003 - lets control characters pass
        except JSONDecodeError as error:
            if error.msg.startswith("Unterminated"):
                self._expected("the end of a string", len(text))
            escape = error.pos if text[error.pos : error.pos + 1] == "\\" else error.pos - 1
            if _half_escape(text, escape):
                self._expected("an escape", len(text))
            raise Broken("malformed", "expected an escape such as \\n or \\u00e9, found another", escape) from error
        control = _controls.search(text, at, end)
        if control is not None:
            count = len(_controls.findall(text, at, end))
            self._note("control-character", control.start(), count, detail=f"U+{ord(control[0]):04X}")
        if "\\" in text[at:end] and (lone := _surrogates.findall(value)):
            self._note("lone-surrogate", self._first_lone(at, end), len(lone), detail=f"U+{ord(lone[0]):04X}")
        return value, end

    def _first_lone(self, at: int, end: int) -> int:
        high: re.Match[str] | None = None
        for escape in _escapes.finditer(self._text, at, end):
            code = int(escape[1] or "0", 16)
            is_low = 0xDC00 <= code < 0xE000  # noqa: PLR2004 - the second half of a pair
            if high is not None:
                if not is_low or escape.start() != high.end():
                    return high.start()
                high = None
            elif is_low:
                return escape.start()
            if 0xD800 <= code < 0xDC00:  # noqa: PLR2004 - the first half of a pair
                high = escape
        return high.start() if high is not None else at

    def _note(self, kind: str, at: int, count: int = 1, *, detail: str) -> None:
        seen = self.seen.setdefault(kind, Seen(kind, detail, at))
        seen.count += count

    def _skip(self, at: int) -> int:
        match = _space(self._text, at)
        return match.end() if match else at

    def _expected(self, what: str, at: int) -> NoReturn:
        if at >= len(self._text):
            raise Broken("truncated", f"expected {what}, found the end", at)
        raise Broken("malformed", f"expected {what}, found {self._text[at]!a}", at)
