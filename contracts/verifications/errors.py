"""What can go wrong with a router's table that the user did not write wrong."""

from __future__ import annotations


class TableError(Exception):
    """The table cannot be read or written now; the message names the database, without a password, and why."""
