"""The TLS context of a run: made once, as making one takes as long as thirty requests."""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

# In the order in which requests and curl look; SSL_CERT_FILE and SSL_CERT_DIR are OpenSSL's own.
BUNDLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


def context(environ: Mapping[str, str], *, http2: bool) -> ssl.SSLContext:
    """Make a context that verifies, with the authorities that the usual variables name, else certifi's.

    Raises:
        ConfigError: where a variable names what is no file of certificates.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.set_alpn_protocols(["h2", "http/1.1"] if http2 else ["http/1.1"])
    named = [(name, environ[name]) for name in BUNDLES if environ.get(name)]
    folder = environ.get("SSL_CERT_DIR")
    if named:
        variable, path = named[0]
        if os.path.isdir(path):
            made.load_verify_locations(capath=path)
        else:
            _load(made, variable, path)
    if folder:
        made.load_verify_locations(capath=folder)
    if not named and not folder:
        import certifi

        made.load_verify_locations(certifi.where())
    return made


def _load(made: ssl.SSLContext, variable: str, path: str) -> None:
    try:
        made.load_verify_locations(cafile=path)
    except (OSError, ssl.SSLError) as error:
        why = "none that can be read" if isinstance(error, ssl.SSLError) else error.strerror or "none"
        raise ConfigError(f"{variable}: expected a file of certificates at {path}, found {why}") from error
