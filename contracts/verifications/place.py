"""Where a router's table is: `sqlite:///FILE?table=…` or `postgresql://USER@HOST/DATABASE?table=…`.

Ours are `table`, `provider`, `model` (columns) and `decisions` (the kind of the breaker's own rows). What else stands
in the URL of PostgreSQL is libpq's.
"""

from __future__ import annotations

from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct, structs

from contracts.databases import postgres
from contracts.errors import ConfigError

FORM = "sqlite:///FILE or postgresql://USER@HOST/DATABASE, with ?table=…&provider=…&model=…&decisions=… as needed"
OPTION = "--verifications"
_OURS = {"table": "verifications", "provider": "provider", "model": "model", "decisions": "breaker"}


class Place(Struct, frozen=True, kw_only=True):
    """A database, the names in it, and the kind of the breaker's rows.

    `where` is SQLite's path or PostgreSQL's address without what is ours; `shown` is what errors call it; `secrets` is
    what no error may hold.
    """

    engine: Literal["sqlite", "postgresql"]
    where: str
    shown: str
    table: str = _OURS["table"]
    provider: str = _OURS["provider"]
    model: str = _OURS["model"]
    decisions: str = _OURS["decisions"]
    secrets: tuple[str, ...] = ()


def parse(url: str) -> Place:
    """Read a URL.

    Raises:
        ConfigError: for what is none, or doubled or empty in it; nothing that may be a password is in the message.
    """
    scheme = url.partition(":")[0].lower()
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _wrong(scheme, "a host that is none") from None
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    ours = [(name, value) for name, value in pairs if name in _OURS]
    names = dict(ours)
    if len(names) < len(ours) or not all(value.strip() and "\0" not in value for value in names.values()):
        raise _wrong(scheme, "a name twice, or empty")
    if names.get("provider", _OURS["provider"]) == names.get("model", _OURS["model"]):
        raise _wrong(scheme, "one column for provider and model")
    match scheme:
        case "sqlite":
            path = unquote(parts.path)[1:]
            others = [name for name, _ in pairs if name not in _OURS]
            if not url.lower().startswith("sqlite:///") or not path or parts.fragment or "\0" in path or others:
                raise _wrong(scheme, f"an unknown parameter {others[0]!r}" if others else "no path of a file")
            return structs.replace(Place(engine="sqlite", where=path, shown=path), **names)
        case "postgresql" | "postgres":
            return _postgres(url, names)
        case _:
            raise _wrong(scheme, "another scheme")


def _postgres(url: str, names: dict[str, str]) -> Place:
    address = postgres.read(url, _OURS)
    if address is None:
        raise _wrong("postgresql", "@ or # in it, or a port that is none; a password has these as %40 and the like")
    place = Place(engine="postgresql", where=address.where, shown=address.shown, secrets=address.secrets)
    return structs.replace(place, **names)


def _wrong(scheme: str, found: str) -> ConfigError:
    return ConfigError(f"{OPTION} {scheme}:…: expected {FORM}; found {found}")
