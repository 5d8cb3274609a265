"""What a reader makes of an answer, in one form for every client, so that two readings can be laid side by side."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple


class Told(NamedTuple):
    """What was read of an answer; texts by choice, without the choices that have none.

    A call is its name and its arguments in canonical JSON, or the text as it came where that is no JSON. `usage`
    counts the tokens that went in and that came out, as they were reported last. `errors` are the messages of errors
    that the reader was given as values; what it raised is not among them.
    """

    text: tuple[tuple[int, str], ...] = ()
    reasoning: str = ""
    refusal: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    finishes: tuple[str, ...] = ()
    usage: tuple[Any, Any] | None = None
    errors: tuple[str, ...] = ()


class Notes:
    """Takes down what arrives, piece by piece."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._text: defaultdict[int, str] = defaultdict(str)
        self._calls: dict[object, list[str]] = {}
        self.reasoning = self.refusal = ""
        self.finishes: list[str] = []
        self.usage: tuple[Any, Any] | None = None
        self.errors: list[str] = []

    def text(self, piece: str, choice: int = 0) -> None:
        """Take a piece of a choice's text."""
        self._text[choice] += piece

    def part(self, part: Mapping[str, Any], choice: int = 0) -> None:
        """Take a part of a content that is a list: text, or a thought, which may be a list itself."""
        thought = part.get("thinking")
        for inner in thought if isinstance(thought, list) else ():
            self.reasoning += inner.get("text") or ""
        self.reasoning += thought if isinstance(thought, str) else ""
        self.text(part.get("text") or "", choice)

    def call(self, key: object, name: str | None, arguments: object) -> None:
        """Take a piece of a call: text is appended, an object stands for itself."""
        call = self._calls.setdefault(key, ["", ""])
        call[0] = call[0] or name or ""
        call[1] += arguments if isinstance(arguments, str) else canonical(arguments)

    def arguments_at_last(self, key: object, arguments: object) -> None:
        """Take the arguments of a call where no piece brought any."""
        if not self._calls.setdefault(key, ["", ""])[1]:
            self.call(key, None, arguments)

    @property
    def open_calls(self) -> Collection[object]:
        """The keys of the calls that there are."""
        return self._calls.keys()

    @property
    def has_output(self) -> bool:
        """Whether there is anything yet of what an answer is asked for."""
        return bool(self._text or self._calls or self.refusal)

    def next_call(self) -> int:
        """Give the key of a call that comes whole."""
        return len(self._calls)

    def told(self) -> Told:
        """Give all that was taken down."""
        text = tuple(sorted((choice, said) for choice, said in self._text.items() if said))
        calls = tuple((name, _canonical_text(arguments)) for name, arguments in self._calls.values())
        errors = tuple(self.errors)
        return Told(text, self.reasoning, self.refusal, calls, tuple(self.finishes), self.usage, errors)


def canonical(value: object) -> str:
    """Write an object of arguments in one way; nothing for none."""
    return "" if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _canonical_text(arguments: str) -> str:
    """Write arguments in one way, whether they came as text or as an object; text that is no JSON stays as it is.

    No arguments at all are an empty object, as a stream that has none to send has no piece of one either.
    """
    try:
        return canonical(json.loads(arguments or "{}"))
    except ValueError:
        return arguments


def differing(one: Told, other: Told) -> list[str]:
    """Name what two readings do not agree on."""
    return [name for name, a, b in zip(Told._fields, one, other, strict=True) if a != b]
