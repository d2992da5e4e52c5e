"""What the tests of the Python package share."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "samples" / "vecadd" / "vecadd.ptx"
SHARED = pathlib.Path(os.environ.get("PTXSCOPE_SHARED") or ROOT.parent / "shared")


def modules_of_the_tree():
    """All PTX of ours: samples, goldens, and what fuzzing found."""
    return sorted([*ROOT.glob("samples/**/*.ptx"), *ROOT.glob("tests/golden/*.ptx")])


def corpus(step):
    """Each `step`-th file of the corpus; none where there is no corpus."""
    return sorted(SHARED.glob("corpus/**/*.ptx"))[::step]


def run(program, *words, status=0, **more):
    """What the program writes to standard output."""
    done = subprocess.run([program, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          timeout=300, **more)
    if status is not None and done.returncode != status:
        raise AssertionError(f"{words}: exit status {done.returncode}\n{done.stderr.decode('utf-8', 'replace')}")
    return done.stdout


def document(program, *words, status=0):
    """What the program writes with --format json."""
    return json.loads(run(program, *words, "--format", "json", status=status))


def main():
    """Runs the tests of a file. All skipped: exit status 77, as CTest is told."""
    result = unittest.main(module="__main__", exit=False, verbosity=1).result
    if not result.wasSuccessful():
        sys.exit(1)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if result.testsRun == len(result.skipped):
        sys.exit(77)
