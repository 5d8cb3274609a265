"""Long model listings, of which only the members that a row names are decoded: a tenth of the time and of the memory.

What is decoded is held to strict JSON, and so are the members that decide on money. Of the rest only the form is seen,
and whatever is not plainly in order is left to the reader of short listings, which tells what is wrong with it.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from contracts.dialects import listing
from contracts.facts import Fault, Listing
from contracts.listed import Model
from contracts.text.scrub import scrub
from contracts.wire.strict_json import MAX_VALUES, UNREADABLE, loads_fast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from contracts.dialects import ListingQuery


MAX_REMEMBERED = 20_000  # distinct values of one member; prices and parameters repeat, descriptions are not read
ABSENT = msgspec.Raw(b"null")
# An ASCII letter in the form of an escape: a member may then have its name in letters that are not looked for.
ESCAPES = b"\\u00"
ESCAPED_LETTERS = (b"\\u004", b"\\u005", b"\\u006", b"\\u007")
WHOLE = ("context_tokens", "output_tokens")
DEFAULTS: dict[str, Any] = {name: getattr(Model(id=""), name) for name in listing.EXTRA}
READ: dict[str, Callable[[Any], Any]] = {
    "chat": lambda value: value if isinstance(value, bool) else None,
    "aliases": listing.texts,
    "deprecated": listing.text,
    "replacement": listing.text,
    "prices": listing.prices,
    "context_tokens": listing.whole,
    "output_tokens": listing.whole,
    "quantization": listing.text,
    "parameters": lambda value: tuple(sorted(listing.texts(value))),
}


def read(data: bytes | bytearray, query: ListingQuery) -> Listing | None:
    """Read a long listing; None where it has to be read as a whole."""
    if len(data) > 2 * MAX_VALUES and data.count(b"{") + data.count(b"[") > MAX_VALUES:
        return None  # shorter data cannot hold as many
    numbers = (query.next_number or {}).values()
    names = (query.items, query.id, query.more or "", *(query.next or {}).values(), *numbers)
    extra = tuple((n, getattr(query, n)) for n in listing.EXTRA if getattr(query, n))
    if not all(name.isidentifier() for name in names if name):
        return None
    roots = tuple(_roots(path) for _, path in extra)
    if None in roots:
        return None
    # Numbers are decoded at once: remembering them takes longer.
    whole = {path for name, path in extra if name in WHOLE and path.isidentifier()}
    whole -= {f[0] for (n, p), f in zip(extra, roots, strict=True) if f and (n not in WHOLE or p != f[0])}
    members = tuple(dict.fromkeys(r for found in roots for r in found or ()))
    try:
        page = _decoder(query.items, query.id, members, tuple(n for n in names[2:] if n), frozenset(whole))(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    entries: list[Any] = page.items
    if len(entries) > listing.MAX_MODELS:
        return None
    models, faults = _models(
        entries, extra, [members.index(f[0]) if f and len(f) == 1 else None for f in roots], whole, query
    )
    if models is None or (any(map(_may_be_free, {m.prices for m in models})) and _may_repeat(data, entries, query)):
        return None
    said = {name: getattr(page, f"p{i}") for i, name in enumerate(n for n in names[2:] if n)}
    following = listing.following(said, query)
    more = bool(said.get(query.more)) if query.more else bool(following)
    return Listing(models=tuple(models), faults=faults, more=more, next=following if more else ())


def _models(
    entries: list[Any],
    extra: tuple[tuple[str, str], ...],
    places: list[int | None],
    whole: set[str],
    query: ListingQuery,
) -> tuple[list[Model] | None, tuple[Fault, ...]]:
    """Read the entries, member by member; None where one is not in order."""
    ids: list[str] = [entry.id for entry in entries]
    if not all(ids) or max(map(len, ids), default=0) > listing.MAX_ID_CHARS:
        return None, ()
    columns: dict[str, Iterable[Any]] = {name: repeat(default) for name, default in DEFAULTS.items()}
    for (name, path), place in zip(extra, places, strict=True):
        column = map(attrgetter(f"m{place}"), entries)
        if path in whole:
            columns[name] = map(listing.whole, column)
            continue
        seen = _Seen(READ[name], listing.getter(_below(path)))
        try:
            columns[name] = [seen[bytes(raw)] for raw in column]
        except ValueError:
            return None, ()
    made = [
        Model(
            id=identity, chat=chat, aliases=aliases, deprecated=deprecated, replacement=replacement, prices=prices,
            context_tokens=context, output_tokens=output, quantization=quantization, parameters=parameters,
        )
        for identity, chat, aliases, deprecated, replacement, prices, context, output, quantization, parameters
        in zip(ids, *columns.values(), strict=False)
    ]  # fmt: skip
    if query.prefix or query.suffix:
        made = [listing.shortened(model, query) for model in made]
    if len(set(ids)) == len(ids):
        return made, ()
    first = next(i for i, count in Counter(ids).items() if count > 1)
    detail = f"'{scrub(first, 80)}' is listed more than once"
    known = dict(zip(reversed(ids), reversed(made), strict=True))  # of entries with one id the first counts
    ordered = [known[identity] for identity in dict.fromkeys(ids)]
    return ordered, (Fault(kind="duplicate-id", detail=detail, count=len(ids) - len(ordered)),)


class _Seen(dict[bytes, Any]):
    """What the bytes of a member come to, each decoded once; ValueError for bytes that are no strict JSON."""

    def __init__(self, convert: Callable[[Any], Any], get: Callable[[Any], Any]) -> None:
        super().__init__()
        self._convert, self._get = convert, get

    def __missing__(self, raw: bytes) -> Any:
        found = loads_fast(raw)
        if found is UNREADABLE:
            raise ValueError
        value = self._convert(self._get(found))
        if len(self) < MAX_REMEMBERED:
            self[raw] = value
        return value


def _may_be_free(prices: tuple[tuple[str, str], ...]) -> bool:
    """Tell whether a price may be taken for nothing."""
    return bool(prices) and all(not amount.strip("0.+-eE") for _, amount in prices)


def _may_repeat(data: bytes | bytearray, entries: list[Any], query: ListingQuery) -> bool:
    """Tell whether a member that decides on money may come twice in one entry, of which the last was read here."""
    keys = (query.id, (query.prices or query.id).partition(".")[0])
    escaped = ESCAPES in data and any(e in data for e in ESCAPED_LETTERS)
    return escaped or any(data.count(b'"%s"' % key.encode()) > len(entries) for key in keys)


def _roots(path: str) -> tuple[str, ...] | None:
    """Give the members of an entry that a path begins at: one for `a` and `a.b.c`; None for what is no such chain."""
    parts = path.split(".")
    return (parts[0],) if all(part.isidentifier() for part in parts) else None


def _below(path: str) -> str:
    """Give the rest of a path behind its first member."""
    return path.partition(".")[2] or "@"


@cache
def _decoder(
    items: str, identity: str, members: tuple[str, ...], page: tuple[str, ...], whole: frozenset[str]
) -> Callable[[Any], Any]:
    """Make a decoder of the members that are named, and of nothing else."""
    fields: list[Any] = [("id", str)]
    fields += [(f"m{i}", Any, None) if m in whole else (f"m{i}", msgspec.Raw, ABSENT) for i, m in enumerate(members)]
    named = {"id": identity} | {f"m{i}": name for i, name in enumerate(members)}
    entry = msgspec.defstruct("Entry", fields, rename=named, gc=False)
    outer: list[Any] = [("items", list[entry])]  # type: ignore[valid-type]  # a type made here
    outer += [(f"p{i}", Any, None) for i in range(len(page))]
    named = {"items": items} | {f"p{i}": name for i, name in enumerate(page)}
    return msgspec.json.Decoder(msgspec.defstruct("Page", outer, rename=named)).decode
