#!/usr/bin/env bash
# Build the wheel, install it into an empty virtual environment outside the repository without development
# dependencies, and use it there as a user would.
# usage: wheel.sh PYTHON      (the one of the development environment)
set -euo pipefail
readonly python=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root
away=$(mktemp -d)
readonly away
trap 'rm -rf "$away"' EXIT
unset PYTHONPATH

"$python" -m hatchling build -t wheel -d "$away/dist" >"$away/build.log" 2>&1 || { cat "$away/build.log" >&2; exit 1; }
"$python" -m venv "$away/venv"
pip=("$away/venv/bin/python" -m pip --disable-pip-version-check -qq)
"${pip[@]}" install --require-hashes -r "$root/requirements.txt"
"${pip[@]}" install --no-deps "$away"/dist/*.whl
"${pip[@]}" check

mkdir "$away/elsewhere"
cp -r "$root/providers.yaml" "$root/cassettes" "$away/elsewhere/"
cd "$away/elsewhere"
"$away/venv/bin/contracts" --help >/dev/null
"$away/venv/bin/python" -m contracts_cli --version
"$away/venv/bin/contracts" explain sse.charset >/dev/null
status=0
"$away/venv/bin/contracts" check --replay --quiet || status=$?
# openrouter's cassette declares no charset, so a contract is violated.
[[ $status -eq 1 ]] || { echo "the replay exited with $status, expected 1" >&2; exit 1; }
"$away/venv/bin/python" - "$away" <<'PYTHON'
import sys
from importlib.metadata import files
from pathlib import PurePath

import contracts
import contracts_cli

for package in (contracts, contracts_cli):
    assert package.__file__.startswith(sys.argv[1]), f"{package.__file__} is not the installed one"
tops = {PurePath(file).parts[0] for file in files("provider-contracts")}
assert {top for top in tops if not top.endswith(".dist-info")} <= {"contracts", "contracts_cli", ".."}, tops
names = {str(file) for file in files("provider-contracts")}
library = "contracts/library"
assert {"contracts/py.typed", f"{library}/contracts/sse.charset.yaml", f"{library}/templates/report.html"} <= names
PYTHON
echo "wheel: built, installed into an empty environment, and a replay judged there"
