"""Write the generated parts of README.md and docs/, or with --check say which are out of step.

A part stands between `<!-- KIND: … -->` and `<!-- end -->`:

- `run: COMMAND` shows what a command prints, and its exit status where that is not 0.
- `session: COMMAND ; COMMAND` shows several, run in an empty folder beside a real `contracts fake … &`, which
  `kill -INT %1` ends. `@` before a command runs it unseen. The folder lasts to the end of the document.
- `table: NAME` and `text: NAME` are made from the YAML or the code, by `doc_tables`, `oracle_tables` and
  `relay_tables`.

What differs from run to run is replaced: durations, instants, the folder, and the port, which is shown as 8000.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable

import contracts
from tools import doc_tables, oracle_tables, relay_tables

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PART = re.compile(r"(<!-- (run|session|table|text): (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
COLUMNS = "100"  # as wide as a code block of a README is read without scrolling
PORT = "8000"  # what the reader sees in the place of whatever port was free
PATH = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
LIMIT_S = 60  # for one command
TABLES = {**doc_tables.TABLES, **oracle_tables.TABLES, **relay_tables.TABLES}
TEXTS = {**doc_tables.TEXTS, **oracle_tables.TEXTS}


class Session:
    """A folder of its own in which commands run, and the provider that they ask."""

    def __init__(self, folder: str) -> None:
        """Begin in an empty folder."""
        self._home = os.path.realpath(folder)
        # Nothing of the user's own: no key, no proxy, no state, no locale.
        self._environ = {"PATH": PATH, "HOME": self._home, "COLUMNS": COLUMNS, "NO_COLOR": "1", "PYTHONUTF8": "1"}
        self._provider: subprocess.Popen[str] | None = None
        self._port = "0"

    def show(self, commands: str) -> str:
        """A code block with commands, what they print and how each ends."""
        folder = os.path.join(self._home, "project")
        os.makedirs(folder, exist_ok=True)
        told = []
        for command in commands.split(" ; "):
            unseen, plain = command.startswith("@"), command.removeprefix("@")
            printed, status = self._do(plain, folder)
            if unseen and status:
                raise RuntimeError(f"{plain}: exit status {status}\n{printed}")
            told += [] if unseen else [shown(plain, self._stable(printed), status)]
        return block("\n".join(told))

    def run(self, command: str, folder: str) -> tuple[str, int]:
        """What a command prints, standard output first, and its exit status."""
        done = subprocess.run(
            shlex.split(command), cwd=folder, env=self._environ, check=False, capture_output=True, text=True,
            encoding="utf-8", timeout=LIMIT_S,
        )  # fmt: skip
        return done.stdout + done.stderr, done.returncode

    def close(self) -> None:
        """End a provider that was left running."""
        if self._provider is not None:
            self._end(self._provider)

    def _do(self, command: str, folder: str) -> tuple[str, int]:
        if command.endswith(" &"):
            return self._begin(command.removesuffix(" &").replace(PORT, "0")), 0
        if command == "kill -INT %1" and self._provider is not None:
            return self._end(self._provider), 0
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            self._environ[name] = value
            return "", 0
        return self.run(command.replace(PORT, self._port), folder)

    def _begin(self, command: str) -> str:
        self._provider = subprocess.Popen(
            shlex.split(command), cwd=self._home, env=self._environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, encoding="utf-8",
        )  # fmt: skip
        assert self._provider.stdout is not None  # noqa: S101 - it is a pipe
        url = self._provider.stdout.readline()
        self._port = re.findall(r":(\d+)", url)[0]
        return url

    def _end(self, provider: subprocess.Popen[str]) -> str:
        provider.send_signal(signal.SIGINT)
        _, said = provider.communicate(timeout=LIMIT_S)
        self._provider = None
        return said

    def _stable(self, printed: str) -> str:
        folder = os.path.join(self._home, "project") + os.sep
        printed = printed.replace(folder, "").replace(self._home, "~")
        # Kept evidence may name the port of an earlier provider. Nothing else here is on loopback.
        return re.sub(r"\b127\.0\.0\.1:\d+", f"127.0.0.1:{PORT}", printed)


def generated(text: str) -> str:
    """The text with every generated part made anew."""
    with tempfile.TemporaryDirectory(prefix="contracts-docs-") as folder:
        session = Session(folder)
        makers: dict[str, Callable[[str], str]] = {
            "run": lambda command: run(session, command),
            "session": session.show,
            "table": lambda name: doc_tables.table(TABLES[name]()),
            "text": lambda name: TEXTS[name](),
        }
        try:
            return PART.sub(lambda match: match[1] + makers[match[2]](match[3]) + match[4], text)
        finally:
            session.close()


def run(session: Session, command: str) -> str:
    """A code block with a command that runs in the project's root; `| head -N` shows its first lines."""
    plain, _, first = command.partition(" | head -")
    printed, status = session.run(plain, ROOT)
    if first:
        printed, status = "\n".join(printed.splitlines()[: int(first)]), 0
    return block(shown(command, printed, status))


def shown(command: str, printed: str, status: int) -> str:
    """A command, what it printed and how it ended."""
    # How long a run took and when it was differs from run to run.
    text = re.sub(r"\b\d+ ms$", "… ms", printed.strip("\n"), flags=re.MULTILINE)
    text = re.sub(r"\bsince \d{4}-\d\d-\d\d \d\d:\d\dZ", "since …", text)
    if command.startswith("contracts history"):
        text = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\dZ)?", "…", text)
    return "\n".join(filter(None, (f"$ {command}", text, f"(exit status {status})" if status else "")))


def block(text: str) -> str:
    """A code block."""
    return f"```console\n{text}\n```\n"


def lines(text: str) -> list[str]:
    """The lines with their ends."""
    return text.splitlines(keepends=True)


def documents() -> list[str]:
    """README.md and what is in docs/, as paths from the root."""
    folder = os.path.join(ROOT, "docs")
    return ["README.md", *(f"docs/{name}" for name in sorted(os.listdir(folder)) if name.endswith(".md"))]


def main(argv: list[str]) -> int:
    """Write the documents or check them."""
    # Where this runs in the background interrupts are ignored, and what it starts would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    stale = []
    for name in documents():
        path = os.path.join(ROOT, name)
        with open(path, encoding="utf-8") as file:
            old = file.read()
        new = generated(old)
        if old == new:
            continue
        stale.append(name)
        if argv == ["--check"]:
            sys.stdout.writelines(difflib.unified_diff(lines(old), lines(new), name, "generated"))
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    if argv == ["--check"]:
        print("".join(f"{name} is out of step: make docs\n" for name in stale), end="")
        return int(bool(stale))
    print(f"documentation of {contracts.__version__}: {', '.join(stale) or 'nothing'} rewritten")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
