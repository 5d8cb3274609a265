r"""Find encoding damage in the text of a reply, piece by piece and in bounded memory.

    scanner = Scanner()
    scanner.feed("It works â", event=3, byte=812)
    scanner.feed("\x80\x94 mostly.", event=4, byte=1040)
    scanner.finish()

What is found, where it is said to be and how often does not depend on where the text was cut.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from itertools import accumulate

from contracts.facts import Damage, Text
from contracts.text.signs import REACH, Hit, hits, pairs_joined

BATCH = 8192  # characters waited for: enough to make light of what a scan costs to start
WINDOW = 65536  # characters looked at together: few enough for the cache, and for a close look at them all
THOROUGH = 4096  # characters from the first beyond ASCII on, looked through for rare damage too: a wire damages all
SAMPLE = 6  # code points of the first damaged sequence that are told


_Piece = tuple[str, int | None, int | None]  # text, event, byte; a bare tuple, on the path of every small piece


class Tally:
    """What is known of one signature so far."""

    __slots__ = ("adjacent", "byte", "count", "event", "order", "sample")

    def __init__(self, order: int, piece: _Piece, sample: str) -> None:
        """Begin with the first that was found, whose piece this is."""
        self.order = order
        _, self.event, self.byte = piece
        self.sample = sample
        self.count = 0
        self.adjacent = False


class Scanner:
    """Scan one channel of text (an answer, a reasoning, one call's arguments) as it arrives.

    Without `counts` only the damage is told, and characters beyond ASCII count as none.
    """

    __slots__ = (
        "_chars", "_counts", "_damaged", "_found", "_judged", "_last_lost", "_misread", "_non_ascii", "_number",
        "_pieces", "_room", "_thorough", "_until",
    )  # fmt: skip

    def __init__(self, *, counts: bool = True) -> None:
        """Start with no text."""
        self._counts = counts
        self._pieces: list[_Piece] = []
        self._room = BATCH  # characters that may come before the next scan
        self._judged = 0  # characters at the front of the pieces that are only context by now
        self._number = 0  # number of the first piece that is still held
        self._chars = 0
        self._non_ascii = 0
        self._misread = 0
        self._damaged = 0
        self._last_lost = -2
        self._until: int | None = None  # where the thorough part ends; None before the first character beyond ASCII
        self._thorough = False  # whether such damage was found in that part, so that all is looked through
        self._found: dict[str, Tally] = {}

    def feed(self, piece: str, event: int | None = None, byte: int | None = None) -> None:
        """Take the next piece; `event` and `byte` are its place in the body.

        A surrogate pair may come in two pieces.
        """
        if piece:
            self._pieces.append((piece, event, byte))
            self._room -= len(piece)
            if self._room <= 0:
                self._scan(last=False)

    def finish(self) -> Text:
        """Judge what is left and tell what all of the text was. Feed nothing afterwards."""
        self._scan(last=True)
        found = _settled(self._found) if self._found else {}
        broken = self._damaged + (self._misread if any(map(_misreads, found)) else 0)
        return Text(
            chars=self._chars,
            non_ascii=self._non_ascii,
            intact_non_ascii=max(0, self._non_ascii - broken),
            damage=tuple(_damage(kind, tally) for kind, tally in sorted(found.items(), key=lambda item: item[1].order)),
        )

    def _scan(self, *, last: bool) -> None:
        """Judge all that has REACH characters after it, or everything, and keep REACH characters before the rest."""
        text = "".join([piece[0] for piece in self._pieces])
        try:
            self._judge(text, len(text) if last else len(text) - REACH, lone=False)
        except UnicodeEncodeError:
            self._pieces = _without_split_pairs(self._pieces)
            text = "".join([piece[0] for piece in self._pieces])
            self._judge(text, len(text) if last else len(text) - REACH, lone=True)
        self._forget(max(0, self._judged - REACH), len(text))

    def _judge(self, text: str, end: int, *, lone: bool) -> None:
        """Judge the text up to `end` and count what is in it."""
        while self._judged < end:
            start = self._judged
            stop = min(end, start + WINDOW)
            if self._until is None and not text.isascii():
                self._until = self._end_of_front(text[start:stop])
            front = self._until is not None and self._chars < self._until
            if front:
                stop = min(stop, start + (self._until or 0) - self._chars)
            offset = max(0, start - REACH)
            window = text[offset : stop + REACH]
            thorough = front or self._thorough
            seen = hits(window, start - offset, stop - offset, lone=lone, count=self._counts, thorough=thorough)
            if seen.found:
                self._note([(kind, first + offset, last + offset) for kind, first, last in seen.found], text)
                self._thorough |= front and _rare(seen.found)
            self._chars += stop - start
            self._non_ascii += seen.non_ascii
            self._misread += seen.misread
            self._damaged += seen.damaged
            self._judged = stop

    def _end_of_front(self, text: str) -> int | None:
        """Where the part ends that is looked through thoroughly, if it begins in the text that is judged next."""
        beyond = None if text.isascii() else _beyond().search(text)
        return None if beyond is None else self._chars + beyond.start() + THOROUGH

    def _forget(self, cut: int, size: int) -> None:
        """Drop the first `cut` of the `size` characters held."""
        place = len(self._pieces)
        held = 0
        while held < size - cut:
            place -= 1
            held += len(self._pieces[place][0])
        del self._pieces[:place]
        if held > size - cut:
            text, event, byte = self._pieces[0]
            self._pieces[0] = (text[held - size + cut :], event, byte)
        self._number += place
        self._judged -= cut
        self._room = BATCH

    def _note(self, found: list[Hit], text: str) -> None:
        """Count what was found and remember where each kind stood first."""
        starts = list(accumulate((len(piece[0]) for piece in self._pieces), initial=0))
        for kind, start, end in found:
            place = bisect_right(starts, start) - 1
            tally = self._found.get(kind)
            if tally is None:
                tally = Tally(self._chars + start - self._judged, self._pieces[place], _sample(kind, text, start, end))
                self._found[kind] = tally
            tally.count += 1
            if kind == "replacement-character":
                seam = (start == starts[place] and start > 0) or (end == starts[place + 1] and end < len(text))
                tally.adjacent = tally.adjacent or seam or self._last_lost == self._number + place - 1
                self._last_lost = self._number + place


def _rare(found: list[Hit]) -> bool:
    from contracts.text.pages import RARE

    return any(kind in RARE for kind, _, _ in found)


@cache
def _beyond() -> re.Pattern[str]:
    return re.compile("[^\\x00-\\x7f]")


def find(text: str) -> tuple[Damage, ...]:
    """All signatures of damage in a text, in order of first appearance."""
    scanner = Scanner(counts=False)
    scanner.feed(text)
    return scanner.finish().damage


def merge(texts: Iterable[Text]) -> Text:
    """Add up several channels; of each signature the earliest place stays."""
    texts = tuple(texts)
    found: dict[str, list[Damage]] = {}
    for text in texts:
        for damage in text.damage:
            found.setdefault(damage.kind, []).append(damage)
    merged = []
    for kind, parts in found.items():
        first = min(parts, key=_place)
        merged.append(
            Damage(
                kind=kind,
                count=sum(part.count for part in parts),
                event=first.event,
                byte=first.byte,
                sample=first.sample,
                adjacent=any(part.adjacent for part in parts),
            )
        )
    return Text(
        chars=sum(text.chars for text in texts),
        non_ascii=sum(text.non_ascii for text in texts),
        intact_non_ascii=sum(text.intact_non_ascii for text in texts),
        damage=tuple(sorted(merged, key=_place)),
    )


def _place(damage: Damage) -> tuple[float, float]:
    event = float("inf") if damage.event is None else damage.event
    return event, float("inf") if damage.byte is None else damage.byte


def _settled(found: dict[str, Tally]) -> dict[str, Tally]:
    from contracts.text.settled import settled

    return settled(found)


def _misreads(kind: str) -> bool:
    return kind.startswith(("double-", "triple-", "bpe-"))


def _damage(kind: str, tally: Tally) -> Damage:
    return Damage(
        kind=kind,
        count=tally.count,
        event=tally.event,
        byte=tally.byte,
        sample=tally.sample,
        adjacent=tally.adjacent,
    )


def _sample(kind: str, text: str, start: int, end: int) -> str:
    """Name the first code points, of U+FFFD the whole run of them; byte tokens are named as they stand."""
    if kind == "byte-token":
        return text[start:end]
    if kind == "replacement-character":
        while end < len(text) and text[end] == "\ufffd":
            end += 1
    return " ".join(f"U+{ord(char):04X}" for char in text[start : min(end, start + SAMPLE)])


def _without_split_pairs(pieces: list[_Piece]) -> list[_Piece]:
    """Join surrogate pairs within pieces and across them; a pair that was split belongs to the earlier piece."""
    result: list[_Piece] = []
    for text, event, byte in pieces:
        rest = text
        if result and "\udc00" <= text[0] <= "\udfff" and "\ud800" <= result[-1][0][-1] <= "\udbff":
            before = result[-1]
            result[-1] = (before[0] + text[0], before[1], before[2])
            rest = text[1:]
        if rest:
            result.append((rest, event, byte))
    return [(pairs_joined(text), event, byte) for text, event, byte in result]
