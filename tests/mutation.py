#!/usr/bin/env python3
"""Do the tests notice when analysis/ is broken? Breaks lines at random, one at a time, and runs the tests on each.

    tests/mutation.py [--count 50] [--seed 1] [--jobs 2] [--work FOLDER] [--shared ../shared]

All breaks are compiled into one build, in a copy of the tree, each behind a switch that an environment variable turns
(PTXSCOPE_MUTANT=17), so that there is one build and not fifty. Breaks: a condition turned over, a comparison moved by
one or turned round, a statement left out, a returned truth turned over. The fast tests come first, and the first that
fails ends the look at a break. Writes what was noticed by which test, and what was not; exit status 1 below 90 %."""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SWITCH = """#pragma once
#include <cstdlib>
namespace ptxscope_mutation {
inline bool is_on(int number) {
  static const int chosen = [] {
    const char* text = std::getenv("PTXSCOPE_MUTANT");
    return text == nullptr ? -1 : std::atoi(text);
  }();
  return chosen == number;
}
}
"""
# These come when the fast ones have found nothing.
SLOW = "^(trap_answers|diff_properties|diff_targets.*|stats_counts|oracle.*|remedies|.*corpus.*|fuzz.*|schemas|jobs|instrument_.*|documentation|limits|adversarial.*|hostile.*)$"


def breaks_of(path, lines):
    """(line number, kind, the line broken by a switch %d)."""
    in_raw = False
    for number, line in enumerate(lines):
        code = line.split("//")[0].rstrip()
        if 'R"' in code:
            in_raw = not in_raw
        if in_raw or "constexpr" in code or "static_assert" in code or code.lstrip().startswith("#") or '"' in code:
            continue
        on = "::ptxscope_mutation::is_on(%d)"
        if match := re.match(r"^(\s*(?:\} else )?if )\(([^;]*)\)( \{| [^{};]+;)?$", code):
            condition = match[2]
            if condition.count("(") == condition.count(")") and " = " not in condition and balanced(condition):
                yield number, "condition turned over", f"{match[1]}(({on}) != static_cast<bool>({condition})){match[3] or ''}"
                if single := re.match(r"^([\w.\[\]()>-]+) (<|>|<=|>=) ([\w.\[\]()>-]+)$", condition):
                    other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[single[2]]
                    yield (number, "comparison moved by one",
                           f"{match[1]}({on} ? ({single[1]} {other} {single[3]}) : ({condition})){match[3] or ''}")
        if match := re.match(r"^(\s*)return ([^;{}]*(?:==|!=|<|>|&&|\|\|)[^;{}]*);$", code):
            if balanced(match[2]) and "?" not in match[2] and "<" not in match[2].replace(" < ", "").replace(" <= ", ""):
                yield number, "returned truth turned over", f"{match[1]}return {on} ? !({match[2]}) : ({match[2]});"
        if match := re.match(r"^(\s+)([\w.\->\[\]]+(?:\([^;{}]*\)|\+\+| (?:=|\+=|\|=|&=) [^;{}]+));$", code):
            statement = match[2]
            previous = lines[number - 1].split("//")[0].rstrip() if number else ""
            whole = previous.endswith((";", "{", "}", ":")) or not previous
            if balanced(statement) and whole and not re.match(r"(return|delete|throw|using|break|continue)\b", statement):
                yield number, "statement left out", f"{match[1]}if (!{on}) {statement};"


def balanced(text):
    depth = 0
    for char in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0


def plant(work, count, seed):
    """Breaks `count` lines of the copy of analysis/, no two of one line."""
    folder = os.path.join(work, "analysis")
    sites = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".cpp") or name.startswith("bench_"):
            continue
        with open(os.path.join(folder, name)) as file:
            lines = file.read().split("\n")
        sites += [(name, number, kind, text) for number, kind, text in breaks_of(name, lines)]
    random.Random(seed).shuffle(sites)
    chosen, taken = [], set()
    for name, number, kind, text in sites:
        if len(chosen) < count and (name, number) not in taken:
            taken.add((name, number))
            chosen.append((name, number, kind, text))
    planted = []
    for place, (name, number, kind, text) in enumerate(chosen):
        path = os.path.join(folder, name)
        with open(path) as file:
            lines = file.read().split("\n")
        planted.append({"number": place, "file": f"analysis/{name}", "line": number + 1, "kind": kind, "was": lines[number].strip()})
        lines[number] = text.replace("%d", str(place))
        with open(path, "w") as file:
            file.write("\n".join(lines))
    return planted, len(sites)


def run(command, log, **more):
    with open(log, "a") as file:
        return subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False, **more).returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "mutation"))
    parser.add_argument("--shared", default=os.environ.get("PTXSCOPE_SHARED", os.path.join(ROOT, "..", "shared")))
    parser.add_argument("--exclude", default="^(python|package|viewer|gui|page|format|deb|lsp|completion|bench|run|doctor|contain|links|progress).*",
                        help="tests that look at none of it")
    options = parser.parse_args()
    source, build = os.path.join(options.work, "source"), os.path.join(options.work, "build")
    shutil.rmtree(source, ignore_errors=True)
    os.makedirs(options.work, exist_ok=True)
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("build", ".git", ".cache", ".gpu"), symlinks=True)
    if os.path.isdir(os.path.join(ROOT, ".cache")):
        shutil.copytree(os.path.join(ROOT, ".cache"), os.path.join(source, ".cache"))
    planted, possible = plant(source, options.count, options.seed)
    switch = os.path.join(options.work, "mutation_switch.h")
    with open(switch, "w") as file:
        file.write(SWITCH)
    log = os.path.join(options.work, "log.txt")
    shared = os.path.abspath(options.shared)
    configure = ["cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -w",
                 f"-DCMAKE_CXX_FLAGS=-include {switch}", f"-DPTXSCOPE_SHARED={shared}", "-DPTXSCOPE_BENCH=OFF"]
    if run(configure, log) or run(["cmake", "--build", build, f"-j{options.jobs}"], log):
        print(f"mutation: the broken copy does not build; see {log}")
        return 2
    environment = {key: value for key, value in os.environ.items() if key != "PTXSCOPE_MUTANT"}

    def first_failure(output, mutant):
        """The test that fails first, fast ones before slow ones; None: all pass."""
        for choice in (["-E", f"{options.exclude}|{SLOW}"], ["-R", SLOW, "-E", options.exclude]):
            status = run(["ctest", "--test-dir", build, *choice, "--stop-on-failure", "--timeout", "120", f"-j{options.jobs}"], output,
                         env={**environment, **mutant})
            with open(output) as file:
                failed = re.findall(r"^\s*\d+/\d+ Test +#\d+: (\S+) .*\*\*\*(?!Skipped|Not Run)", file.read(), re.MULTILINE)
            if status and failed:
                return failed[0]
        return None

    clean = os.path.join(options.work, "clean.txt")
    open(clean, "w").close()
    if failure := first_failure(clean, {}):
        print(f"mutation: {failure} fails with nothing broken; see {clean}")
        return 2
    noticed = 0
    for one in planted:
        begin = time.monotonic()
        output = os.path.join(options.work, f"mutant-{one['number']}.txt")
        open(output, "w").close()
        one["noticed_by"] = first_failure(output, {"PTXSCOPE_MUTANT": str(one["number"])})
        noticed += one["noticed_by"] is not None
        print(f"{one['number']:3} {one['file']}:{one['line']}  {one['kind']}: {one['was'][:90]}\n"
              f"      {'noticed by ' + one['noticed_by'] if one['noticed_by'] else 'NOT NOTICED'}, {time.monotonic() - begin:.0f} s", flush=True)
    with open(os.path.join(options.work, "mutants.json"), "w") as file:
        json.dump(planted, file, indent=1)
    share = noticed / len(planted)
    print(f"mutation: {noticed} of {len(planted)} breaks noticed ({share:.0%}); {possible} were possible, seed {options.seed}")
    return 0 if share >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
