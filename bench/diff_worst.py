#!/usr/bin/env python3
"""The worst cases of `ptxscope diff`, made up: first line of the answer, CPU time and peak memory of each.

    bench/diff_worst.py --build build/release [--small] [FILE]

With FILE also its text against a copy in which opcodes of all kinds were changed. --small: a tenth of each.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
SWAPS = {"add.": "sub.", "ld.global": "ld.shared", "mul.": "max.", "setp.lt": "setp.ge", "shl.": "shr.", "mov.": "neg."}


def measured(command):
    """The first line of its output, CPU seconds, peak in MB."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = child.stdout.readline().strip()
    while child.stdout.read(1 << 20):
        pass
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return line, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def function(lines):
    return HEAD + ".visible .entry f()\n{\n.reg .pred %p<9>;\n.reg .b32 %r<1000>;\n" + "\n".join(lines) + "\nret;\n}\n"


def straight(count, seed):
    """Instructions in a row, at random."""
    chance = random.Random(seed)
    opcodes = ("add.s32", "sub.s32", "xor.b32", "and.b32", "min.s32", "max.u32", "mul.lo.s32", "shl.b32")
    return function(f"{chance.choice(opcodes)} %r{chance.randrange(1000)}, %r{chance.randrange(1000)}, "
                    f"%r{chance.randrange(1000)};" for _ in range(count))


def other_opcodes(count):
    """Two functions that have no opcode in common."""
    return [function(f"{opcode} %r{i % 7}, %r{i % 5}, {i};" for i in range(count)) for opcode in ("add.s32", "xor.b32")]


def alike_blocks(count, seed):
    """Blocks of the same two instructions, each jumping to the next, in random order."""
    order = list(range(1, count))
    random.Random(seed).shuffle(order)
    lines = []
    for block in [0] + order:
        lines += [f"L{block}:", "add.s32 %r1, %r1, 1;", f"bra L{block + 1};"]
    return function(lines + [f"L{count}:"])


def changed(text):
    chance = random.Random(3)

    def line(one):
        for old, new in SWAPS.items():
            if old in one and chance.random() < 0.7:
                return one.replace(old, new, 1)
        return one
    return "".join(line(one) for one in text.splitlines(keepends=True))


def written(make, folder):
    """Files of what it makes, by another process: what this one holds would count as the memory of those it starts."""
    files = [os.path.join(folder, name) for name in ("a.ptx", "b.ptx")]
    child = os.fork()
    if child == 0:
        for name, text in zip(files, make()):
            with open(name, "w", encoding="latin-1") as file:
                file.write(text)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        sys.exit("no place for the files")
    return files


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", nargs="?")
    arguments.add_argument("--build", required=True, help="a release build")
    arguments.add_argument("--small", action="store_true")
    options = arguments.parse_args()
    part = 10 if options.small else 1
    cases = [
        (f"{100_000 // part:,} random instructions in a row, twice",
         lambda: [straight(100_000 // part, 1), straight(100_000 // part, 2)], []),
        (f"{1_000_000 // part:,} of them", lambda: [straight(1_000_000 // part, 1), straight(1_000_000 // part, 2)], []),
        (f"{100_000 // part:,} in a row, no opcode in common", lambda: other_opcodes(100_000 // part), []),
        (f"{30_000 // part:,} blocks that look alike, in two orders",
         lambda: [alike_blocks(30_000 // part, 1), alike_blocks(30_000 // part, 2)], []),
    ]
    if options.file:
        def text():
            with open(options.file, encoding="latin-1") as file:
                return file.read(None if part == 1 else 5_000_000)
        name = f"{min(os.path.getsize(options.file), 10**9 if part == 1 else 5_000_000) // 1_000_000} MB, opcodes changed"
        cases += [(name, lambda: [text(), changed(text())], []),
                  (name + ", as JSON", lambda: [text(), changed(text())], ["--format", "json"])]
    print("| case | answer | CPU s | peak MB |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, make, flags in cases:
            files = written(make, folder)
            line, seconds, peak = measured([os.path.join(options.build, "ptxscope"), "diff", *flags, *files])
            if line == "{":
                line = ""
            line = re.split(r"; (?:header|registers|functions|local)", line)[0]
            print(f"| {name} | {line} | {seconds:.2f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
