#!/usr/bin/env python3
"""All that make.py makes, a small part of each, through all commands: they end, soon, in bounded memory, with an exit status
of theirs and a reason where it is 2. bench/limits.py does the same at full size and says figures.

    tests/adversarial/run.py --ptxscope BIN [--part N] [--no-memory]
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "bench")]
import limits  # noqa: E402
import make  # noqa: E402

COMMANDS = ["explain-trap FILE", "explain-trap --grid 4 --block 256 --format json FILE", "cfg --live --format json FILE",
            "stats --live --checks FILE", "check --format sarif FILE", "retarget --target min --isa min --rewrite FILE",
            "diff --format json FILE OTHER", "report FILE", "print --normalize FILE", "instrument --format json FILE",
            "extract --list FILE"]
MEMORY = 1 << 30  # of addresses
SECONDS = 20      # of CPU time

# What is said where a limit is met: the case, its count, a command, a part of the message.
SAID = [
    ("line_of_one_statement", 40_000, "check FILE", r"PTX-LIMIT"),
    ("parentheses", 200, "check FILE", r"PTX-LIMIT|nested|deep"),
    ("brx_square", 700, "cfg FILE", r"lead to too many places"),
    ("numbers_of_registers", 10, "check FILE", r"PTX-LIMIT"),
]


def run(command):
    """Status, peak in bytes, both outputs."""
    def limited():
        if MEMORY:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, preexec_fn=limited)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        head = said.read(200_000).decode(errors="replace")
    return child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, head


def main():
    global MEMORY
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True)
    arguments.add_argument("--part", type=int, default=1000, help="of each count, one part in so many")
    arguments.add_argument("--no-memory", action="store_true", help="for a sanitizer's build, which takes more")
    options = arguments.parse_args()
    program = os.path.abspath(options.ptxscope)
    if options.no_memory:
        MEMORY = 0
    failures, runs, seconds_in_all = 0, 0, 0.0

    def judge(name, line, words, said=None):
        nonlocal failures, runs, seconds_in_all
        command = [program] + [words.get(word, word) for word in line.split()]
        status, seconds, peak, head = run(command)
        runs += 1
        seconds_in_all += seconds
        read = sum(os.path.getsize(words[word]) for word in line.split() if word in words)
        problem = limits.wrong_with((name, read, line, status, seconds, 0 if options.no_memory else peak))
        if status == 2 and not re.search(r"^ptxscope [a-z-]+: .{20}", head, re.MULTILINE):
            problem = "status 2 without a reason"
        if said and not re.search(said, head):
            problem = f"does not say {said!r}: {head[:300]!r}"
        if problem:
            failures += 1
            print(f"{name}: {line}: {problem}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for name, (_, count) in make.CASES.items():
            words = {"FILE": os.path.join(folder, name + ".ptx"), "OTHER": os.path.join(folder, "other.ptx")}
            make.write(name, max(count // options.part, 10), words["FILE"])
            limits.write_changed(words["FILE"], words["OTHER"])
            for line in COMMANDS:
                judge(name, line, words)
            os.unlink(words["FILE"])
        for name, count, line, said in SAID:
            words = {"FILE": os.path.join(folder, name + ".ptx")}
            make.write(name, count, words["FILE"])
            judge(name, line, words, said)
    print(f"{len(make.CASES)} cases, {runs} runs, {seconds_in_all:.0f} s of CPU time, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
