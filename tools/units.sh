#!/usr/bin/env bash
# What verifies the units in deploy/systemd, for machines that may install it; elsewhere those tests are skipped and say so.
set -euo pipefail
if ! command -v systemd-analyze >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends systemd >/dev/null
fi
