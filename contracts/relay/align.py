"""Which event that arrived is which of those that were sent: the pairing that takes the fewest changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contracts.relay.events import is_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.relay.events import Event
    from contracts.testing.writers import Writer

MOST = 400_000  # cells of the table; more events than that are paired as they come
LOST = 3  # the cost of an event that is lost or added
# Of two that differ: up to 5 is less than losing one and adding one, 7 is more.
SAME_VALUE, SAME_TEXT, SAME_KIND, BROKEN, OTHER = 1, 2, 4, 5, 7


class Pair(NamedTuple):
    """An event that was sent, one that arrived, or both; by their positions."""

    sent: int | None
    received: int | None


def align(sent: Sequence[Event], received: Sequence[Event], writer: Writer) -> list[Pair]:
    """Pair events in order; what has no partner is lost or added."""
    begin = 0
    while begin < min(len(sent), len(received)) and _same(sent[begin], received[begin]):
        begin += 1
    pairs = [Pair(at, at) for at in range(begin)]
    left, right = sent[begin:], received[begin:]
    if (len(left) + 1) * (len(right) + 1) > MOST:
        both = range(max(len(left), len(right)))
        rest = [Pair(at if at < len(left) else None, at if at < len(right) else None) for at in both]
    else:
        rest = _cheapest(left, right, writer)
    pairs += [Pair(*(None if at is None else at + begin for at in pair)) for pair in rest]
    return pairs


def moved(pairs: Sequence[Pair], sent: Sequence[Event], received: Sequence[Event]) -> list[Pair]:
    """Give the events that were lost in one place and added in another, the same."""
    added = [pair.received for pair in pairs if pair.sent is None]
    found = []
    for pair in pairs:
        if pair.received is None and pair.sent is not None:
            near = next((at for at in added if at is not None and _equal(sent[pair.sent], received[at])), None)
            if near is not None:
                added.remove(near)
                found.append(Pair(pair.sent, near))
    return found


def _cheapest(left: Sequence[Event], right: Sequence[Event], writer: Writer) -> list[Pair]:
    said_left, said_right = [_said(e, writer) for e in left], [_said(e, writer) for e in right]

    def cost(i: int, j: int) -> int:
        return _cost(left[i], right[j], writer, is_same_text=bool(said_left[i]) and said_left[i] == said_right[j])

    table = [[at * LOST for at in range(len(right) + 1)]]
    for i in range(1, len(left) + 1):
        row = [i * LOST]
        above = table[-1]
        for j in range(1, len(right) + 1):
            both = above[j - 1] + cost(i - 1, j - 1)
            row.append(min(both, above[j] + LOST, row[j - 1] + LOST))
        table.append(row)
    pairs = []
    i, j = len(left), len(right)
    while i or j:
        here = table[i][j]
        if i and j and here == table[i - 1][j - 1] + cost(i - 1, j - 1):
            i, j = i - 1, j - 1
            pairs.append(Pair(i, j))
        elif i and here == table[i - 1][j] + LOST:
            i -= 1
            pairs.append(Pair(i, None))
        else:
            j -= 1
            pairs.append(Pair(None, j))
    return pairs[::-1]


def _same(one: Event, other: Event) -> bool:
    return one.data == other.data and one.name == other.name


def _equal(one: Event, other: Event) -> bool:
    return one.data == other.data or (one.is_json and other.is_json and bool(one.value == other.value))


def _cost(one: Event, other: Event, writer: Writer, *, is_same_text: bool) -> int:
    if _same(one, other):
        return 0
    if _equal(one, other):
        return SAME_VALUE
    if writer.SENTINEL in (one.data, other.data) or is_error(one) != is_error(other):
        return OTHER
    if one.is_json != other.is_json:
        return BROKEN
    return SAME_TEXT if is_same_text else SAME_KIND


def _said(event: Event, writer: Writer) -> str:
    """Give the text in an event, or nothing; by that alone two are not the same."""
    try:
        return writer.said(event.value) if isinstance(event.value, dict) else ""
    except (LookupError, TypeError, AttributeError):
        return ""
