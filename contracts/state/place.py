"""Where the state is. Without sqlite3, which not every Python has, so that its absence can be told like any other."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "state.db"
NONE = "none"  # what switches the state off


def place(option: str | None, environ: Mapping[str, str]) -> str | None:
    """Tell where the state is, None where there is to be none.

    The order: `option` (`--state`, which `$CONTRACTS_STATE` stands for), `$STATE_DIRECTORY` (systemd's),
    `$XDG_STATE_HOME/contracts`, `~/.local/state/contracts`. `none` switches it off.
    """
    said = option or environ.get("CONTRACTS_STATE", "")
    if said:
        return None if said == NONE else said
    return default_path(environ)


def default_path(environ: Mapping[str, str]) -> str | None:
    """Tell where the state is: `$STATE_DIRECTORY` (systemd's), else below `$XDG_STATE_HOME` or `~/.local/state`."""
    given = environ.get("STATE_DIRECTORY", "").split(":")[0]
    if os.path.isabs(given):
        return os.path.join(given, NAME)
    home = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(home):
        return os.path.join(home, "contracts", NAME)
    user = environ.get("HOME", "")
    return os.path.join(user, ".local", "state", "contracts", NAME) if os.path.isabs(user) else None
