"""Where the configuration file is looked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from contracts.errors import ConfigError

NAME = "providers.yaml"


def find(option: str | None, environ: Mapping[str, str], folder: str) -> str | None:
    """Path of the configuration file, or None where there is none.

    The order: `option` (`--config`), `$CONTRACTS_CONFIG`, `providers.yaml` in `folder` or above it up to the
    repository's root (the folder that holds `.git`), `$XDG_CONFIG_HOME/contracts/`, `/etc/contracts/`. A
    file that was named has to exist; outside a repository only `folder` itself is looked at.

    Raises:
        ConfigError: when the named file is not there.
    """
    for named, by in ((option, "--config"), (environ.get("CONTRACTS_CONFIG"), "CONTRACTS_CONFIG")):
        if named:
            if not os.path.isfile(named):
                raise ConfigError(f"{named}: expected a file ({by}), found {_what_is_there(named)}")
            return named
    return next((path for path in places(environ, folder) if os.path.isfile(path)), None)


def places(environ: Mapping[str, str], folder: str) -> Iterator[str]:
    """Every path that is tried when none is named, best first; for the message that says so."""
    for above in _up_to_the_root(folder):
        yield os.path.join(above, NAME)
    home = environ.get("XDG_CONFIG_HOME") or ""
    # The base directory specification: a relative path in this variable has to be ignored.
    if not os.path.isabs(home):
        home = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".config")
    yield os.path.join(home, "contracts", NAME)
    yield os.path.join("/etc/contracts", NAME)


def _up_to_the_root(folder: str) -> list[str]:
    tried = [folder]
    here = os.path.abspath(folder)
    while not os.path.exists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            # Not in a repository: a providers.yaml in /home or / is none of ours.
            return [folder]
        here = above
        tried.append(here)
    return tried


def _what_is_there(path: str) -> str:
    return "a folder" if os.path.isdir(path) else "nothing there"
