#!/usr/bin/env python3
"""CPU time and peak memory of `ptxscope diff A B` beside reading both files, in one run, in turns.

    bench/diff.py --build build/release a.ptx b.ptx [--rounds 5]
    bench/diff.py --build build/release a.ptx --edits 10      against a copy with as many opcodes changed

Prints the median of each in seconds (user and system), their ratio (the target is 3), and the peak of memory.
"""
import argparse
import os
import random
import resource
import statistics
import tempfile

from cpu_time import cpu_seconds


def write_edited(path, count, out):
    with open(path, encoding="latin-1") as file:
        lines = file.readlines()
    places = [i for i, line in enumerate(lines) if line.lstrip().startswith("add.s32")]
    for i in random.Random(1).sample(places, count):
        lines[i] = lines[i].replace("add.s32", "sub.s32")
    with open(out, "w", encoding="latin-1") as file:
        file.writelines(lines)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("files", nargs="+")
    arguments.add_argument("--build", required=True, help="a release build")
    arguments.add_argument("--edits", type=int)
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = options.files
        if options.edits is not None:
            files = [files[0], os.path.join(folder, "edited.ptx")]
            write_edited(files[0], options.edits, files[1])
        reading, comparing = [], []
        for _ in range(options.rounds):
            once = os.path.join(options.build, "bench", "parse_once")
            reading.append(sum(cpu_seconds([once, file]) for file in files))
            comparing.append(cpu_seconds([os.path.join(options.build, "ptxscope"), "diff", "--summary", *files]))
    read, compare = statistics.median(reading), statistics.median(comparing)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    print(f"read both {read:.3f} s, diff {compare:.3f} s: {compare / read:.2f} times; peak {peak:.0f} MB")


main()
