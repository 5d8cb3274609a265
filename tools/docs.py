"""Write the generated parts of README.md, or with --check say which are out of step.

Between `<!-- run: COMMAND -->` and `<!-- end -->` stands what the command prints, and its exit status where that is
not 0. Between `<!-- table: NAME -->` and `<!-- end -->` stands a table made from the YAML or the code.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import contracts
from contracts import checks
from contracts.config import catalogue
from contracts.sinks import formats

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "README.md")
PART = re.compile(r"(<!-- (run|table): (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
COLUMNS = "100"  # as wide as a code block of a README is read without scrolling


def generated(text: str) -> str:
    """The text with every generated part made anew."""
    return PART.sub(lambda match: match[1] + (run if match[2] == "run" else table)(match[3]) + match[4], text)


def run(command: str) -> str:
    """A code block with the command, what it prints and how it ends."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CONTRACTS_")}
    environ.update(
        COLUMNS=COLUMNS, NO_COLOR="1", PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    )
    done = subprocess.run(
        shlex.split(command), cwd=ROOT, env=environ, check=False, capture_output=True, text=True, timeout=60
    )
    shown = (done.stdout + done.stderr).rstrip("\n")
    # How long a run took differs from run to run.
    shown = re.sub(r"\b\d+ ms$", "… ms", shown, flags=re.MULTILINE)
    ended = f"\n(exit status {done.returncode})" if done.returncode else ""
    return f"```console\n$ {command}\n{shown}{ended}\n```\n"


def table(name: str) -> str:
    """A Markdown table."""
    rows = {"contracts": contract_rows, "kinds": kind_rows, "formats": format_rows}[name]()
    head, *body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
    return "\n".join((head, "|" + "---|" * (head.count(" | ") + 1), *body)) + "\n"


def contract_rows() -> Iterator[tuple[str, ...]]:
    """The shipped contracts in order of id."""
    yield "contract", "promise", "scope", "severity"
    for contract in catalogue.load(None).contracts.values():
        yield f"`{contract.id}`", contract.promise, contract.scope.value, contract.severity.value


def kind_rows() -> Iterator[tuple[str, ...]]:
    """The check kinds by name, each with what must hold."""
    yield "check kind", "what must hold"
    for file in sorted(os.listdir(os.path.dirname(checks.__file__))):
        name, ending = os.path.splitext(file)
        if ending == ".py" and not name.startswith("_"):
            module = import_module(f"contracts.checks.{name}")
            if hasattr(module, "Parameters"):
                yield f"`{name}`", (module.__doc__ or "").split("\n", 1)[0]


def format_rows() -> Iterator[tuple[str, ...]]:
    """The formats by name, each with what it is for."""
    yield "format", "what it is"
    for name in formats.names():
        yield f"`{name}`", (formats.load(name).__doc__ or "").split("\n", 1)[0]


def main(argv: list[str]) -> int:
    """Write README.md or check it."""
    with open(README, encoding="utf-8") as file:
        old = file.read()
    new = generated(old)
    if argv == ["--check"]:
        sys.stdout.writelines(
            difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), "README.md", "generated")
        )
        if old != new:
            print("README.md is out of step: make docs")
        return int(old != new)
    with open(README, "w", encoding="utf-8") as file:
        file.write(new)
    print(f"README.md of {contracts.__version__}: {len(PART.findall(new))} generated parts")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
