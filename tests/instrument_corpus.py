#!/usr/bin/env python3
"""Instruments modules and asks ptxas: what it accepts as written it must accept instrumented, for the same device. Also:
outside of the edits that are told the bytes are those of the module, a module in which nothing records is left as it is,
and an instrumented module is not instrumented again.

    instrument_corpus.py --ptxscope PATH [--ptxas PATH] [--all | --count 40] [--registers] [FILE…]

Without FILE: the samples, and of the shared corpus those modules that can trap. Exit status 0 when all holds, 1 when
not, 77 without a ptxas."""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
TARGET = re.compile(rb"^[ \t]*\.target\s+(sm_\w+)", re.MULTILINE)
CAN_TRAP = re.compile(rb"\btrap\s*;|__assertfail|panic|noreturn")
USED = re.compile(r"Function properties for (\S+)|Compiling entry function '([^']+)'|Used (\d+) registers|"
                  r"(\d+) bytes stack frame, (\d+) bytes spill stores")


def architecture(text):
    """The device to compile for: the module's own, or the oldest that this ptxas knows."""
    found = TARGET.search(text)
    name = found[1].decode() if found else "sm_75"
    number = int(re.search(r"\d+", name)[0])
    return name if number >= 75 else "sm_75"


def compile_it(ptxas, path, arch, debug):
    command = [ptxas, "-v", "-arch", arch, str(path), "-o", os.devnull] + (["-g"] if debug else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=240)
    except subprocess.TimeoutExpired:
        return None, "", {}
    used, kernel, spill = {}, None, 0
    for m in USED.finditer(done.stderr):
        if m[1] or m[2]:
            kernel = m[1] or m[2]
        elif m[3] and kernel:
            used[kernel] = (int(m[3]), spill)
        elif m[4]:
            spill = int(m[5])
    errors = [line for line in done.stderr.splitlines() if "error" in line or "fatal" in line]
    return done.returncode, errors[0] if errors else "", used


def instrumented(ptxscope, path, out):
    done = subprocess.run([ptxscope, "instrument", str(path), "-o", str(out), "--format", "json"], capture_output=True,
                          timeout=300)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    return json.loads(done.stdout)


def check(options, path):
    """(problems, sites, registers of each kernel before and after)"""
    original = path.read_bytes()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.ptx"
        result = instrumented(options.ptxscope, path, out)
        text = out.read_bytes()
        if not result["changed"]:
            if text != original:
                problems.append("nothing records, and yet the text differs")
            return problems, 0, {}, result
        # What is between the edits stands as it was.
        at, done = 0, 0
        for edit in result["edits"]:
            same = edit["begin"] - done
            if text[at:at + same] != original[done:done + same]:
                problems.append(f"text before byte {edit['begin']} differs")
                break
            at += same + edit["bytes"]
            done = edit["end"]
        if text[at:] != original[done:]:
            problems.append("text after the last edit differs")
        again = instrumented(options.ptxscope, out, pathlib.Path(folder) / "again.ptx")
        if again["changed"]:
            problems.append("instrumented a second time")
        arch = architecture(original)
        debug = re.search(rb"^[ \t]*\.target[^\n]*\bdebug\b", original, re.MULTILINE) is not None
        before = compile_it(options.ptxas, path, arch, debug)
        if before[0] != 0:
            return problems, 0, {}, result
        after = compile_it(options.ptxas, out, arch, debug)
        if after[0] != 0:
            problems.append(f"ptxas {arch}: {after[1] or 'takes too long'}")
        registers = {name: (used, after[2].get(name)) for name, used in before[2].items()}
        return problems, len(result["sites"]), registers, result


def files(options):
    if options.files:
        return [pathlib.Path(name) for name in options.files]
    chosen = sorted((SOURCE / "samples").glob("*/*.ptx")) + sorted((SOURCE / "tests").glob("traps/**/*.ptx"))
    corpus = pathlib.Path(os.environ.get("PTXSCOPE_SHARED", SOURCE.parent / "shared")) / "corpus"
    index = corpus / "INDEX.tsv"
    if not index.is_file():
        print(f"no corpus in {corpus} (set PTXSCOPE_SHARED): the samples only")
        return chosen
    with index.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["ptxas"] == "ok"]
    corpus_files = [corpus / row["file"] for row in rows]
    corpus_files = [path for path in corpus_files if CAN_TRAP.search(path.read_bytes())]
    if not options.all:
        corpus_files = [path for path in corpus_files if path.stat().st_size < 60_000]
        corpus_files = corpus_files[:: max(1, len(corpus_files) // options.count)][: options.count]
    return chosen + corpus_files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxscope", required=True)
    parser.add_argument("--ptxas", default=shutil.which("ptxas"))
    parser.add_argument("--all", action="store_true", help="every module of the corpus that can trap")
    parser.add_argument("--count", type=int, default=40, help="modules of the corpus without --all")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--registers", action="store_true", help="show kernels that need more registers than before")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    if not options.ptxas:
        print("instrument_corpus.py: skipped: no ptxas (it comes with the CUDA toolkit)")
        return 77
    wrong, sites, changed, kernels = 0, 0, 0, []
    left = {}
    chosen = files(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, answer in zip(chosen, pool.map(lambda path: check(options, path), chosen)):
            problems, count, registers, result = answer
            for problem in problems:
                print(f"{path}: {problem}")
            wrong += bool(problems)
            sites += count
            changed += result["changed"]
            for one in result["left_alone"]:
                left[one["reason"]] = left.get(one["reason"], 0) + 1
            for name, (before, after) in registers.items():
                if after is None:
                    continue
                kernels.append((before[0], after[0], before[1], after[1]))
                if options.registers and (after[0] > before[0] or after[1] > before[1]):
                    print(f"{path}: {name}: {before[0]} -> {after[0]} registers, {before[1]} -> {after[1]} spilled bytes")
    for reason, count in sorted(left.items(), key=lambda item: -item[1]):
        print(f"left alone {count} times: {reason}")
    more = [after - before for before, after, _, _ in kernels if after > before]
    beyond = [1 for before, after, _, _ in kernels if after > max(32, before)]
    spills = [1 for _, _, before, after in kernels if after > before]
    print(f"{len(chosen)} modules, {changed} instrumented, {sites} places that ptxas compiled; {wrong} wrong")
    print(f"{len(kernels)} functions: {len(more)} need more registers, {len(beyond)} more than 32 and than before, "
          f"{len(spills)} spill more")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
