#!/usr/bin/env bash
# Sets up, builds, and runs the tests: scripts/test.sh [PRESET], by default the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
scripts/build.sh "$preset"
ctest --test-dir "build/$preset" --parallel "$(nproc)" --output-on-failure --no-tests=error
