#!/usr/bin/env python3
"""Compares what `ptxscope check` says of whole modules with what ptxas said: does the module's own header take it?

  corpus.py --ptxscope PTXSCOPE [--show N] [--ptxas PTXAS]

The modules and ptxas' answers (parsing only) are those of corpus/INDEX.tsv of PTXSCOPE_SHARED. With --ptxas the files
on which the two differ are shown to that ptxas too, so that limits of the recorded one (a newer .version) stand apart.
Exit status 1 when agreement is below --at-least (per cent, default 99.5), 77 without the corpus."""
import argparse
import collections
import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402


def first_error(ptxas, path):
    """What that ptxas says of the file; None when it takes it."""
    with open(path, encoding="latin-1") as file:
        text = file.read()
    targets = [line.split()[1].rstrip(",") for line in text.split("\n") if line.startswith(".target")]
    name = targets[-1].split(",")[0] if targets else "sm_75"
    try:
        architecture = oracle.architecture_for(name)
    except (TypeError, ValueError):
        architecture = "compute_75"
    done = subprocess.run([ptxas, "-arch=" + architecture, path, "-o", "/dev/null"], capture_output=True, text=True,
                          errors="replace", timeout=300)
    if done.returncode == 0:
        return None
    lines = [l for l in done.stderr.splitlines() if "error" in l or "fatal" in l]
    return lines[0].split(path)[-1] if lines else "crash"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxscope", required=True)
    parser.add_argument("--shared", default=os.environ.get("PTXSCOPE_SHARED", "../shared"))
    parser.add_argument("--ptxas", help="a ptxas to ask about the files that differ")
    parser.add_argument("--show", type=int, default=40, help="how many files that differ to show")
    parser.add_argument("--at-least", type=float, default=99.5, help="agreement asked for, in per cent")
    options = parser.parse_args()
    corpus = os.path.join(options.shared, "corpus")
    index = os.path.join(corpus, "INDEX.tsv")
    if not os.path.exists(index):
        print(f"skipped: {index} is not there; set PTXSCOPE_SHARED")
        return 77
    with open(index, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    paths = [os.path.join(corpus, row["file"]) for row in rows]
    answers = {}
    for begin in range(0, len(paths), 40):
        some = paths[begin:begin + 40]
        run = subprocess.run([options.ptxscope, "check", "--format", "json"] + some, capture_output=True, text=True)
        if run.returncode not in (0, 1):
            print(run.stderr)
            return 1
        answers.update(zip(some, json.loads(run.stdout)["files"]))

    right = explained = shown = 0
    wrong = collections.Counter()
    unknown = collections.Counter()
    for row, path in zip(rows, paths):
        found = answers[path]["diagnostics"] + answers[path]["declared"]["problems"]
        errors = [one for one in found if one["level"] == "error"]
        for one in found:
            if one["rule"] == "PTX-UNKNOWN":
                unknown[one["message"]] += 1
        if (not errors) == (row["ptxas"] == "ok"):
            right += 1
            continue
        kind = "we refuse, ptxas takes it" if errors else "we take it, ptxas refuses"
        now = ""
        if options.ptxas:
            said = first_error(options.ptxas, path)
            now = "\n    " + os.path.basename(options.ptxas) + " given: " + (said or "takes it")
            if (said is None) == (not errors):
                explained += 1
                kind += " (the one given agrees with us)"
        wrong[kind] += 1
        if shown < options.show:
            shown += 1
            ours = "; ".join(f"line {e['line']}: {e['message']} [{e['rule']}]" for e in errors[:3])
            print(f"{row['file']} ({row['version']}, {row['target']}): {kind}\n    ptxas: {row['message'][:160]}"
                  + (f"\n    ours: {ours}" if ours else "") + now)
    for kind, count in wrong.most_common():
        print(f"{count:5}  {kind}")
    for message, count in unknown.most_common(20):
        print(f"{count:5}  files: {message}")
    percent = 100.0 * (right + explained) / len(rows)
    print(f"{right} of {len(rows)} modules agree" + (f", {explained} more with the ptxas given" if options.ptxas else "")
          + f": {percent:.3f} %")
    return 0 if percent >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
