"""The command `degraded`, declared apart, as the table of commands is long."""

from __future__ import annotations

from contracts_cli.command import Command, Option
from contracts_cli.shared_options import FORMAT, VERBOSE

DEGRADED = Command(
    name="degraded",
    help="Warn of output that real traffic showed to be mangled, empty or looping, and say whose it is.",
    options=(
        Option(
            name="verifications",
            flags=("--verifications",),
            metavar="URL",
            help="The router's table: sqlite:///FILE?table=…&provider=…&model=… or postgresql://…; verifications, "
            "provider and model if not said.",
        ),
        Option(
            name="observed",
            flags=("--observed",),
            metavar="FILE",
            help="What taps wrote down, where no table is named; nothing is remembered of earlier decisions.",
        ),
        Option(
            name="window_s",
            flags=("--window",),
            kind="seconds",
            metavar="TIME",
            help="How far back rates of models are compared, such as 60m (the default) or 1440m.",
        ),
        Option(
            name="familiar_at",
            flags=("--familiar-at",),
            kind="whole",
            metavar="N",
            help="At how many sightings in a day a signature trips that was there the day before; else 20. A new one "
            "trips at the second.",
        ),
        Option(
            name="min_calls",
            flags=("--min-calls",),
            kind="whole",
            metavar="N",
            help="Judged calls of a model below which its rate is not worth a word; else 20.",
        ),
        Option(
            name="apply",
            flags=("--apply",),
            kind="flag",
            help="Write what was decided into the table, for the router to obey; else nothing is tripped.",
        ),
        Option(
            name="format",
            flags=FORMAT.flags,
            kind="choice",
            choices=("text", "json", "prometheus"),
            help=FORMAT.help,
        ),
        Option(
            name="outputs",
            flags=("-o", "--output"),
            metavar="FORMAT=FILE",
            many=True,
            help="Write it to a file too, or to a folder in the format prometheus; may be repeated.",
        ),
        Option(
            name="notes",
            flags=("--note",),
            metavar="SINK",
            many=True,
            help="Where each provider's note goes, as for check; a column of its own, as check clears what is not its.",
        ),
        Option(
            name="fail_on",
            flags=("--fail-on",),
            kind="choice",
            choices=("violation", "warning", "unknown", "never"),
            help="unknown (the default): exit 3 where nothing could be judged. warning: also 1 on a warning. "
            "violation and never: 0.",
        ),
        VERBOSE,
    ),
)
