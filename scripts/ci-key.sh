#!/usr/bin/env bash
# A word for this tree and this system, by which a cache keeps what scripts/ci-build.sh makes of them
set -euo pipefail
cd "$(dirname "$0")/.."
system=$(. /etc/os-release 2>/dev/null && echo "${ID:-unknown}-${VERSION_ID:-}") || system=unknown
files=$(find . \( -path ./.git -o -path ./build -o -path './build-*' -o -path ./out -o -path ./.cache -o -name __pycache__ \) \
             -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
echo "$system-$(uname -m)-${files%% *}"
