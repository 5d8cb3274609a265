"""A certificate made at start, for TLS on request: its authority lives in memory and nobody else trusts it."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from contracts.errors import ConfigError


class Terms(NamedTuple):
    """What the certificate says: whom it is for, and until how many days from now."""

    names: tuple[str, ...] = ("127.0.0.1", "localhost")
    days: int = 1


class Identity(NamedTuple):
    """The server's side of TLS, and the authority that a client has to trust, in PEM."""

    context: ssl.SSLContext
    authority_pem: bytes


def make(terms: Terms) -> Identity:
    """Make an authority and a certificate.

    Raises:
        ConfigError: where the package that makes certificates is not installed.
    """
    try:
        import trustme
    except ImportError:
        raise ConfigError("TLS needs the package trustme: pip install 'provider-contracts[testing]'") from None
    authority = trustme.CA()
    ends = datetime.now(UTC) + timedelta(days=terms.days)
    issued = authority.issue_cert(*terms.names, not_before=ends - timedelta(days=30), not_after=ends)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    issued.configure_cert(context)
    return Identity(context, authority.cert_pem.bytes())
