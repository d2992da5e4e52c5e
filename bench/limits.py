#!/usr/bin/env python3
"""Every command that only reads, on files: CPU time and peak memory, against what docs/reliability.md promises.

    bench/limits.py --build BUILD FILE|FOLDER... [--adversarial] [--command WORD]... [--dearest] [--all] [--tsv FILE] [--table]

--adversarial adds all that tests/adversarial/make.py makes, at full size. A run may take 6 times its input and 128 MB of
memory, and 10 s of CPU time and 50 s more for each 50 MB; what takes more, ends otherwise than it may, or is killed,
is listed, and makes the exit status 1. --table prints the worst of each command; --tsv writes all figures.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

BASE = 128 * 1000 * 1000  # bytes that a run may take on top of FACTOR times its input
FACTOR = 6
SECONDS, SECONDS_PER_BYTE = 10, 50 / 50e6
MOST_MEMORY = 6 << 30  # of one process: to spare the machine, not a promise
MOST_SECONDS = 150

# The words of a command line; FILE, OTHER (the file with one line changed).
COMMANDS = [
    "explain-trap FILE", "explain-trap --format json FILE", "explain-trap --grid 4 --block 256 FILE",
    "cfg FILE", "cfg --format json FILE", "cfg --format dot FILE", "cfg --format svg FILE", "cfg --live FILE",
    "cfg --live --format json FILE",
    "stats FILE", "stats --format json FILE", "stats --csv FILE", "stats --checks FILE", "stats --live --checks FILE",
    "stats --live --checks --format json FILE",
    "check FILE", "check --all FILE", "check --format json FILE", "check --format sarif FILE",
    "retarget --target sm_90 --isa min FILE", "retarget --target min --isa min --rewrite FILE",
    "diff FILE FILE", "diff FILE OTHER", "diff --format json FILE OTHER", "diff --format html FILE OTHER",
    "report FILE", "report FILE OTHER", "print FILE", "print --normalize FILE", "instrument FILE",
    "instrument --format json FILE", "extract --list FILE", "extract FILE",
]
# What takes most of each command, as a rule.
DEAREST = ["explain-trap --format json FILE", "cfg --live --format json FILE", "stats --live --checks --format json FILE",
           "check --all FILE", "retarget --target min --isa min --rewrite FILE", "diff --format html FILE OTHER",
           "report FILE OTHER", "print --normalize FILE", "instrument FILE", "extract FILE"]


def run(command):
    """Status, CPU seconds, peak bytes."""
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limited)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def write_changed(path, copy):
    """The file with another opcode in one line of its middle."""
    with open(path, "rb") as file:
        text = file.read()
    at, old, new = text.find(b"add.s32", len(text) // 2), b"add.s32", b"sub.s32"
    if at < 0:
        at, old, new = text.find(b"ret;"), b"ret;", b"exit;"
    with open(copy, "wb") as file:
        file.write(text if at < 0 else text[:at] + new + text[at + len(old):])


def measured(program, path, other, commands):
    size = os.path.getsize(path)
    for line in commands:
        words = line.split()
        command = [program] + [{"FILE": path, "OTHER": other}.get(word, word) for word in words]
        status, seconds, peak = run(command)
        read = size * (words.count("FILE") + words.count("OTHER"))
        yield os.path.basename(path), read, line.removesuffix(" FILE"), status, seconds, peak


def wrong_with(row):
    _, size, _, status, seconds, peak = row
    problems = []
    if status not in (0, 1, 2):
        problems.append(f"status {status}")
    if peak > BASE + FACTOR * size:
        problems.append(f"{peak / 1e6:.0f} MB for {size / 1e6:.1f} MB")
    if seconds > SECONDS + SECONDS_PER_BYTE * size:
        problems.append(f"{seconds:.1f} s")
    return ", ".join(problems)


def table(rows):
    print("| command | most CPU s | of | most memory over input | of |\n|---|---|---|---|---|")
    for line in dict.fromkeys(row[2] for row in rows):
        mine = [row for row in rows if row[2] == line]
        slow = max(mine, key=lambda row: row[4])
        large = max(mine, key=lambda row: max(0, row[5] - BASE) / max(row[1], 1))
        print(f"| `{line}` | {slow[4]:.2f} | {slow[0]} ({slow[1] / 1e6:.1f} MB) | "
              f"{max(0, large[5] - BASE) / large[1]:.1f} | {large[0]} ({large[1] / 1e6:.1f} MB) |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("paths", nargs="*")
    arguments.add_argument("--build", default="build/release", help="the build folder")
    arguments.add_argument("--adversarial", action="store_true")
    arguments.add_argument("--command", action="append", default=[], help="only those with this word in them")
    arguments.add_argument("--dearest", action="store_true", help="of each command the line that takes most, not all 33")
    arguments.add_argument("--all", action="store_true", help="all figures, not only what is too much")
    arguments.add_argument("--table", action="store_true")
    arguments.add_argument("--tsv", metavar="FILE")
    options = arguments.parse_args()
    program = os.path.abspath(os.path.join(options.build, "ptxscope"))
    commands = [line for line in (DEAREST if options.dearest else COMMANDS) if all(word in line for word in options.command)]
    rows, wrong = [], 0
    tsv = open(options.tsv, "w", encoding="utf-8") if options.tsv else None
    if tsv:
        tsv.write("file\tbytes\tcommand\tstatus\tcpu_seconds\tpeak_bytes\n")
    with tempfile.TemporaryDirectory() as folder:
        if options.adversarial:
            make = pathlib.Path(__file__).parent.parent / "tests" / "adversarial" / "make.py"
            subprocess.run([sys.executable, make, "--all", os.path.join(folder, "made")], check=True)
            options.paths.append(os.path.join(folder, "made"))
        files = []
        for path in options.paths:
            files += sorted(str(p) for p in pathlib.Path(path).rglob("*.ptx")) if os.path.isdir(path) else [path]
        files = [file for file in files if os.path.getsize(file) > 0]
        for file in files:
            copy = os.path.join(folder, os.path.basename(file))
            # By another process: what this one holds would count as the memory of those it starts.
            child = os.fork()
            if child == 0:
                write_changed(file, copy)
                os._exit(0)
            os.waitpid(child, 0)
            for row in measured(program, file, copy, commands):
                rows.append(row)
                problem = wrong_with(row)
                wrong += bool(problem)
                if tsv:
                    tsv.write("\t".join(str(x) for x in row) + "\n")
                    tsv.flush()
                if problem or options.all:
                    print(f"{row[0]}: {row[2]}: {problem or 'fits'}" +
                          (f" (status {row[3]}, {row[4]:.2f} s, {row[5] / 1e6:.0f} MB of {row[1] / 1e6:.1f})"
                           if options.all else ""), flush=True)
            os.unlink(copy)
    if options.table:
        table(rows)
    print(f"{len(files)} files, {len(commands)} commands each: {len(rows) - wrong} runs within the limits, {wrong} not")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
