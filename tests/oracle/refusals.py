#!/usr/bin/env python3
"""Does ptxas refuse what the table has no form for? Forms of the table get one word changed, left out or added; those
that then match no form, which ptxscope calls errors, are shown to ptxas on several targets at its newest version.

  refusals.py --tool BUILD/tests/oracle_forms --ptxas PTXAS [--count 3000] [--seed 1] [--targets sm_100a,sm_90a,…]

Prints those that ptxas takes: forms that the table lacks. Exit status 1 when ptxas refuses fewer than --at-least (per
cent, default 99.5)."""
import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the executable oracle_forms of the build")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", default="sm_100a,sm_90a,sm_120a", help="by comma")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--at-least", type=float, default=99.5)
    options = parser.parse_args()
    run = subprocess.run([options.tool, "variants", str(options.count), str(options.seed)], capture_output=True,
                         text=True, check=True)
    forms = [json.loads(line) for line in run.stdout.splitlines()]
    ptxas = oracle.Ptxas(options.ptxas, options.jobs)
    taken = {}
    for target in options.targets.split(","):
        left = [form for form in forms if form["id"] not in taken]
        for identity, (accepted, _) in ptxas.accepts(left, ptxas.versions[-1], target, False).items():
            if accepted:
                taken[identity] = target
    for form in forms:
        if form["id"] in taken:
            print(f"{taken[form['id']]} takes {form['text']}")
    refused = len(forms) - len(taken)
    percent = 100.0 * refused / max(len(forms), 1)
    print(f"{ptxas.name} refuses {refused} of {len(forms)} spellings that the table has no form for: {percent:.3f} %")
    return 0 if percent >= options.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
