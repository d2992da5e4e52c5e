#!/usr/bin/env bash
# Sets up, builds, and explains the traps of a sample.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release ptxscope
echo '$ ptxscope explain-trap samples/vecadd/vecadd.ptx'
build/release/ptxscope explain-trap samples/vecadd/vecadd.ptx
