#!/usr/bin/env python3
"""What takes over a second says on a terminal what it is at, and takes the line away again; elsewhere it says nothing.

    tests/progress.py --ptxscope build/release/ptxscope"""
import argparse
import os
import pty
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLE = os.path.join(ROOT, "samples", "vecadd", "vecadd.ptx")


def run(ptxscope, seconds, on_terminal):
    """Standard error of a run whose input comes after so many seconds."""
    mine, theirs = pty.openpty() if on_terminal else os.pipe()
    process = subprocess.Popen([ptxscope, "explain-trap", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    time.sleep(seconds)
    with open(SAMPLE, "rb") as sample:
        process.communicate(sample.read())
    said = b""
    try:
        while piece := os.read(mine, 4096):
            said += piece
    except OSError:  # how the end of a terminal reads
        pass
    os.close(mine)
    return said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptxscope", required=True)
    options = parser.parse_args()
    wrong = []
    slow = run(options.ptxscope, 2.5, True)
    if b"reading standard input, 1 s" not in slow:
        wrong.append(f"a run of 2.5 s says nothing on a terminal: {slow!r}")
    if not slow.endswith(b"\r\x1b[K"):
        wrong.append(f"the line is not taken away: {slow!r}")
    if fast := run(options.ptxscope, 0, True):
        wrong.append(f"a short run says something: {fast!r}")
    if piped := run(options.ptxscope, 2.5, False):
        wrong.append(f"where standard error is no terminal, something is said: {piped!r}")
    for sentence in wrong:
        print("progress: " + sentence)
    print(f"progress: 4 checks, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
