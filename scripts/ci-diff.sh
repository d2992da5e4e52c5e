#!/usr/bin/env bash
# What the PTX files of a commit differ in from those of another, as Markdown: scripts/ci-diff.sh BASE [HEAD]
#
# Without HEAD: the files as they are. Nothing is written where no PTX file differs. In the repository's folder.
set -euo pipefail
(($# == 1 || $# == 2)) || { echo "usage: scripts/ci-diff.sh BASE [HEAD]" >&2; exit 2; }
base=$1
head=${2:-}
most_characters=${PTXSCOPE_MOST:-20000} # of one file; a comment holds 65,536
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if ! git cat-file -e "$base^{commit}" 2>/dev/null; then git fetch --quiet --depth=1 origin "$base"; fi

# Between fences longer than any in the text.
fenced() {
  local fence='```' longest
  longest=$(grep -o '`\+' "$1" | awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }') || true
  while ((${#fence} <= ${longest:-0})); do fence+='`'; done
  printf '%s\n' "${fence}text"
  head -c "$most_characters" "$1" | iconv -c -f UTF-8 -t UTF-8
  if (($(stat -c %s "$1") > most_characters)); then printf '\n… cut: the rest is left out\n'; fi
  printf '%s\n\n' "$fence"
}

told=
tell() { # FILE HEADING
  if [[ -z $told ]]; then printf '<!-- ptxscope -->\n## What changes in PTX\n\n'; fi
  told=1
  printf '<details><summary><code>%s</code>: %s</summary>\n\n' "$(sed 's/&/\&amp;/g; s/</\&lt;/g' <<<"$1")" "$2"
}

content() { # COMMIT FILE: of the working tree when there is no commit
  if [[ -n $1 ]]; then git show "$1:$2"; else cat -- "$2"; fi
}

while IFS= read -r -d '' change && IFS= read -r -d '' file; do
  case $change in
    A) tell "$file" "added"; printf '</details>\n\n'; continue ;;
    D) tell "$file" "removed"; printf '</details>\n\n'; continue ;;
  esac
  content "$base" "$file" >"$scratch/before.ptx"
  content "$head" "$file" >"$scratch/after.ptx"
  status=0
  (cd "$scratch" && ptxscope diff --color never before.ptx after.ptx) >"$scratch/said" 2>"$scratch/problem" || status=$?
  case $status in
    0) tell "$file" "the code is the same" ;;
    1) tell "$file" "changed" ;;
    *) tell "$file" "could not be compared"; cp "$scratch/problem" "$scratch/said" ;;
  esac
  fenced "$scratch/said"
  printf '</details>\n\n'
done < <(git diff --name-status --no-renames -z "$base" ${head:+"$head"} -- '*.ptx')
