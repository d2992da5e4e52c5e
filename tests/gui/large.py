#!/usr/bin/env python3
"""Runs gui_responsive on a large module: the kernel of samples/vecadd under many names, each with its own padding.

    large.py GUI_RESPONSIVE [--megabytes N] [--limit MS]
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

SAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "samples/vecadd/vecadd.ptx"


def module(size):
    text = SAMPLE.read_text()
    start = text.index(".visible .entry")
    end = text.index("\n}\n", start) + 3
    kernel = text[start:end]
    parts = [text[:start]]
    used = len(parts[0])
    number = 0
    while used < size:
        # Bodies of many lengths: a module of equal ones would be too kind.
        filler = "".join(f"\tadd.s64 \t%rd{5 + i % 11}, %rd{1 + i % 4}, {i};\n" for i in range(number % 37 * 8))
        copy = kernel.replace("vecadd", f"vecadd_{number}").replace("\tsetp.ge.u64", filler + "\tsetp.ge.u64", 1)
        parts.append(copy)
        used += len(copy)
        number += 1
    return "".join(parts)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--megabytes", type=float, default=50)
    arguments.add_argument("--limit", type=float, default=0, help="most CPU milliseconds between two events")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "large.ptx"
        path.write_text(module(int(options.megabytes * 1_000_000)))
        done = subprocess.run([options.program, str(path), str(options.limit)], timeout=280)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
