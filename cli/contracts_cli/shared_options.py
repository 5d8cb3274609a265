"""Options that several commands have, each declared once."""

from __future__ import annotations

from contracts_cli.command import Option, Positional


def _formats() -> tuple[str, ...]:
    from contracts.sinks import formats

    return formats.names()


ONE_PROVIDER = Positional(
    name="provider",
    metavar="PROVIDER",
    help="A row of the providers file.",
    many=False,
    required=True,
    completes="provider",
)
CONFIG = Option(
    name="config",
    flags=("--config",),
    metavar="FILE",
    help="The providers file; else $CONTRACTS_CONFIG, providers.yaml upward, $XDG_CONFIG_HOME and /etc/contracts.",
)
FORMAT = Option(
    name="format",
    flags=("-f", "--format"),
    kind="choice",
    choices=("text", "json"),
    help="What goes to standard output; text if not said.",
)
REPORT_FORMAT = Option(
    name="format",
    flags=FORMAT.flags,
    kind="choice",
    choices=FORMAT.choices,
    more_choices=_formats,
    help=FORMAT.help,
)
STATE = Option(
    name="state",
    flags=("--state",),
    metavar="PATH",
    help="The file, or the address postgresql://…, that holds what earlier runs saw; none for none; else a file below "
    "$STATE_DIRECTORY or $XDG_STATE_HOME/contracts.",
)
OBSERVED = Option(
    name="observed",
    flags=("--observed",),
    metavar="FILE",
    help="What a router's taps wrote down: evidence at no traffic; a provider that it shows is asked for no chat.",
)
EVERY = Option(
    name="every_s",
    flags=("--every",),
    kind="seconds",
    metavar="TIME",
    help="Ask a provider once in this time for all runs with this state, which take the answer; 10m where that is in "
    "PostgreSQL, and of a file each run asks.",
)
FRESH = Option(
    name="fresh",
    flags=("--fresh",),
    kind="flag",
    help="Ask, also where another run with this state has just done so.",
)
TIMEOUT = Option(
    name="timeout_s",
    flags=("--timeout",),
    kind="seconds",
    metavar="TIME",
    help="Limit for the whole run, such as 20s (the default), 500ms or 2m; what is not reached is unknown.",
)
RETRIES = Option(
    name="retries",
    flags=("--retries",),
    kind="whole",
    metavar="N",
    help="Further attempts where no connection can be made; none by default.",
)
WAIT = Option(
    name="wait_s",
    flags=("--wait",),
    kind="seconds",
    metavar="[=TIME]",
    bare="10m",
    help="Wait for another run with this state to end, 10 minutes unless said; else this one exits 3.",
)
VERBOSE = Option(name="verbose", flags=("-v", "--verbose"), kind="flag", help="Show everything, also what holds.")

JUDGING = (
    CONFIG,
    Option(
        name="contracts",
        flags=("--contract",),
        metavar="ID",
        many=True,
        completes="contract",
        help="Judge only this contract; may be repeated.",
    ),
    Option(
        name="exclude",
        flags=("--exclude",),
        metavar="ID",
        many=True,
        completes="contract",
        help="Do not judge this contract; may be repeated.",
    ),
    Option(
        name="models",
        flags=("--model",),
        metavar="ID",
        many=True,
        completes="model",
        help="Judge only this model; may be repeated.",
    ),
    REPORT_FORMAT,
    Option(
        name="outputs",
        flags=("-o", "--output"),
        metavar="FORMAT=FILE",
        many=True,
        help="Write the report to a file too, whole or not at all, or to a folder in the format prometheus; "
        "may be repeated.",
    ),
    Option(
        name="notes",
        flags=("--note",),
        metavar="SINK",
        many=True,
        help="Where each provider's note goes: - is standard output, a path a file of JSON Lines, "
        "sqlite:///FILE?table=…&key=…&note=… its row in a database, as postgresql://USER@HOST/DATABASE?… is, "
        "https://HOST/PATH?secret=VARIABLE a webhook.",
    ),
    Option(
        name="fail_on",
        flags=("--fail-on",),
        kind="choice",
        choices=("violation", "warning", "unknown", "never"),
        help="violation: exit 1 on a violated error. unknown (the default): also 3 on what could not be judged. "
        "warning: also 1 on a violated warning. never: 0.",
    ),
    Option(
        name="jobs",
        flags=("-j", "--jobs"),
        kind="whole",
        metavar="N",
        help="How many providers are asked at once; 64 if not said.",
    ),
    Option(name="quiet", flags=("-q", "--quiet"), kind="flag", help="Only the verdicts."),
    VERBOSE,
)
