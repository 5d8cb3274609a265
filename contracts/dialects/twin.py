"""Twins: events alike in every byte but for their text, as most events of most streams are.

An event that was decoded, held against the schema and found to carry nothing but text is learnt. One that has the same
bytes before and behind its text needs none of that again: it is valid, and what it says is the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import json

if TYPE_CHECKING:
    from contracts.dialects.recorder import ChoiceRecord, Counted, Recorder

SPECIAL = bytes(range(32)) + b'"\\'  # what a JSON string holds escaped only (RFC 8259, section 7)
TRIES = 16  # learnt in a row without ever meeting a twin; some providers pad every event with random letters


class Plain(NamedTuple):
    """What an event said that carried nothing but text: its choice, the text, and the id and model it repeated."""

    choice: ChoiceRecord
    text: str
    repeated: tuple[Counted, ...]


class Twins:
    """The event that was learnt last, and how its twins fold."""

    __slots__ = ("_before", "_behind", "_plain", "_size", "_tries")

    def __init__(self) -> None:
        """Start with none learnt."""
        self._before = self._behind = b""
        self._size = 0
        self._plain: Plain | None = None
        self._tries = 0

    @property
    def learning(self) -> bool:
        """Whether it still pays to learn."""
        return self._tries < TRIES

    def learn(self, data: bytes, plain: Plain) -> None:
        """Learn an event. One whose text stands in it escaped, or twice, cannot be told apart from others."""
        quoted = json.encode(plain.text)
        self._tries += 1
        self._plain = None
        if data.count(quoted) == 1:
            before, _, behind = data.partition(quoted)
            self._before, self._behind, self._plain = before + b'"', b'"' + behind, plain
            self._size = len(self._before) + len(self._behind)

    def fold(self, recorder: Recorder, data: bytes) -> bool:
        """Fold an event if it is a twin of the one that was learnt; tells whether it was."""
        plain = self._plain
        if plain is None or not data.startswith(self._before) or not data.endswith(self._behind):
            return False
        middle = data[len(self._before) : len(data) - len(self._behind)]
        if len(data) <= self._size or len(middle.translate(None, SPECIAL)) != len(middle):
            return False
        try:
            text = middle.decode()
        except UnicodeDecodeError:
            return False
        self._tries = 0
        recorder.events += 1
        recorder.usage.event_after()
        for seen in plain.repeated:
            seen.count += 1
        recorder.text(plain.choice, text)
        return True
