#!/usr/bin/env bash
# Formats every C++ source by .clang-format; with --check only says which ones differ.
# The result depends on clang-format's version: 14 (Debian 12) is the one that counts.
set -euo pipefail
cd "$(dirname "$0")/.."

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [[ -z $formatter ]]; then
  echo "format: clang-format is not installed (package clang-format)" >&2
  exit 2
fi
if ! "$formatter" --version | grep -q 'version 14\.'; then
  echo "format: $("$formatter" --version) differs from version 14 in details; nothing checked" >&2
  exit 0
fi
mapfile -t sources < <(git ls-files '*.cpp' '*.h')
if [[ ${1:-} == --check ]]; then
  "$formatter" --dry-run --Werror "${sources[@]}"
else
  "$formatter" -i "${sources[@]}"
fi
