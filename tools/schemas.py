"""Write the JSON Schemas of what this program prints, from the records that it is printed from."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from contracts import model, observations, report
from contracts.canary import told as canary
from contracts.config import schemas as written
from contracts.degraded import told
from contracts.relay import told as relay_told
from contracts_cli.commands import explain, history, lint
from contracts_cli.commands import list as list_

FOLDER = os.path.join(os.path.dirname(report.__file__), "library", "schemas")

PRINTED: dict[str, type] = {
    "report": report.Report,
    "finding": model.Finding,
    "note": report.Note,
    "list": list_.Lists,
    "explain": explain.Explanation,
    "lint": lint.Problems,
    "history": history.History,
    "degraded": told.Degraded,
    "canary": canary.Told,
    "relay-check": relay_told.Checked,
    "observation": observations.Observation,
}


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of output: every member is always there, and there is no other."""
    for definition in schema["$defs"].values():
        if definition.get("type") == "object" and "properties" in definition:
            for member in definition["properties"].values():
                member.pop("default", None)
            definition["required"] = list(definition["properties"])
            definition["additionalProperties"] = False
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def render(kind: type) -> bytes:
    """The schema of a record, as it is published."""
    schema = closed(msgspec.json.schema(kind))
    version = next((f.default for f in msgspec.structs.fields(kind) if f.name == "schema"), None)
    if version is not None:
        schema["$defs"][kind.__name__]["properties"]["schema"] = {"const": version}
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def main() -> None:
    """Write every schema: those of the files that people write, and those of what is printed."""
    written.main()
    for name, kind in PRINTED.items():
        with open(os.path.join(FOLDER, f"{name}.json"), "wb") as file:
            file.write(render(kind))
        print(f"wrote {name}.json")


if __name__ == "__main__":
    main()
