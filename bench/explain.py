#!/usr/bin/env python3
"""CPU time of `ptxscope explain-trap FILE` beside reading the file alone, in one run, in turns.

    bench/explain.py --build build/release big.ptx [--rounds 7] [--command stats]

Prints the median of each in seconds (user and system) and their ratio; the target is 1.5.
"""
import argparse
import os
import statistics

from cpu_time import cpu_seconds


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file")
    arguments.add_argument("--build", required=True, help="a release build")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--command", default="explain-trap", help="another command of ptxscope")
    options = arguments.parse_args()
    reading, explaining = [], []
    for _ in range(options.rounds):
        reading.append(cpu_seconds([os.path.join(options.build, "bench", "parse_once"), options.file]))
        explaining.append(cpu_seconds([os.path.join(options.build, "ptxscope"), options.command, options.file]))
    read, explain = statistics.median(reading), statistics.median(explaining)
    print(f"read {read:.3f} s, {options.command} {explain:.3f} s: {explain / read:.2f} times")


main()
