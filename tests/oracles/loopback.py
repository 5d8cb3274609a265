"""A server on loopback that plays a recording, whatever it is asked: head as captured, body byte for byte.

It is written on a bare socket, so that nothing sets right what a recording has wrong.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Sequence
from typing import Self

from contracts.model import Headers

LIMIT_S = 5.0  # for one request to come and one answer to go; all of it is some kilobytes


class Player:
    """Answers every request with what it was given last, and ends the connection."""

    def __init__(self) -> None:
        """Listen on a free port."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._answer = b""
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Closing a listener does not wake who waits in accept().
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(LIMIT_S)
        self._listener.close()

    def load(self, status: int, headers: Headers, pieces: Sequence[bytes], *, whole: bool) -> None:
        """Take the answer to what is asked next.

        Each piece is a chunk of the transfer coding, which a client gets one by one however fast they come; one
        piece alone is sent without any where the recording has none. `whole` is False where the transfer broke off.
        """
        lines = [f"HTTP/1.1 {status} -"]
        lines += [f"{name}: {value}" for name, value in headers if name.lower() != "transfer-encoding"]
        declared = any(name.lower() == "transfer-encoding" for name, _ in headers)
        if len(pieces) > 1 or declared:
            lines.append("Transfer-Encoding: chunked")
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
            body += b"0\r\n\r\n" if whole else b""
        else:
            body = b"".join(pieces)
        head = "\r\n".join([*lines, "Connection: close", "", ""])
        self._answer = head.encode("latin-1") + body

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.settimeout(LIMIT_S)
            with connection, contextlib.suppress(OSError):
                _read_request(connection)
                # The request was read to its end, so closing resets nothing: what was sent still arrives.
                connection.sendall(self._answer)


def _read_request(connection: socket.socket) -> None:
    """Read one request to its end, which its length tells."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _more(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    if re.search(rb"\r\ntransfer-encoding: *chunked", head, re.IGNORECASE):
        while not body.endswith(b"0\r\n\r\n"):
            body += _more(connection)
        return
    length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    while len(body) < (int(length[1]) if length else 0):
        body += _more(connection)


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise ConnectionError("the client left before its request was whole")
    return data
