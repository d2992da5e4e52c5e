#!/bin/sh
# The GPU tests, in one call: PTXSCOPE names the executable, PTXSCOPE_GPU_OUT the folder for results. Arguments go to pytest;
# PTXSCOPE_GPU_TESTS names some of the files.
cd "$(dirname "$0")/../.." || exit 2
: "${PTXSCOPE:=build/ptxscope}"
PTXSCOPE=$(realpath "$PTXSCOPE") || exit 2
export PTXSCOPE
exec python3 -m pytest ${PTXSCOPE_GPU_TESTS:-tests/gpu} -q -rs -p no:cacheprovider --durations=15 "$@"
