"""Classes of HTTP status, RFC 9110, section 15 (https://www.rfc-editor.org/rfc/rfc9110#section-15, read 2026-11-30)."""

from __future__ import annotations

SUCCESS, REDIRECT, CLIENT_ERROR, SERVER_ERROR = 2, 3, 4, 5  # the first digit of a status


def is_success(status: int) -> bool:
    """Tell whether a status is 2xx."""
    return status // 100 == SUCCESS


def is_error(status: int) -> bool:
    """Tell whether a status is 4xx, or 5xx and beyond."""
    return status // 100 >= CLIENT_ERROR
