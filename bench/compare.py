#!/usr/bin/env python3
"""Parses one file with ours, with ptxas (-arch=compute_75: it only parses) and with plain ANTLR, in one run.

    bench/compare.py --build BUILD FILE.ptx [--antlr-bytes N] [--rounds N]

Says CPU time (user and system, the least of the rounds), rate and peak memory of each, and how long a 2 KB file takes from
the start of the process to its answer. Plain ANTLR gets the head of the file only (N bytes, cut behind a function), since
all of it would take minutes and many gigabytes; rates are compared.
"""
import argparse
import os
import shutil
import sys
import tempfile
import time


def run(command):
    """CPU seconds, wall seconds, peak memory in bytes of one process."""
    begin = time.monotonic()
    pid = os.posix_spawn(command[0], command, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                                       (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        print(f"note: {' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}", file=sys.stderr)
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024


def best(command, rounds):
    results = [run(command) for _ in range(rounds)]
    return min(r[0] for r in results), min(r[1] for r in results), max(r[2] for r in results)


def head(text, size):
    """The first `size` bytes, up to the end of a function."""
    if len(text) <= size:
        return text
    return text[: text.rindex(b"\n}\n", 0, size) + 3]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file")
    arguments.add_argument("--build", default="build/release", help="the build folder")
    arguments.add_argument("--antlr-bytes", type=int, default=4_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments = arguments.parse_args()
    ours = os.path.join(arguments.build, "bench", "parse_once")
    plain = os.path.join(arguments.build, "bench", "plain_antlr")
    command = os.path.join(arguments.build, "ptxscope")
    ptxas = shutil.which("ptxas")
    size_of_file = os.path.getsize(arguments.file)
    # Not all of it: a child's peak memory counts from what its parent had.
    with open(arguments.file, "rb") as file:
        text = file.read(arguments.antlr_bytes + 1)

    with tempfile.TemporaryDirectory() as folder:
        part = os.path.join(folder, "head.ptx")
        with open(part, "wb") as file:
            file.write(head(text, arguments.antlr_bytes))
        small = os.path.join(folder, "small.ptx")
        kernel = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n"
        with open(small, "w") as file:
            file.write(kernel + "add.u32 %r1, %r2, 1;\nld.global.u32 %r1, [%r2+4];\n" * 39 + "ret;\n}\n")

        rows = [("ptxscope", [ours, arguments.file], size_of_file, arguments.rounds)]
        if ptxas:
            rows.append(("ptxas", [ptxas, "-arch=compute_75", arguments.file, "-o", os.devnull], size_of_file, 1))
        rows.append(("plain ANTLR", [plain, part], os.path.getsize(part), 1))
        rates = {}
        print(f"{'':14}{'MB':>8}{'CPU s':>10}{'MB/s':>10}{'peak MB':>10}{'peak/file':>11}")
        for name, line, size, rounds in rows:
            cpu, _, memory = best(line, rounds)
            rates[name] = size / cpu / 1e6
            print(f"{name:14}{size / 1e6:8.1f}{cpu:10.3f}{rates[name]:10.1f}{memory / 1e6:10.0f}{memory / size:11.2f}")
        for name in ("ptxas", "plain ANTLR"):
            if name in rates:
                print(f"ptxscope is {rates['ptxscope'] / rates[name]:.0f} times as fast as {name}")
        start = [ours, small]
        if os.path.exists(command):
            start = [command, "print", small]
        _, wall, _ = best(start, 20)
        print(f"{os.path.getsize(small)} bytes with '{' '.join([os.path.basename(start[0])] + start[1:-1])}', "
              f"start of the process to its end: {wall * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
