"""The order of events as a dialect's table states it: what may follow what, what opens and closes a block, what ends.

Events go by their type where the dialect has one; only those that the table names are looked at, so that a new one
disturbs nothing. Where it has none, as in Chat Completions, they go by what they say: text, a tool call, the finish of
a choice, usage, the close of the stream. What comes before an end may come in any order, so that only what comes after
one costs any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_OPEN = 256  # blocks open at once; more would be an attack on memory


class Block(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Events that belong together by the member `key`: one opens the block, some come inside it, one closes it.

    `counted`: the blocks of a stream are counted from 0, in the order in which they are opened.
    """

    open: str
    close: str
    inside: tuple[str, ...] = ()
    key: str = "index"
    counted: bool = False


Said = Literal["text", "reasoning", "refusal", "tool call", "finish", "usage", "close"]


class End(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ends a choice or the stream, and what may be said of it after that all the same.

    `judged` is the contract that a violation breaks: one fault is one finding.
    """

    by: Literal["finish", "usage", "close"]
    of: Literal["choice", "stream"]
    then: tuple[Said, ...]
    judged: str


class OrderTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`first`: the events that a stream begins with; `follows`: by event, those that may come next.

    An event that nothing follows is the last one. Where `first`, an event's list or an end is not written, anything
    may come.
    """

    first: tuple[str, ...] = ()
    follows: dict[str, tuple[str, ...]] = {}
    blocks: tuple[Block, ...] = ()
    ends: tuple[End, ...] = ()


class Disorder(NamedTuple):
    """What was expected, and what came."""

    expected: str
    found: str


class Grammar:
    """A table, compiled once for all streams."""

    __slots__ = ("blocks", "ends", "first", "follows", "known")

    def __init__(self, table: OrderTable) -> None:
        """Compile a table."""
        self.first, self.follows = table.first or None, table.follows
        self.blocks = {name: b for b in table.blocks for name in (b.open, *b.inside, b.close)}
        self.known = frozenset((*table.first, *table.follows, *self.blocks))
        self.ends: dict[str, tuple[str, ...]] = {end.by: end.then for end in table.ends}


class Order:
    """Follows the events of one stream."""

    __slots__ = ("_expected", "_grammar", "_next", "_open")

    def __init__(self, grammar: Grammar) -> None:
        """Begin; no event has come."""
        self._grammar = grammar
        self._expected = grammar.first
        self._open: set[tuple[str, int]] = set()
        self._next: dict[str, int] = {}  # by the event that opens a block: the number of the one that comes next

    def see(self, name: str, value: Mapping[str, object]) -> Disorder | None:
        """Take the next event; tells what is wrong with its place."""
        if name not in self._grammar.known:
            return None
        expected, self._expected = self._expected, self._grammar.follows.get(name)
        misplaced = self._in_block(name, value)
        if expected and name not in expected:
            return Disorder(" or ".join(expected), name)
        return misplaced

    def after(self, end: str, said: str) -> Disorder | None:
        """Take what is said after an end; tells what is wrong with that."""
        then = self._grammar.ends.get(end)
        if then is None or said in then:
            return None
        return Disorder(" or ".join(then) or "nothing", said)

    def _in_block(self, name: str, value: Mapping[str, object]) -> Disorder | None:
        """Open, look into or close the block that an event names."""
        block = self._grammar.blocks.get(name)
        number = value.get(block.key) if block else None
        if block is None or not isinstance(number, int):
            return None
        place = (block.open, number)
        is_open = place in self._open
        if name == block.open:
            if len(self._open) < MAX_OPEN:
                self._open.add(place)
            counted, self._next[name] = self._next.get(name, 0), number + 1
            if is_open:
                return Disorder(f"{block.close} of {block.key} {number}", name)
            return (
                Disorder(f"{block.key} {counted}", f"{block.key} {number}")
                if block.counted and number != counted
                else None
            )
        if name == block.close:
            self._open.discard(place)
        if is_open or len(self._open) >= MAX_OPEN:
            return None
        return Disorder(f"{block.open} of {block.key} {number}", name)
