"""The commands that show what earlier runs remembered; they are declared apart, as the table of commands is long."""

from __future__ import annotations

from contracts_cli.command import Command, Option, Positional
from contracts_cli.shared_options import CONFIG, FORMAT, STATE

PROVIDERS = Positional(
    name="providers",
    metavar="[PROVIDER]...",
    help="All that were ever polled when none is named.",
    completes="provider",
)
POLLS = Option(
    name="polls",
    flags=("--polls",),
    kind="whole",
    metavar="N",
    help="How many polls are shown, the newest last; else as many as fit, in a pipe and on a page 120.",
)

HISTORY = Command(
    name="history",
    help="Show what each contract came to, poll by poll, as the state of earlier runs has it.",
    positional=PROVIDERS,
    options=(
        POLLS,
        Option(
            name="contracts",
            flags=("--contract",),
            metavar="ID",
            many=True,
            completes="contract",
            help="Show only this contract; may be repeated.",
        ),
        Option(
            name="models",
            flags=("--model",),
            metavar="ID",
            many=True,
            completes="model",
            help="Show only this model's contracts; may be repeated.",
        ),
        Option(
            name="changed",
            flags=("--changed",),
            kind="flag",
            help="Leave out what was in order at every poll shown.",
        ),
        Option(
            name="prune",
            flags=("--prune",),
            metavar="AGE",
            help="Drop what is older than this, such as 90d, 12h or 8w, say how much that was, and show nothing.",
        ),
        FORMAT,
        STATE,
    ),
)
REPORT = Command(
    name="report",
    help="Write one page about all providers: states, changes and timelines, readable offline.",
    positional=PROVIDERS,
    options=(
        Option(
            name="html",
            flags=("--html",),
            metavar="FILE",
            help="Where the page goes, whole or not at all; - is standard output.",
        ),
        POLLS,
        CONFIG,
        STATE,
    ),
)
