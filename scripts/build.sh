#!/usr/bin/env bash
# Installs what is missing, configures a preset and builds it: scripts/build.sh PRESET [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
scripts/setup.sh
if [[ ! -e build/$preset/CMakeCache.txt ]] && command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
targets=()
if (($# > 0)); then targets=(--target "$@"); fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
echo "building the preset $preset; the first time takes some minutes" >&2
cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}" >&2
