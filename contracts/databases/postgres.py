"""The address of a router's PostgreSQL, and a session there by psycopg 3.

Parameters of the URL that are not ours (`host`, `sslmode`, `service` …) are libpq's and go to it as they stand. No
error holds a password, wherever in the URL it is written.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct

from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import psycopg

CONNECT_S = 5  # libpq counts whole seconds; for each host of the URL
HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(:[0-9]{0,5})?", re.ASCII)
SECRET = ("password", "sslpassword")
HIDDEN = "***"


class Address(Struct, frozen=True):
    """Where a database is, without what is ours in its URL.

    `shown` is what errors call it, without user or password; `secrets` is what no error may hold.
    """

    where: str
    shown: str
    secrets: tuple[str, ...]


def read(url: str, ours: Collection[str]) -> Address | None:
    """Read a URL without psycopg; `ours` are the parameters in its query that are not libpq's.

    Returns:
        None where libpq would take a part of a password for a host, a port or a name, and say so aloud.

    Raises:
        ValueError: for a host that is none.
    """
    parts = urlsplit(url)
    user, _, hosts = parts.netloc.rpartition("@")
    if (
        not url.partition(":")[2].startswith("//")
        or "#" in url
        or "@" in user + parts.path + parts.query
        or not all(HOST.fullmatch(host) for host in hosts.split(","))
        or "\0" in unquote(url)
    ):
        return None
    rest = "&".join(part for part in parts.query.split("&") if part and unquote(part.partition("=")[0]) not in ours)
    passwords = [user.partition(":")[2], *(value for name, value in parse_qsl(rest) if name in SECRET)]
    return Address(
        where=f"postgresql://{parts.netloc}{parts.path}{'?' if rest else ''}{rest}",
        shown=f"postgresql://{hosts}{parts.path}",
        secrets=tuple(sorted({form for one in passwords for form in (one, unquote(one)) if form}, key=len))[::-1],
    )


def connect(where: str) -> psycopg.Connection:
    """Open a session that begins no transaction by itself. Raises psycopg.Error and UnicodeError."""
    import psycopg

    given = {name for name, _ in parse_qsl(urlsplit(where).query, keep_blank_values=True)}
    ours = {"client_encoding": "UTF8", "fallback_application_name": "contracts"}
    if "PGCONNECT_TIMEOUT" not in os.environ:
        ours["connect_timeout"] = str(CONNECT_S)
    ours = {name: value for name, value in ours.items() if name not in given}
    # None: a pooler may give the next statement to another session, which has prepared nothing.
    return psycopg.connect(where, autocommit=True, prepare_threshold=None, **ours)  # type: ignore[arg-type]  # parameters of libpq


def said(error: Exception, secrets: Sequence[str]) -> str:
    """Tell what libpq or the server says, in one line and without any password."""
    text = " ".join(str(error).split())
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return scrub(text, 500)
