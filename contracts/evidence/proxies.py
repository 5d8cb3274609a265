"""Which proxy leads to an origin, by the variables that curl and requests know."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from contracts.errors import EvidenceError

if TYPE_CHECKING:
    from collections.abc import Mapping

PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


class Proxy(Struct, frozen=True, kw_only=True):
    """A proxy: `url` without credentials, which stand apart so that no message shows them."""

    url: str
    variable: str
    auth: tuple[bytes, bytes] | None = None


def proxy_for(origin: str, environ: Mapping[str, str]) -> Proxy | None:
    """Find the proxy for `https://host:port`, None for a direct way.

    Lower-case variables win over upper-case ones. `HTTP_PROXY` in capitals is passed over in a CGI program, where a
    client's header `Proxy` would set it.

    Raises:
        EvidenceError: where the variable holds no URL of a proxy.
    """
    parts = urlsplit(origin)
    if is_direct(parts.hostname or "", parts.port, environ):
        return None
    for name in (f"{parts.scheme}_proxy", "all_proxy"):
        for variable in (name, name.upper()):
            value = environ.get(variable, "").strip()
            if variable == "HTTP_PROXY" and "REQUEST_METHOD" in environ:
                continue
            if value:
                return _read(variable, value)
    return None


def is_direct(host: str, port: int | None, environ: Mapping[str, str]) -> bool:
    """Tell whether NO_PROXY names a host: itself, a parent domain, an address range, `host:port`, or `*`."""
    host = host.lower().rstrip(".")
    for entry in (environ.get("no_proxy") or environ.get("NO_PROXY") or "").lower().split(","):
        name, colon, wanted = entry.strip().rpartition(":")
        if colon and wanted.isdigit() and ":" not in name:
            if int(wanted) != port:
                continue
        else:
            name = entry.strip()
        name = name.removeprefix("*.").strip(".")
        if name and (name in ("*", host) or host.endswith("." + name) or _in_range(host, name)):
            return True
    return False


def _in_range(host: str, entry: str) -> bool:
    if "/" not in entry:
        return False
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return False


def _read(variable: str, value: str) -> Proxy:
    if "://" not in value:
        value = f"http://{value}"
    try:
        parts = urlsplit(value)
        port = parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError):
        port = 0
    if not port or not parts.hostname:
        known = ", ".join(PORTS)
        raise EvidenceError(f"{variable}: expected the URL of a proxy ({known}), found none", "proxy")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    auth = None
    if parts.username is not None:
        from urllib.parse import unquote

        auth = (unquote(parts.username).encode(), unquote(parts.password or "").encode())
    return Proxy(url=f"{parts.scheme}://{host}:{port}", variable=variable, auth=auth)
