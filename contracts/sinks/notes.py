"""Which place a `--note SINK` names."""

from __future__ import annotations

from contracts.errors import ConfigError

STANDARD_OUTPUT = "-"


def check(sink: str) -> None:
    """Refuse a sink that is neither `-` nor a path.

    Raises:
        ConfigError: for a sink with a scheme that this version does not know.
    """
    scheme, colon, _ = sink.partition(":")
    if not sink or (colon and scheme.isalnum() and "/" not in scheme):
        raise ConfigError(
            f"--note {sink}: expected - (standard output) or the path of a file, found {scheme or 'nothing'!r}"
            + (f" (a file of that name is written ./{sink})" if sink else "")
        )
