"""Errors that say who must act. Whatever is none of these is a fault of this program."""

from __future__ import annotations


class ConfigError(Exception):
    """A YAML file, an option or an id that the user has to put right.

    `problems` holds one line each, `file:line:column: expected …, found …` where a place is known.
    """

    def __init__(self, *problems: str) -> None:
        """Keep every problem, so that one run shows them all."""
        super().__init__("\n".join(problems))
        self.problems = problems


class CaptureError(Exception):
    """A capture that cannot be read; the message begins with `file:` or `file:line:`."""
