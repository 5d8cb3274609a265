"""The repository that a providers file lies in: git, called with fixed arguments and no shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from contracts.errors import ConfigError
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TIMEOUT_S = 60.0  # a repository of a million files is listed in a few seconds
USUAL = ("refs/remotes/origin/main", "refs/heads/main")
# What may name a commit: no option, no path, no range, nothing that git would read as a pattern.
_REF = re.compile(r"(?!-)(?!.*\.\.)[^\x00-\x20\x7f:?*\[\\]{1,255}")
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Repository:
    """A checkout. `top` is the real path of its root folder."""

    def __init__(self, folder: str) -> None:
        """Find the repository that a folder lies in.

        Raises:
            ConfigError: where there is none, or no git.
        """
        self.top = folder
        self.top = os.path.realpath(self._text("rev-parse", "--show-toplevel"))

    def base(self, ref: str | None) -> tuple[str, str]:
        """Give the id of the commit at which this checkout left a branch, and the branch's name.

        Raises:
            ConfigError: for what names no commit, and where the two have none in common.
        """
        if ref is not None:
            return self._left(ref), ref
        found = next((name for name in USUAL if self._commit(name) is not None), None)
        if found is None:
            raise ConfigError("expected a branch origin/main or main to compare with, found none; name one with --base")
        return self._left(found), found.removeprefix("refs/remotes/").removeprefix("refs/heads/")

    def relative(self, path: str) -> str | None:
        """Give a path as git has it, with slashes from the root on; None where it leads out of the repository."""
        inside = os.path.relpath(os.path.realpath(path), self.top)
        return None if inside.split(os.sep)[0] == os.pardir else inside.replace(os.sep, "/")

    def files(self, commit: str, folder: str) -> list[str]:
        """List the files that a commit has below a folder, by paths from the root on."""
        listed = self._bytes("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", folder)
        return [os.fsdecode(name) for name in listed.split(b"\0") if name]

    def changed(self, commit: str, folder: str) -> list[str]:
        """List the files below a folder that are here and differ from a commit, by paths from the root on."""
        options = ("--name-only", "--no-ext-diff", "--no-renames", "--diff-filter=d", "-z")
        altered = self._bytes("diff", *options, commit, "--", folder)
        new = self._bytes("ls-files", "--others", "--exclude-standard", "-z", "--", folder)
        return sorted({os.fsdecode(name) for name in (altered + new).split(b"\0") if name})

    def contents(self, commit: str, paths: Iterable[str]) -> dict[str, bytes]:
        """Give the files that a commit has among some paths."""
        wanted = [path for path in paths if "\n" not in path]
        asked = b"".join(os.fsencode(f"{commit}:{path}\n") for path in wanted)
        given = self._bytes("cat-file", "--batch", data=asked) if wanted else b""
        found: dict[str, bytes] = {}
        at = 0
        for path in wanted:
            end = given.index(b"\n", at)
            head, at = given[at:end].split(b" "), end + 1
            if head[-1] == b"missing":
                continue
            size = int(head[-1])
            if head[-2] == b"blob":
                found[path] = given[at : at + size]
            at += size + 1
        return found

    def _left(self, ref: str) -> str:
        if not _REF.fullmatch(ref):
            raise ConfigError(f"--base: expected a branch, a tag or a commit, found '{scrub(ref, 80)}'")
        commit = self._commit(ref)
        if commit is None:
            raise ConfigError(f"--base: expected a branch, a tag or a commit of this repository, found '{ref}'")
        done = self._run(("merge-base", commit, "HEAD"), b"")
        left = done.stdout.decode().strip()
        if done.returncode or not _ID.fullmatch(left):
            raise ConfigError(
                f"--base: expected '{scrub(ref, 80)}' and HEAD to have a commit in common, found none "
                "(a shallow checkout has to be deepened: `fetch-depth: 0`)"
            )
        return left

    def _commit(self, ref: str) -> str | None:
        done = self._run(("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"), b"")
        said = done.stdout.decode().strip()
        return said if done.returncode == 0 and _ID.fullmatch(said) else None

    def _text(self, *arguments: str) -> str:
        return os.fsdecode(self._bytes(*arguments)).rstrip("\n")

    def _bytes(self, *arguments: str, data: bytes = b"") -> bytes:
        done = self._run(arguments, data)
        if done.returncode:
            said = scrub(done.stderr.decode("utf-8", "replace").strip(), 300)
            raise ConfigError(f"{self.top}: expected a git repository that can be read, found: {said}")
        return done.stdout

    def _run(self, arguments: Sequence[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
        program = shutil.which("git")
        if program is None:
            raise ConfigError("expected git, which tells what a change is, found none in PATH")
        command = [program, "--no-optional-locks", "--literal-pathspecs", "-C", self.top, *arguments]
        try:
            return subprocess.run(  # noqa: S603 - no shell; the arguments are ours, but for a ref that was looked at
                command, input=data, capture_output=True, check=False, timeout=TIMEOUT_S, env=_environment()
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ConfigError(f"{self.top}: expected git to answer, found: {scrub(str(error), 200)}") from error


def _environment() -> dict[str, str]:
    """Leave out what a hook of git sets, which may speak of another repository; what configures git stays."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith("GIT_") or n.startswith("GIT_CONFIG")}
    return {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
