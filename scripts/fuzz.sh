#!/usr/bin/env bash
# Builds the libFuzzer target and runs it for SECONDS (default 60) on one core: scripts/fuzz.sh [SECONDS] [FUZZER OPTIONS]
# FUZZ_TARGET=fuzz_container runs the reader of executables, fat binaries and archives instead of all that reads PTX.
# Seeds: samples/, the goldens, and the small files of the corpus in ../shared (or PTXSCOPE_SHARED) if it is there.
# What was found so far is kept in build/fuzz/corpus, inputs that fail in build/fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
target=${FUZZ_TARGET:-fuzz_ptx}

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --parallel "$(nproc)" --target "$target" >&2

if [[ $target == fuzz_container ]]; then
  mkdir -p build/fuzz/containers build/fuzz/findings
  exec build/fuzz/fuzz_container build/fuzz/containers tests/fuzz/containers -max_total_time="$seconds" -max_len=65536 \
    -timeout=20 -rss_limit_mb=4096 -malloc_limit_mb=2048 -artifact_prefix=build/fuzz/findings/ -print_final_stats=1 "$@"
fi

shared=${PTXSCOPE_SHARED:-../shared}
seeds=build/fuzz/seeds
mkdir -p "$seeds" build/fuzz/corpus build/fuzz/findings
folders=(samples tests/golden)
for folder in "$shared/corpus" "$shared/traps"; do
  if [[ -d $folder ]]; then folders+=("$folder"); else echo "fuzz: $folder is not there; going without its seeds" >&2; fi
done
while IFS= read -r -d '' file; do
  cp -n "$file" "$seeds/$(sha256sum "$file" | cut -c1-16)"
done < <(find "${folders[@]}" -name '*.ptx' -size -12k -print0)

exec build/fuzz/fuzz_ptx build/fuzz/corpus "$seeds" -dict=tests/fuzz/ptx.dict -max_total_time="$seconds" -max_len=12288 \
  -timeout=20 -rss_limit_mb=4096 -malloc_limit_mb=2048 -artifact_prefix=build/fuzz/findings/ -print_final_stats=1 "$@"
