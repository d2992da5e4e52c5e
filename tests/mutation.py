#!/usr/bin/env python3
"""Do the tests notice when analysis/ is broken? Breaks lines at random, one at a time, and runs the tests on each.

    tests/mutation.py [--count 50] [--seed 1] [--fast] [--jobs 2] [--work FOLDER] [--shared ../shared]
    tests/mutation.py --again [--fast] [--work FOLDER]     the breaks not noticed so far, with the tests as they are now

All breaks are compiled into one build of a copy of the tree, each behind a switch, so that there is one build and not
fifty; what is not broken is compiled as `cmake --preset ci` does it, for the sake of compiler caches (FOLDER is then best
as deep as this tree). Breaks: a condition turned over, a comparison moved by one, a statement left out (memory asked for
in advance is none), a returned truth turned over; in all of analysis/*.cpp.

The tests run once with nothing broken, which tells how long each takes and which lines it runs, and leaves out those
that fail anyway. Then each break meets the tests that run its line, the fastest first, until one fails, crashes or takes
ten times as long. That counts if the test passes when it is run once more with nothing broken. Writes
FOLDER/build/breaks.json; exit status 1 below 90 %, 2 when it could not be tried."""
import argparse
import filecmp
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST = 4096
SWITCH = """#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
namespace ptxscope_mutation {
/// A file that all processes share, however they were started: which break is on (-1: none), and whose lines were run.
struct Switch {
  int on;
  unsigned char reached[@MOST@];
};
inline Switch& shared() {
  static Switch* const found = [] {
    static Switch none{-1, {}};
    const int file = ::open("@SWITCH@", O_RDWR | O_CLOEXEC);
    void* memory = file < 0 ? MAP_FAILED : ::mmap(nullptr, sizeof(Switch), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) ::close(file);
    return memory == MAP_FAILED ? &none : static_cast<Switch*>(memory);
  }();
  return *found;
}
inline bool is_on(int number) {
  Switch& all = shared();
  if (__atomic_load_n(&all.reached[number], __ATOMIC_RELAXED) == 0) __atomic_store_n(&all.reached[number], 1, __ATOMIC_RELAXED);
  return all.on == number;
}
}
"""
# Test executables that link analysis/; the goldens, each by itself.
UNIT_TESTS = ["retarget", "bench", "cfg", "check", "checks", "diff", "debug_names", "expr", "traps", "instrument", "lsp_parts",
              "launch", "requirements", "report", "stats", "values"]
OTHER_FAST_TESTS = ["fuzz_replay"]
GOLDEN = "golden"
# What reads much, or looks at analysis/ from further away.
SLOW_TESTS = ["docs", "sarif", "trap_runs", "random_kernels", "instrument_runs", "bench_commands", "trap_answers", "stats_counts",
              "diff_properties", "lsp", "schemas", "jobs", "remedies", "oracle_truth", "oracle_corpus", "retarget_ptxas",
              "instrument_ptxas", "diff_targets_sm_75,sm_80", "diff_targets_sm_80,sm_90a", "adversarial", "hostile_output",
              "output_files", "progress", "page", "scan", "run"]
TARGETS = ["ptxscope", *(f"{name}_test" for name in UNIT_TESTS), "instrument_tell", "oracle_forms", "bench_fake_cuda",
           "ptxscope_preload", "fake_cuda", *OTHER_FAST_TESTS]
SKIPPED = 77


def breaks_of(lines):
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
        if match := re.match(r"^(\s*)return ([^;{}]* (?:==|!=|<|>|<=|>=|&&|\|\|) [^;{}]*);$", code):
            value = outside(match[2])
            is_truth = re.search(r" (?:==|!=|<|>|<=|>=|&&|\|\|) ", value) and "<" not in re.sub(" <=? ", "", value)
            if balanced(match[2]) and is_truth and "?" not in match[2]:
                yield number, "returned truth turned over", f"{match[1]}return {on} ? !({match[2]}) : ({match[2]});"
        if match := re.match(r"^(\s+)([\w.\->\[\]]+(?:\([^;{}]*\)|\+\+| (?:=|\+=|\|=|&=) [^;{}]+));$", code):
            statement = match[2]
            previous = lines[number - 1].split("//")[0].rstrip() if number else ""
            whole = previous.endswith((";", "{", "}", ":")) or not previous
            nothing = re.match(r"(return|delete|throw|using|break|continue)\b|[\w.]+\.reserve\(", statement)
            if balanced(statement) and whole and not nothing:
                yield number, "statement left out", f"{match[1]}if (!{on}) {statement};"


def balanced(text):
    depth = 0
    for char in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
        if depth < 0:
            return False
    return depth == 0


def outside(text):
    """Without what stands in parentheses: a comparison there is an argument, and what is returned need be no truth."""
    while text != (text := re.sub(r"\([^()]*\)", "", text)):
        pass
    return text


def plant(source, count, seed):
    """Breaks `count` lines of the copy of analysis/, no two of one line."""
    folder = os.path.join(source, "analysis")
    sites = []
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".cpp")):
        with open(os.path.join(folder, name)) as file:
            sites += [(name, *site) for site in breaks_of(file.read().split("\n"))]
    random.Random(seed).shuffle(sites)
    chosen = {}
    for name, number, kind, text in sites:
        if len(chosen) < count:
            chosen.setdefault((name, number), (kind, text))
    planted = []
    for place, ((name, number), (kind, text)) in enumerate(chosen.items()):
        path = os.path.join(folder, name)
        with open(path) as file:
            lines = file.read().split("\n")
        planted.append({"number": place, "file": f"analysis/{name}", "line": number + 1, "kind": kind, "was": lines[number].strip()})
        lines[number] = text.replace("%d", str(place))
        with open(path, "w") as file:
            file.write("\n".join(lines))
    broken = sorted({os.path.basename(one["file"]) for one in planted})
    for name in broken:
        with open(os.path.join(folder, name)) as file:
            text = file.read()
        with open(os.path.join(folder, name), "w") as file:
            file.write(f'#include "mutation_switch.h"\n#line 1\n{text}')
    # Broken code may have warnings. It is compiled anew for each seed, so it is compiled fast.
    with open(os.path.join(folder, "CMakeLists.txt"), "a") as file:
        file.write(f'\nset_source_files_properties({" ".join(broken)} PROPERTIES COMPILE_OPTIONS "-w;-O1")\n')
    return planted, len(sites)


def copy_tree(source, keep):
    """The tree as it is now; files of `keep` are left, and those that did not change keep their time."""
    wanted = set()
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in ("build", ".git", ".gpu", "__pycache__")]
        inside = os.path.relpath(folder, ROOT)
        os.makedirs(os.path.join(source, inside), exist_ok=True)
        for name in names:
            path, other = os.path.join(folder, name), os.path.normpath(os.path.join(source, inside, name))
            wanted.add(other)
            if os.path.relpath(other, source) not in keep and not (os.path.isfile(other) and filecmp.cmp(path, other, shallow=False)):
                shutil.copy2(path, other, follow_symlinks=False)
                os.utime(other, follow_symlinks=False)
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in ("build", "__pycache__")]
        for name in names:
            path = os.path.join(folder, name)
            if path not in wanted and os.path.relpath(path, source) not in keep:
                os.remove(path)


class Switch:
    def __init__(self, path):
        self.path = path

    def turn(self, number):
        """One break on, or none (-1); forgets which lines were run. Processes of the last test are gone by now."""
        with open(self.path, "wb") as file:
            file.write(number.to_bytes(4, sys.byteorder, signed=True) + bytes(MOST))

    def reached(self):
        with open(self.path, "rb") as file:
            return {number for number, byte in enumerate(file.read()[4:]) if byte}


class Tests:
    """The tests of a build, as CTest knows them."""

    def __init__(self, build, log, shared):
        self.log = log
        self.environment = {**os.environ, "PTXSCOPE_SHARED": shared}
        told = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
        self.tests = {test["name"]: test for test in json.loads(told.stdout)["tests"] if "command" in test}
        goldens = self.tests.pop(GOLDEN)
        folder = os.path.dirname(goldens["command"][1])
        self.goldens = [f"{GOLDEN} {name}" for name, kind in map(os.path.splitext, sorted(os.listdir(folder))) if kind in (".ptx", ".run")]
        for name in self.goldens:
            self.tests[name] = {**goldens, "command": [*goldens["command"], name.split()[1]]}

    def run(self, name, limit):
        """(whether it passed, seconds); False when it took longer than `limit`."""
        properties = {one["name"]: one["value"] for one in self.tests[name].get("properties", [])}
        environment = {**self.environment, **dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", []))}
        command = self.tests[name]["command"] + (["--abort"] if name in UNIT_TESTS else [])
        begin = time.monotonic()
        with open(self.log, "a") as file:
            file.write(f"\n===== {name}\n")
            file.flush()
            process = subprocess.Popen(command, cwd=properties.get("WORKING_DIRECTORY"), env=environment, stdin=subprocess.DEVNULL,
                                       stdout=file, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=bound)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            try:
                os.killpg(process.pid, signal.SIGKILL)   # what it left behind, too
            except ProcessLookupError:
                pass
            process.wait()
            took = time.monotonic() - begin
            file.write(f"===== {name}: {'over time' if status is None else status}, {took:.1f} s\n")
        return status in (0, SKIPPED), took


def bound():
    """A break may ask for all memory, or write without end."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def look_at_clean(tests, switch, names):
    """{test: {"seconds", "lines"}} of those that pass with nothing broken, the fastest first."""
    known = {}
    for name in (name for name in names if name in tests.tests):
        switch.turn(-1)
        passed, took = tests.run(name, 1800)
        if not passed:
            print(f"mutation: {name} fails with nothing broken, and is left out; see {tests.log}", flush=True)
        elif lines := switch.reached():
            known[name] = {"seconds": round(took, 2), "lines": sorted(lines)}
    return dict(sorted(known.items(), key=lambda one: one[1]["seconds"]))


def notice(one, tests, known, switch):
    """The test that fails first with that break; None: none does."""
    for name, told in known.items():
        if one["number"] not in told["lines"]:
            continue
        limit = 20 + 10 * told["seconds"]
        switch.turn(one["number"])
        passed, took = tests.run(name, limit)
        if passed:
            continue
        switch.turn(-1)
        if not tests.run(name, limit)[0]:
            continue   # not the break's doing: the machine was busy, or the like
        return name + (" (over time)" if took >= limit else "")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50, help=f"how many lines are broken, at most {MOST}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="of the build")
    parser.add_argument("--fast", action="store_true", help="unit tests, goldens and fuzz_replay alone")
    parser.add_argument("--again", action="store_true", help="the breaks that the last call did not see noticed")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "mutation"))
    parser.add_argument("--shared", default=os.environ.get("PTXSCOPE_SHARED", os.path.join(ROOT, "..", "shared")))
    options = parser.parse_args()
    source = os.path.abspath(options.work)
    build = os.path.join(source, "build", "broken")
    breaks, log = os.path.join(source, "build", "breaks.json"), os.path.join(source, "build", "log.txt")
    switch = Switch(os.path.join(source, "build", "switch"))
    if options.again:
        if not os.path.isfile(breaks) or not os.path.getsize(breaks):
            print(f"mutation: {breaks}: no such file; --again needs a call without it first, with the same --work")
            return 2
        with open(breaks) as file:
            told = json.load(file)
        ours = {"analysis/CMakeLists.txt", "analysis/mutation_switch.h"}
        copy_tree(source, {one["file"] for one in told["breaks"]} | ours)
    else:
        if os.path.isdir(source) and os.listdir(source) and not os.path.isfile(breaks):
            print(f"mutation: {source} holds something else, and all of it would be lost; name another folder with --work")
            return 2
        os.makedirs(os.path.dirname(breaks), exist_ok=True)
        open(breaks, "a").close()
        copy_tree(source, set())
        planted, possible = plant(source, min(options.count, MOST), options.seed)
        told = {"seed": options.seed, "possible": possible, "breaks": planted}
        with open(os.path.join(source, "analysis", "mutation_switch.h"), "w") as file:
            file.write(SWITCH.replace("@MOST@", str(MOST)).replace("@SWITCH@", switch.path))
        with open(breaks, "w") as file:
            json.dump(told, file, indent=1)

    switch.turn(-1)
    configure = ["cmake", "--preset", "ci", "-B", build, "-DPTXSCOPE_BENCH=OFF", "-DPTXSCOPE_GUI=OFF", "-DPTXSCOPE_PYTHON=OFF",
                 f"-DPTXSCOPE_SHARED={os.path.abspath(options.shared)}"]
    compile_all = ["cmake", "--build", build, f"-j{options.jobs}", "--target", *TARGETS]
    with open(log, "w") as file:
        for command in (configure, compile_all):
            if subprocess.run(command, cwd=source, stdout=file, stderr=subprocess.STDOUT, check=False).returncode:
                print(f"mutation: the broken copy does not build; see {log}")
                return 2

    tests = Tests(build, log, os.path.abspath(options.shared))
    known = look_at_clean(tests, switch, UNIT_TESTS + OTHER_FAST_TESTS + tests.goldens + ([] if options.fast else SLOW_TESTS))
    told["tests"] = {name: one["seconds"] for name, one in known.items()}
    for one in told["breaks"]:
        if options.again and one.get("noticed_by"):
            continue
        begin = time.monotonic()
        one["run_by"] = [name for name in known if one["number"] in known[name]["lines"]]
        one["noticed_by"] = notice(one, tests, known, switch)
        with open(breaks, "w") as file:
            json.dump(told, file, indent=1)
        unnoticed = "NOT NOTICED" if one["run_by"] else "NOT NOTICED: no test runs this line"
        print(f"{one['number']:3} {one['file']}:{one['line']}  {one['kind']}: {one['was'][:90]}\n"
              f"      {'noticed by ' + one['noticed_by'] if one['noticed_by'] else unnoticed}, {time.monotonic() - begin:.0f} s",
              flush=True)
    switch.turn(-1)
    count = len(told["breaks"])
    noticed = sum(one["noticed_by"] is not None for one in told["breaks"])
    print(f"mutation: {noticed} of {count} breaks noticed ({noticed / count:.0%}); {told['possible']} were possible, "
          f"seed {told['seed']}")
    return 0 if noticed >= 0.9 * count else 1


if __name__ == "__main__":
    sys.exit(main())
