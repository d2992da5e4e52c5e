#!/usr/bin/env bash
# Checks PTX files for continuous integration: scripts/ci-check.sh SARIF-FILE
#
# PTXSCOPE_FILES     files, patterns (** goes into folders) and folders, separated by white space
# PTXSCOPE_ARGUMENTS further arguments of ptxscope check
#
# What was found is written to SARIF-FILE and, as annotations of GitHub, to standard output; $GITHUB_OUTPUT gets
# sarif-file=. The exit status is that of ptxscope check; 0 where no file is named by the patterns.
set -euo pipefail
[[ $# == 1 ]] || { echo "usage: scripts/ci-check.sh SARIF-FILE" >&2; exit 2; }
sarif=$1
read -ra patterns <<<"$(tr '\n' ' ' <<<"${PTXSCOPE_FILES:-**/*.ptx}")"
read -ra arguments <<<"$(tr '\n' ' ' <<<"${PTXSCOPE_ARGUMENTS:-}")"

shopt -s globstar nullglob
files=()
declare -A seen=()
for pattern in "${patterns[@]}"; do
  for file in $pattern; do # a pattern, so that it is one
    [[ -n ${seen[$file]:-} ]] || files+=("$file")
    seen[$file]=1
  done
done
if ((${#files[@]} == 0)); then
  echo "no file is named by: ${patterns[*]}"
  exit 0
fi

status=0
ptxscope check --format sarif -o "$sarif" "${arguments[@]}" -- "${files[@]}" || status=$?
if [[ -s $sarif && -n ${GITHUB_OUTPUT:-} ]]; then echo "sarif-file=$sarif" >>"$GITHUB_OUTPUT"; fi
((status > 1)) || ptxscope check --format github "${arguments[@]}" -- "${files[@]}" || true
exit "$status"
