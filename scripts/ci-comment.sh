#!/usr/bin/env bash
# Puts a text into the one comment of ptxscope on a pull request: scripts/ci-comment.sh NUMBER FILE
#
# With GitHub's gh, GH_TOKEN and GH_REPO. An earlier comment is replaced; an empty FILE makes none, and says in an earlier
# one that nothing differs any more.
set -euo pipefail
[[ $# == 2 ]] || { echo "usage: scripts/ci-comment.sh NUMBER FILE" >&2; exit 2; }
number=$1
file=$2
mark='<!-- ptxscope -->'
old=$(gh api --paginate "repos/$GH_REPO/issues/$number/comments" \
      --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
text=$(mktemp)
trap 'rm -f "$text"' EXIT
if [[ -s $file ]]; then
  head -c 65000 "$file" | iconv -c -f UTF-8 -t UTF-8 >"$text"
elif [[ -n $old ]]; then
  printf '%s\nNo PTX file differs any more.\n' "$mark" >"$text"
else
  exit 0
fi
if [[ -n $old ]]; then
  gh api --method PATCH "repos/$GH_REPO/issues/comments/$old" -F "body=@$text" >/dev/null
else
  gh api --method POST "repos/$GH_REPO/issues/$number/comments" -F "body=@$text" >/dev/null
fi
