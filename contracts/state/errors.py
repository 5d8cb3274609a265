"""What can go wrong with the state. A run judges without it, and says so."""

from __future__ import annotations


class StateError(Exception):
    """The state cannot be used; the message names the file and why."""
