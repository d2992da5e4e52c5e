#!/usr/bin/env python3
"""Runs the goldens of this folder: each NAME.ptx or NAME.run says what to run, NAME.expected what comes out.

    // RUN: ptxscope cfg %s --format json        in a .ptx file; '# RUN:' in a .run file (which holds nothing else)

The line is a shell command, run in this folder. %s is the file itself, %t a temporary file. A file may have several
RUN lines. NAME.expected holds standard output, then what differs from the usual: standard error under '--- stderr',
an exit status under '--- exit N'; before each of several runs stands its command.

    run.py --ptxscope PATH              compares; exit status 1 when something differs
    run.py --ptxscope PATH --update     rewrites the .expected files
    run.py --ptxscope PATH NAME...      only these
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
RUN_LINE = re.compile(r"^\s*(?://|#)\s*RUN:\s*(.*\S)\s*$")
TIME_LIMIT = 120


def commands_of(path):
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    return [match.group(1) for match in map(RUN_LINE.match, text.splitlines()) if match]


def run_one(command, path, environment):
    with tempfile.TemporaryDirectory() as folder:
        line = command.replace("%s", path.name).replace("%t", os.path.join(folder, "out"))
        try:
            done = subprocess.run(["/bin/sh", "-c", line], cwd=FOLDER, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            return f"--- still running after {TIME_LIMIT} s\n"
        out = done.stdout.decode("utf-8", "backslashreplace").replace(folder, "%t")
        err = done.stderr.decode("utf-8", "backslashreplace").replace(folder, "%t")
    if err:
        out += ("" if not out or out.endswith("\n") else "\n") + "--- stderr\n" + err
    if done.returncode != 0:
        out += ("" if not out or out.endswith("\n") else "\n") + f"--- exit {done.returncode}\n"
    return out


def actual(path, environment):
    commands = commands_of(path)
    if not commands:
        return None
    if len(commands) == 1:
        return run_one(commands[0], path, environment)
    return "".join(f"$ {command}\n{run_one(command, path, environment)}" for command in commands)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True, help="the executable")
    arguments.add_argument("--update", action="store_true", help="rewrite the .expected files")
    arguments.add_argument("names", nargs="*")
    options = arguments.parse_args()

    executable = pathlib.Path(options.ptxscope).resolve()
    if not executable.is_file():
        sys.exit(f"run.py: {executable}: no such file; build the target ptxscope first")
    environment = {"PATH": f"{executable.parent}:{os.environ.get('PATH', '/usr/bin:/bin')}", "LC_ALL": "C", "TERM": "dumb"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    if "TSAN_OPTIONS" in os.environ:
        environment["TEST_TMPDIR"] = "/nowhere"  # the sanitizer begins with a file there, and ends at a limit of its size

    files = sorted(path for path in FOLDER.iterdir() if path.suffix in (".ptx", ".run"))
    if options.names:
        wanted = {pathlib.Path(name).stem for name in options.names}
        files = [path for path in files if path.stem in wanted]
        for missing in sorted(wanted - {path.stem for path in files}):
            sys.exit(f"run.py: {missing}: no golden of that name in {FOLDER}")
    stems = [path.stem for path in files]
    for stem in sorted({stem for stem in stems if stems.count(stem) > 1}):
        sys.exit(f"run.py: {stem}: both .ptx and .run; they would share one .expected file")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: actual(path, environment), files))

    failed = 0
    ran = 0
    for path, text in zip(files, results):
        expected_path = path.with_suffix(".expected")
        if text is None:
            # Input of another golden's RUN line.
            if expected_path.exists():
                failed += 1
                print(f"{path.name}: has an .expected file but no RUN line")
            continue
        ran += 1
        # newline="": what the program writes, kept as it is.
        expected = None
        if expected_path.exists():
            with open(expected_path, encoding="utf-8", newline="") as file:
                expected = file.read()
        if text == expected:
            continue
        if options.update:
            with open(expected_path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            print(f"updated {expected_path.name}")
            continue
        failed += 1
        if expected is None:
            print(f"{path.name}: no {expected_path.name}; run.py --update writes it")
            continue
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(keepends=True), text.splitlines(keepends=True),
                                                   f"{expected_path.name} (expected)", f"{path.name} (now)"))
        print()
    known = {path.stem for path in files}
    if not options.names:
        for path in sorted(FOLDER.glob("*.expected")):
            if path.stem not in known:
                failed += 1
                print(f"{path.name}: nothing writes it any more")
    print(f"goldens: {ran - failed} of {ran} as expected" if not options.update else f"goldens: {ran} run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
