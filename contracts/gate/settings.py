"""What `contracts gate` was asked to do."""

from __future__ import annotations

from contracts.settings import Settings


class GateSettings(Settings, frozen=True, kw_only=True):
    """A check of the rows that a change adds or alters; `providers`, `state` and `notes` are not used.

    Attributes:
        base: the branch, tag or commit that the change is meant for; None looks for `origin/main`, then `main`. What is
            compared is the working tree with the point where it left that branch.
        replay: None asks the providers, and takes from cassettes what no free question shows; a folder of cassettes, or
            `""` for `cassettes` beside the providers file, asks nobody.
        trust_recorded: let what a contributor recorded satisfy what a free question to the provider could show.
        trust_keys: `VARIABLE=URL`: a key may be sent to a host to which no row of the base sends it.
    """

    base: str | None = None
    trust_recorded: bool = False
    trust_keys: tuple[str, ...] = ()
