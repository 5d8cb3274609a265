#!/usr/bin/env bash
# The browser in which the page of `contracts report` is looked at, for machines that may install it; elsewhere those
# tests are skipped and say so.
set -euo pipefail
if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium >/dev/null
fi
