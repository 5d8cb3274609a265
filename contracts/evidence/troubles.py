"""Why there is no answer, in words that an operator can act on."""

from __future__ import annotations

import errno
import socket
import ssl

from contracts.errors import EvidenceError

EXPIRED, NOT_YET = 10, 9  # OpenSSL's X509_V_ERR_*, as `verify_code` has them
OTHER_HOST = (62, 64)
UNKNOWN_AUTHORITY = (2, 18, 19, 20, 21)
WAITED = {
    "queue": "this waited for its turn",
    "connect": "a connection was being made",
    "tls": "the TLS handshake went on",
    "write": "the request was being sent",
    "headers": "no answer had begun",
}


def refused(error: Exception, peer: str, via: str | None) -> EvidenceError:
    """Say why no connection was made to `peer`; `via` is the variable that named it as a proxy."""
    host = peer.rpartition(":")[0]
    if isinstance(error, socket.gaierror):
        again = error.errno == socket.EAI_AGAIN
        said = f"DNS did not answer for {host}" if again else f"DNS knows no host {host}"
        phase = "dns"
    elif isinstance(error, UnicodeError):
        said, phase = f"{host} is no host name", "dns"
    elif is_refused(error):
        said, phase = f"{peer} refused the connection", "connect"
    else:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        said, phase = f"{peer} cannot be reached: {why}", "connect"
    return EvidenceError(f"the proxy of {via}: {said}", "proxy") if via else EvidenceError(said, phase)


def is_refused(error: Exception) -> bool:
    """Tell whether every address refused; asyncio before 3.12 joins several errors in one text."""
    return isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error)


def of_tls(error: Exception, host: str) -> EvidenceError:
    """Say what is wrong with a certificate or a handshake."""
    if isinstance(error, ssl.SSLCertVerificationError):
        code, said = error.verify_code, error.verify_message
        if code == EXPIRED:
            return EvidenceError(f"the TLS certificate of {host} has expired", "tls")
        if code == NOT_YET:
            return EvidenceError(f"the TLS certificate of {host} is not valid yet; look at the clock", "tls")
        if code in OTHER_HOST:
            return EvidenceError(f"the TLS certificate is for another host than {host}", "tls")
        if code in UNKNOWN_AUTHORITY:
            hint = "name its file in SSL_CERT_FILE if it is yours"
            return EvidenceError(f"the TLS certificate of {host} is signed by an unknown authority; {hint}", "tls")
        return EvidenceError(f"the TLS certificate of {host} is refused: {said}", "tls")
    if isinstance(error, ssl.SSLError) and error.reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST"):
        return EvidenceError(f"{host} answers without TLS", "tls")
    why = getattr(error, "reason", None) or getattr(error, "strerror", None) or "the connection was closed"
    return EvidenceError(f"the TLS handshake with {host} failed: {why}", "tls")


def of_cut(error: Exception) -> EvidenceError:
    """Say that a connection ended before an answer; the error's argument is what had come of one."""
    if isinstance(error, ConnectionResetError):
        return EvidenceError("the connection was reset before an answer came", "headers")
    if error.args and error.args[0]:
        begin = ascii(error.args[0][:40])[2:-1]
        return EvidenceError(f"the connection was closed after what is no whole HTTP answer: {begin}", "headers")
    return EvidenceError("the connection was closed before an answer came", "headers")


def is_gone(error: EvidenceError) -> bool:
    """Tell whether a connection that was made for an earlier request ended before a byte of the next answer."""
    cause = error.__cause__
    begun = bool(cause is not None and cause.args and isinstance(cause.args[0], bytes) and cause.args[0])
    return error.phase == "headers" and cause is not None and not begun


def of_httpcore(error: Exception, via: str | None) -> EvidenceError:
    """Say why HTTP/2 or a proxy gave no answer, by the names of httpcore's errors."""
    said = str(error)
    match type(error).__name__:
        case "ProxyError":
            return EvidenceError(f"the proxy of {via} refused: {said[:100]}", "proxy")
        case "RemoteProtocolError" | "LocalProtocolError" if "too long" in said or "oversized" in said.lower():
            return EvidenceError("the headers of the answer are too large to read", "headers")
        case "RemoteProtocolError" if "disconnected" in said:
            return EvidenceError("the connection was closed before an answer came", "headers")
        case "ReadError":
            return EvidenceError("the connection was reset before an answer came", "headers")
        case "WriteError":
            return EvidenceError("the connection was closed while the request was sent", "write")
        case name:
            return EvidenceError(f"what came is no HTTP answer: {name} {said[:100]}".rstrip(), "headers")
