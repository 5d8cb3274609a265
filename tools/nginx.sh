#!/usr/bin/env bash
# The reverse proxy on which relay-check is tried, for machines that may install it; elsewhere those tests are skipped
# and say so. Debian starts it as a service where there is an init; the tests run one of their own on a free port.
set -euo pipefail
if ! PATH="$PATH:/usr/sbin" command -v nginx >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends nginx-light >/dev/null
fi
