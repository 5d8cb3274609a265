"""Waivers as YAML to be put into a providers file: what `--write-waivers` prints."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from msgspec import structs

from contracts import waivers
from contracts.model import Finding, Waiver

ABOVE = """\
# Waivers for what is violated on {today}. Say below each row why that is lived with and who answers for it.
# Without `observed` a waiver is for whatever the contract finds.
"""


def render(findings: Iterable[Finding], today: date) -> bytes:
    """The waivers below the rows that they belong to, in UTF-8."""
    import yaml

    rows: dict[str, Any] = {
        name: {"waivers": [_row(w) for w in proposed]} for name, proposed in waivers.propose(findings, today).items()
    }
    if not rows:
        return f"# Nothing is violated on {today}: there is nothing to waive.\n".encode()
    text = yaml.safe_dump({"providers": rows}, sort_keys=False, allow_unicode=True, width=1000)
    if not all(line.isprintable() for line in text.split("\n")):
        # A model id may turn round what stands behind it; as an escape it is seen.
        text = yaml.safe_dump({"providers": rows}, sort_keys=False, allow_unicode=False, width=1000)
    return (ABOVE.format(today=today) + text).encode()


def _row(waiver: Waiver) -> dict[str, Any]:
    members = ("contract", "model", "observed", "because", "owner", "until")
    values = structs.asdict(waiver)
    return {name: values[name] for name in members if values[name] is not None}
