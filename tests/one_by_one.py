"""Runs the functions of a test script one after another: --ptxscope PATH [NAME ...], a line each, and how many failed."""
import argparse
import os
import sys
import traceback


class Missing(Exception):
    """What a test needs is not there."""


def run(tests, description):
    """Each takes the path of the executable, and may say how much it checked. 77 where all had to be left out."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ptxscope", required=True)
    options.add_argument("names", nargs="*", help="only these tests")
    chosen = options.parse_args()
    failed = done = 0
    for test in tests:
        if chosen.names and test.__name__ not in chosen.names:
            continue
        try:
            count = test(os.path.realpath(chosen.ptxscope))
            print(f"ok    {test.__name__}" + (f": {count} checked" if count is not None else ""), flush=True)
            done += 1
        except Missing as missing:
            print(f"left out: {test.__name__}, there is no {missing}", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAIL  {test.__name__}: {type(error).__name__}: {error}", flush=True)
            traceback.print_exc()
    sys.exit(1 if failed else 0 if done else 77)
