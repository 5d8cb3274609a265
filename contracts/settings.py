"""What a run was asked to do: one frozen record for each command that judges.

The command line fills them from options and `CONTRACTS_*` variables; a caller in Python fills them
by hand. Field names are the options' names.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

FailOn = Literal["violation", "warning", "unknown", "never"]

DEFAULT_DIALECT = "openai-chat"


class Shared(Struct, frozen=True, kw_only=True):
    """What `check` and `inspect` have in common.

    Attributes:
        config: the providers file, or None to look for it in the usual places.
        contracts: judge only these ids; empty means all.
        exclude: do not judge these ids.
        models: judge only these model ids; empty means all that the router allows.
        fail_on: what makes the exit status other than 0. `violation`: a violated error (1). `unknown`, the
            usual rule: also something required that could not be judged (3). `warning`: both, and a violated
            warning too (1). `never`: nothing that was judged.
        format: what goes to standard output: `text`, or a name of `contracts.sinks.formats`.
        outputs: `FORMAT=FILE`, each written whole or not at all.
        notes: note sinks (`contracts.sinks.notes`); `-` is standard output, a path is a file of JSON Lines.
        jobs: providers asked at once; 0 lets the program choose.
        quiet: verdict lines only.
        verbose: everything, also what holds.
    """

    config: str | None = None
    contracts: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    fail_on: FailOn = "unknown"
    format: str = "text"
    outputs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    jobs: int = 0
    quiet: bool = False
    verbose: bool = False


class Settings(Shared, frozen=True, kw_only=True):
    """What `contracts check` was asked to do.

    Attributes:
        providers: names of rows; empty means all.
        replay: the folder of cassettes, `""` for `cassettes` beside the providers file, None for no replay.
        timeout_s: limit for the whole run, in seconds; what was not reached by then is unknown.
        retries: further attempts where no connection could be made; an answer, whatever it is, is not asked for again.
        state: the file that holds what earlier runs saw; None remembers nothing.
        wait_s: how long to wait for another run with this state to end, in seconds; 0 does not wait.
        every_s: the interval in which a provider is asked once for all runs with this state, in seconds; the others
            take the answer. None: 600 where the state is in PostgreSQL; of a file, each run asks.
        fresh: ask, whatever another run came to.
        observed: a file of what a router's taps saw (`contracts.observations`); None where there is none.
        strict_waivers: a waiver that matched nothing makes the exit status 1.
        force_notes: rows and webhooks get notes also of what was judged from captures.
        write_waivers: standard output gets rows that would waive what is violated, instead of the report.
    """

    providers: tuple[str, ...] = ()
    replay: str | None = None
    timeout_s: float = 20.0
    retries: int = 0
    state: str | None = None
    wait_s: float = 0.0
    every_s: float | None = None
    fresh: bool = False
    observed: str | None = None
    strict_waivers: bool = False
    force_notes: bool = False
    write_waivers: bool = False


class InspectSettings(Shared, frozen=True, kw_only=True):
    """What `contracts inspect` was asked to do.

    Attributes:
        files: captures, each read by its ending and content.
        dialect: None takes the provider's, else the one whose chat endpoint was asked, or whose answer it is where
            nothing is known of the request, else `openai-chat`.
        provider: judge by this row's parameters; None applies the dialect's rules and no row.
        request: a JSON file with `method`, `path` and `body`: what was asked.
        listing: a captured listing to resolve model ids against (`--models FILE`).
    """

    files: tuple[str, ...] = ()
    dialect: str | None = None
    provider: str | None = None
    request: str | None = None
    listing: str | None = None
