"""Every command with its options, declared once: the quick parser and Typer are both made from this table."""

from __future__ import annotations

from contracts_cli.canary_command import CANARY
from contracts_cli.command import Command, Kind, Option, Positional, parse_seconds
from contracts_cli.degraded_command import DEGRADED
from contracts_cli.relay_command import RELAY_CHECK
from contracts_cli.shared_options import (
    CONFIG,
    EVERY,
    FORMAT,
    FRESH,
    JUDGING,
    OBSERVED,
    ONE_PROVIDER,
    RETRIES,
    STATE,
    TIMEOUT,
    WAIT,
)
from contracts_cli.state_commands import HISTORY, REPORT

__all__ = ["COMMANDS", "Command", "Kind", "Option", "Positional", "parse_seconds"]

SCHEMAS = (
    *("providers", "contract"),  # of files
    # of outputs
    *(
        "report",
        "finding",
        "note",
        "list",
        "explain",
        "lint",
        "history",
        "degraded",
        "canary",
        "observation",
        "relay-check",
    ),
)
COMMANDS = {
    command.name: command
    for command in (
        Command(
            name="check",
            help="Judge providers by their contracts; all providers when none is named.",
            positional=Positional(
                name="providers", metavar="[PROVIDER]...", help="Rows of the providers file.", completes="provider"
            ),
            options=(
                *JUDGING,
                Option(
                    name="replay",
                    flags=("--replay",),
                    metavar="[=DIR]",
                    bare="",
                    help="Judge captures instead of the providers: the cassettes in DIR, "
                    "or in `cassettes` beside the providers file.",
                ),
                TIMEOUT,
                RETRIES,
                OBSERVED,
                STATE,
                EVERY,
                FRESH,
                WAIT,
                Option(
                    name="strict_waivers",
                    flags=("--strict-waivers",),
                    kind="flag",
                    help="Exit 1 where a waiver matched nothing although its contract was judged.",
                ),
                Option(
                    name="force_notes",
                    flags=("--force-notes",),
                    kind="flag",
                    help="Bring notes to rows and webhooks also where captures were judged and not the provider.",
                ),
                Option(
                    name="write_waivers",
                    flags=("--write-waivers",),
                    kind="flag",
                    help="Print waivers for what is violated, to be filled in and put into the rows, "
                    "instead of the report.",
                ),
            ),
        ),
        Command(
            name="gate",
            help="Judge the rows that a change adds or alters, for CI: what cannot be judged fails too.",
            options=(
                *(option for option in JUDGING if option.name not in ("models", "notes")),
                Option(
                    name="base",
                    flags=("--base",),
                    metavar="REF",
                    help="The branch that the change is for; else origin/main, then main.",
                ),
                Option(
                    name="replay",
                    flags=("--replay",),
                    metavar="[=DIR]",
                    bare="",
                    help="Ask nobody: judge by the cassettes in DIR, or in `cassettes` beside the providers file.",
                ),
                Option(
                    name="trust_recorded",
                    flags=("--trust-recorded",),
                    kind="flag",
                    help="Let cassettes show what the provider would show for nothing.",
                ),
                Option(
                    name="trust_keys",
                    flags=("--trust-key",),
                    metavar="VARIABLE=URL",
                    many=True,
                    help="Send a key to a host to which no row of the base sends it; may be repeated.",
                ),
                TIMEOUT,
                RETRIES,
            ),
        ),
        Command(
            name="inspect",
            help="Judge captures: `curl -i` dumps (.http), HAR files, vcrpy cassettes.",
            positional=Positional(name="files", metavar="FILE...", help="The captures, - for stdin.", required=True),
            options=(
                *JUDGING,
                Option(
                    name="dialect",
                    flags=("--dialect",),
                    metavar="D",
                    completes="dialect",
                    help="The wire API; else the provider's, or by the path.",
                ),
                Option(
                    name="provider",
                    flags=("--provider",),
                    metavar="P",
                    completes="provider",
                    help="Judge by the rules of this row.",
                ),
                Option(
                    name="request",
                    flags=("--request",),
                    metavar="FILE",
                    help="What was asked: JSON with method, path and body.",
                ),
                Option(
                    name="listing",
                    flags=("--models",),
                    metavar="FILE",
                    help="A captured listing to resolve model ids against.",
                ),
            ),
        ),
        Command(name="list", help="Show the providers and the contracts.", options=(CONFIG, FORMAT)),
        Command(
            name="explain",
            help="Tell what a contract or a check kind promises, why, and where that is written.",
            positional=Positional(
                name="id",
                metavar="ID|KIND",
                help="Such as sse.charset.",
                many=False,
                required=True,
                completes="explained",
            ),
            options=(CONFIG, FORMAT),
        ),
        HISTORY,
        REPORT,
        DEGRADED,
        CANARY,
        RELAY_CHECK,
        Command(
            name="lint",
            help="Check YAML files offline; all that the providers file reaches when none is named.",
            positional=Positional(name="files", metavar="[FILE]...", help="Providers files or contracts."),
            options=(CONFIG, FORMAT),
        ),
        Command(
            name="schema",
            help="Print the JSON Schema of a file format or of what a command prints with -f json.",
            positional=Positional(
                name="name",
                metavar="NAME",
                help=f"{', '.join(SCHEMAS[:2])}; {', '.join(SCHEMAS[2:])}.",
                many=False,
                required=True,
                choices=SCHEMAS,
            ),
        ),
        Command(
            name="fake",
            help="Play a hostile provider on loopback until interrupted; --list shows what it can do.",
            positional=Positional(
                name="scenarios",
                metavar="[SCENARIO]...",
                completes="scenario",
                help="What it does wrong, all at once; `listing:` or `chat:` before one keeps it to such requests.",
            ),
            options=(
                Option(
                    name="port", flags=("--port",), kind="whole", metavar="N", help="Where it listens; else any port."
                ),
                Option(
                    name="tls", flags=("--tls",), kind="flag", help="Serve https, with a certificate made at start."
                ),
                Option(
                    name="by_model",
                    flags=("--model-scenario",),
                    metavar="MODEL=SCENARIO",
                    many=True,
                    help="A scenario for one model only; may be repeated.",
                ),
                Option(
                    name="dialect",
                    flags=("--dialect",),
                    metavar="DIALECT",
                    help="The wire API that it speaks; else openai-chat.",
                ),
                Option(
                    name="interval_s",
                    flags=("--interval",),
                    kind="seconds",
                    metavar="TIME",
                    help="Time between two bytes of whatever is sent slowly; else 1s.",
                ),
                Option(name="listed", flags=("--list",), kind="flag", help="Explain every scenario and exit."),
            ),
        ),
        Command(
            name="record",
            help="Keep a provider's answers as scrubbed vcrpy cassettes; asks only what is free unless given a budget.",
            positional=ONE_PROVIDER,
            options=(
                CONFIG,
                Option(
                    name="folder",
                    flags=("-o", "--cassettes"),
                    metavar="DIR",
                    help="Where the provider's folder is; else `cassettes` beside the providers file.",
                ),
                Option(name="force", flags=("--force",), kind="flag", help="Overwrite cassettes that are there."),
                Option(
                    name="max_spend",
                    flags=("--max-spend",),
                    metavar="USD",
                    help="What chats with the row's models may cost together at most; 0 if not said.",
                ),
                Option(
                    name="timeout_s",
                    flags=("--timeout",),
                    kind="seconds",
                    metavar="TIME",
                    help="Limit for all of it, such as 60s (the default), 500ms or 2m.",
                ),
                STATE,
                WAIT,
            ),
        ),
        Command(
            name="init",
            help="Write a provider's row: from the library, or by asking a host's free endpoints what it is.",
            positional=Positional(
                name="target",
                metavar="NAME|URL",
                completes="shipped",
                help="A row of the library such as openrouter, or a host's URL.",
                many=False,
                required=True,
            ),
            options=(
                Option(
                    name="config",
                    flags=("--config",),
                    metavar="FILE",
                    help="The providers file, made where there is none; else providers.yaml, here or above.",
                ),
                Option(name="name", flags=("--as",), metavar="NAME", help="What the row is called."),
                Option(
                    name="api_key",
                    flags=("--key",),
                    metavar="VARIABLE",
                    help="The variable that holds the key; the key is then sent to the host.",
                ),
                Option(
                    name="timeout_s",
                    flags=("--timeout",),
                    kind="seconds",
                    metavar="TIME",
                    help="Limit for all questions, such as 20s (the default), 500ms or 2m.",
                ),
            ),
        ),
    )
}
