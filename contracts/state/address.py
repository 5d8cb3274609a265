"""Addresses of databases: which there are, and how one is shown without its password."""

from __future__ import annotations

import re

POSTGRES = ("postgresql://", "postgres://")
HIDDEN = "***"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
# Up to the last @: a password that holds one unescaped is no less a password.
_USER = re.compile(r"(://[^:/?#@]*):(.*)@", re.DOTALL)
_SECRETS = re.compile(r"([?&](?:password|sslpassword)=)([^&]*)", re.IGNORECASE)
_SEPARATORS = re.compile(r"[@/:?&=#\s]+")


def is_address(where: str) -> bool:
    """Tell an address from a path."""
    return _ADDRESS.match(where) is not None


def is_postgres(where: str) -> bool:
    """Tell the address of a PostgreSQL database."""
    return where.lower().startswith(POSTGRES)


def redacted(where: str) -> str:
    """Show an address without its passwords; a path is shown as it is."""
    if not is_address(where):
        return where
    return _SECRETS.sub(rf"\1{HIDDEN}", _USER.sub(rf"\1:{HIDDEN}@", where))


def hidden(text: str, where: str) -> str:
    """Take out of a text what may be a piece of an address's passwords, however a driver took the address apart."""
    if not is_address(where):
        return text
    from urllib.parse import unquote

    written = [match[2] for pattern in (_USER, _SECRETS) for match in pattern.finditer(where)]
    pieces = {piece for one in written for form in (one, unquote(one)) for piece in (form, *_SEPARATORS.split(form))}
    for piece in sorted(pieces - {""}, key=len, reverse=True):
        text = text.replace(piece, HIDDEN)
    return text
