#!/usr/bin/env python3
"""The output of every command is the same with one thread and with several: of many files at once, and of one large module.

    tests/jobs.py --ptxscope build/release/ptxscope [--shared ../shared]"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMANDS = [
    ["explain-trap"], ["explain-trap", "--format", "json", "--grid", "4", "--block", "256"], ["check", "--format", "json"],
    ["check", "--format", "sarif"], ["cfg"], ["cfg", "--format", "json", "--live"], ["stats", "--csv"],
    ["stats", "--format", "json", "--checks"], ["print", "--normalize"]]


def large(samples, copies):
    """One module of many functions: the bodies of samples again and again, under new names."""
    text = [".version 8.7\n.target sm_90\n.address_size 64\n"]
    for copy in range(copies):
        for number, path in enumerate(samples):
            with open(path) as file:
                source = file.read()
            body = re.sub(r"(?m)^\s*\.(version|target|address_size|file|section)\b.*$", "", source)
            body = re.sub(r"(?m)^\s*\.loc\b.*$", "", body)
            names = re.findall(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)", source)
            for name in sorted(set(names), key=len, reverse=True):
                body = re.sub(rf"\b{re.escape(name)}\b", f"{name}_{number}_{copy}", body)
            text.append(body)
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptxscope", required=True)
    parser.add_argument("--shared")
    options = parser.parse_args()
    samples = [os.path.join(ROOT, "samples", name) for name in ("vecadd/vecadd.ptx", "vecadd_cuda/vecadd.ptx", "gather/gather_checked.ptx",
                                                                "hoisted/hoisted.ptx", "span/span.ptx")]
    files = sorted(glob.glob(os.path.join(ROOT, "samples", "*", "*.ptx")) +
                   glob.glob(os.path.join(ROOT, "tests", "golden", "*.ptx")))
    if options.shared and os.path.isdir(os.path.join(options.shared, "corpus")):
        corpus = sorted(glob.glob(os.path.join(options.shared, "corpus", "**", "*.ptx"), recursive=True))
        files += [path for path in corpus if os.path.getsize(path) < 100_000][::60]
    compared = different = 0
    with tempfile.TemporaryDirectory() as folder:
        big = os.path.join(folder, "big.ptx")
        with open(big, "w") as file:
            file.write(large(samples, 600))
        sides = os.path.join(folder, "other.ptx")
        with open(sides, "w") as file:
            file.write(large(samples[::-1], 500))
        lines = [(words, inputs) for words in COMMANDS for inputs in (files, [big])]
        lines += [(["diff", "--format", "json"], [big, sides]), (["report"], [big]), (["report"], [big, sides])]
        for words, inputs in lines:
            outputs = []
            for jobs in ("1", "4"):
                command = [options.ptxscope, words[0], "--jobs", jobs, *words[1:], *inputs]
                done = subprocess.run(command, capture_output=True, timeout=300)
                outputs.append((done.returncode, done.stdout, done.stderr))
            compared += 1
            if len(outputs[0][1]) < 200:
                print(f"jobs: {' '.join(words)}: hardly any output: {outputs[0][2][:300]!r}")
                different += 1
            if outputs[0] != outputs[1]:
                different += 1
                print(f"jobs: {' '.join(words)} of {len(inputs)} files: another output with four threads than with one")
    print(f"jobs: {compared} command lines, {different} wrong")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
