#!/usr/bin/env bash
# Judge the shipped cassettes as a first user would, and hold the exit status against the documented one.
# usage: try.sh CONTRACTS
set -euo pipefail
readonly contracts=$1
# sse.charset is violated for openrouter: its streams declare no charset, and the cassette plays one of them.
readonly documented=1

echo "$ contracts check openrouter neuralwatt --replay --note -"
status=0
"$contracts" check openrouter neuralwatt --replay --note - || status=$?
echo "exit status $status"
if [[ $status -ne $documented ]]; then
    echo "expected $documented: a contract is violated" >&2
    exit 1
fi
echo "as documented: 1 means that a contract is violated (see README.md)"
