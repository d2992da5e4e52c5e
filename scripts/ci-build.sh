#!/usr/bin/env bash
# Builds the executable alone and installs it, for continuous integration: scripts/ci-build.sh FOLDER
set -euo pipefail
[[ $# == 1 ]] || { echo "usage: scripts/ci-build.sh FOLDER" >&2; exit 2; }
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
scripts/setup.sh
cmake -S . -B build/action -DCMAKE_BUILD_TYPE=Release -DPTXSCOPE_TESTS=OFF -DPTXSCOPE_BENCH=OFF -DPTXSCOPE_GUI=OFF \
      -DPTXSCOPE_PYTHON=OFF
cmake --build build/action -j"$(nproc)"
cmake --install build/action --component runtime --prefix "$folder"
