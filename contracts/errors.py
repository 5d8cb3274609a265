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


class EvidenceError(Exception):
    """The network or the provider did not give an answer.

    `phase` is where it stopped: dns, connect, tls, proxy, write, read.
    """

    def __init__(self, message: str, phase: str) -> None:
        """Keep the phase, by which an operator knows where to look."""
        super().__init__(message)
        self.phase = phase


class LockedError(Exception):
    """Another run has the state; the message says which. Nobody has to act: the next poll comes."""


class SpendRefused(Exception):  # noqa: N818 - nobody is at fault: it is a policy
    """A request was not sent, because nothing proves that it costs nothing."""
