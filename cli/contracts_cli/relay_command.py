"""The command `relay-check`, declared apart, as the table of commands is long."""

from __future__ import annotations

from contracts_cli.command import Command, Option, Positional
from contracts_cli.shared_options import FORMAT, VERBOSE

RELAY_CHECK = Command(
    name="relay-check",
    help="Hold a router or gateway to byte-exact forwarding, with the hostile provider as its upstream.",
    positional=Positional(
        name="url",
        metavar="URL",
        help="The base URL of the relay's API, such as http://127.0.0.1:4000/v1.",
        many=False,
        required=True,
    ),
    options=(
        Option(
            name="listen",
            flags=("--listen",),
            metavar="HOST:PORT",
            help="Where the provider listens, which has to be the relay's upstream; 127.0.0.1:8977 if not said.",
        ),
        Option(
            name="key",
            flags=("--key",),
            metavar="VARIABLE",
            help="The variable that holds the key for the relay; none is sent if not said.",
        ),
        Option(
            name="model",
            flags=("--model",),
            metavar="ID",
            help="The model that the relay is asked for; loopback/libre if not said. The provider answers for any.",
        ),
        Option(
            name="dialect",
            flags=("--dialect",),
            metavar="DIALECT",
            help="The wire API before and behind the relay; else openai-chat.",
        ),
        Option(
            name="scenarios",
            flags=("--scenario",),
            metavar="SCENARIO",
            many=True,
            completes="scenario",
            help="Try only this; `whole:` before it asks for no stream, `long:` with a long text; may be repeated.",
        ),
        Option(
            name="timeout_s",
            flags=("--timeout",),
            kind="seconds",
            metavar="TIME",
            help="Limit for each scenario, such as 20s (the default), 500ms or 2m.",
        ),
        FORMAT,
        VERBOSE,
    ),
)
