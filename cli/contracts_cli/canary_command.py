"""The command `canary`, declared apart, as the table of commands is long."""

from __future__ import annotations

from contracts_cli.command import Command, Option
from contracts_cli.shared_options import CONFIG, FORMAT, ONE_PROVIDER, STATE, VERBOSE

CANARY = Command(
    name="canary",
    help="Ask a provider's models for an echo of a line that wires break, and say what broke it; free unless paid for.",
    positional=ONE_PROVIDER,
    options=(
        CONFIG,
        Option(
            name="models",
            flags=("--model",),
            metavar="ID",
            many=True,
            completes="model",
            help="Ask only this model; may be repeated.",
        ),
        Option(
            name="max_spend",
            flags=("--max-spend",),
            metavar="USD",
            help="What this run may cost at most; 0 if not said, which asks only models that cost nothing.",
        ),
        Option(
            name="budget_per_day",
            flags=("--budget-per-day",),
            metavar="USD",
            help="What all canaries with this state may cost on a day (UTC), whoever sends them.",
        ),
        Option(
            name="at_most",
            flags=("--at-most",),
            kind="whole",
            metavar="N",
            help="Ask so many models in this run, those whose canary is the oldest; all if not said.",
        ),
        Option(
            name="prices",
            flags=("--price",),
            metavar="MODEL=IN/OUT",
            many=True,
            help="What a model costs in USD for a million tokens, where the listing does not say; may be repeated.",
        ),
        Option(
            name="dry_run",
            flags=("--dry-run",),
            kind="flag",
            help="Show what would be asked and the highest cost, and ask for the listing alone.",
        ),
        FORMAT,
        Option(
            name="notes",
            flags=("--note",),
            metavar="SINK",
            many=True,
            help="Where the provider's note goes, as for check; a column of its own, as check clears what is not its.",
        ),
        Option(
            name="fail_on",
            flags=("--fail-on",),
            kind="choice",
            choices=("violation", "unknown", "never"),
            help="unknown (the default): exit 3 where a model could not be judged. violation: only 1 on damage. "
            "never: 0.",
        ),
        Option(
            name="timeout_s",
            flags=("--timeout",),
            kind="seconds",
            metavar="TIME",
            help="Limit for the whole run, such as 10m (the default); models that are not reached are left.",
        ),
        STATE,
        VERBOSE,
    ),
)
