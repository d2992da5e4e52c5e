#!/usr/bin/env python3
"""Instrumented kernels in the interpreter of tests/traps, thread by thread, beside the same kernels as they were.

    instrument_runs.py --ptxscope BINARY --tell instrument_tell [--count N] [--runs N] [FILE…]

A thread must end in the same way as before. Where it traps, the record must be whole and tell the trap, the thread, the
arguments and the way that were; where it does not, nothing may be written. A record that another thread has claimed stays
as it is, and without a record the kernel does as it did. Without FILE: the cases of tests/traps and samples, and N
random kernels. Exit status 1 when something is wrong."""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "traps"))
import compare_runs  # noqa: E402
import interpreter  # noqa: E402
import ptx_reader  # noqa: E402
import random_kernels  # noqa: E402

RECORD, BYTES = 0x7000_0000_0000, 4096
FAILS = ("trap", "assert", "noreturn-call")
RELATIONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
             "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def own_last(names, key=lambda name: name):
    """The instrumenter's own behind all others, so that these keep their addresses."""
    return sorted(names, key=lambda name: "__ptxscope" in key(name))


def read_instrumented(text):
    module = ptx_reader.Module(text)
    module.functions = {name: module.functions[name] for name in own_last(module.functions)}
    module.variables = {name: module.variables[name] for name in own_last(module.variables)}
    for function in module.functions.values():
        function.variables = own_last(function.variables, lambda variable: variable.name)
    return module


def run(module, code, kernel, special, arguments, seed, claim=0, address=RECORD):
    thread = interpreter.Thread(module, special, seed=seed)
    if code:
        thread.store(thread.addresses[code["record"]], address, 8)
        thread.store(thread.addresses[code["claim"]], claim, 4)
        for i in range(BYTES):
            thread.memory[RECORD + i] = 0
    outcome = thread.run(kernel, arguments)
    return thread, outcome


def record_of(thread):
    return bytes(thread.memory[RECORD + i] for i in range(BYTES))


class Judge:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.counts = collections.Counter()
        self.records = []  # (what is known, record) until they are told of

    def wrong(self, path, sentence):
        self.counts["wrong"] += 1
        print(f"WRONG   {path}: {sentence}")

    def module(self, path, runs, rng):
        text = path.read_text(encoding="latin-1")
        out = os.path.join(self.folder, "out.ptx")
        done = subprocess.run([self.options.ptxscope, "instrument", path, "-o", out, "--format", "json"],
                              capture_output=True, text=True)
        code = json.loads(done.stdout)
        if not code["changed"]:
            self.counts["modules in which nothing records"] += 1
            return
        try:
            plain = ptx_reader.Module(text)
            changed = read_instrumented(pathlib.Path(out).read_text(encoding="latin-1"))
            for name, function in plain.functions.items():
                if function.kind == "entry" and function.statements is not None:
                    for _ in range(runs):
                        self.thread(path, plain, changed, code, name, rng)
        except (ptx_reader.Unsupported, KeyError, IndexError, ValueError, AttributeError) as problem:
            self.counts["modules that the interpreter does not know"] += 1
            if self.options.show:
                print(f"skipped {path}: {type(problem).__name__} {problem}")
        self.tell(path, code)

    def thread(self, path, plain, changed, code, kernel, rng):
        parameters = plain.functions[kernel].params
        described = {"params": [{"bytes": p.size, "meaning": "a.ptr" if p.size == 8 and rng.random() < 0.5 else ""}
                                for p in parameters]}
        special = compare_runs.random_special(rng)
        block = [rng.randrange(special["nctaid." + axis]) for axis in "xyz"]
        place = [rng.randrange(special["ntid." + axis]) for axis in "xyz"]
        special = compare_runs.at(special, block, place)
        for axis in "xyz":
            special["clusterid." + axis], special["nclusterid." + axis] = block["xyz".index(axis)], special["nctaid." + axis]
        arguments = [compare_runs.random_argument(rng, p, i) for i, p in enumerate(described["params"])]
        seed = rng.randrange(2**32)
        before, expected = run(plain, None, kernel, special, arguments, seed)
        if expected.kind == "fuel":
            return
        after, outcome = run(changed, code, kernel, special, arguments, seed)
        self.counts["threads"] += 1
        where = f"{kernel} with {[a.hex() for a in arguments]}, thread {place} of block {block}, seed {seed}"
        if outcome.kind != expected.kind or outcome.function != expected.function:
            self.wrong(path, f"ends with {outcome}, not {expected}: {where}")
            return
        record = record_of(after)
        own = {name for name in (code["record"], code["claim"])}
        places = {after.addresses[name] + i for name in own for i in range(8)}
        same = {a: v for a, v in after.memory.items()
                if a < 0x6000_0000_0000 and a not in places} == {a: v for a, v in before.memory.items()
                                                                 if a < 0x6000_0000_0000}
        if not same:
            self.wrong(path, f"memory differs afterwards: {where}")
        if expected.kind not in FAILS:
            if any(record):
                self.wrong(path, f"records, and does not trap: {where}")
            return
        self.counts["threads that trap"] += 1
        if int.from_bytes(record[0:4], "little") != 2:
            if expected.line in self.alone(code, expected.function):
                self.counts["traps that were left alone"] += 1
                return
            self.wrong(path, f"traps in line {expected.line} without a whole record: {where}")
            return
        self.records.append((kernel, expected, special, block, place, arguments, before.branches, record, where))
        if len(self.records) % 8 == 0:  # somebody else's record, and no record at all
            for claim, address in ((2, RECORD), (0, 0)):
                other, outcome = run(changed, code, kernel, special, arguments, seed, claim, address)
                if outcome.kind != expected.kind or any(record_of(other)):
                    self.wrong(path, f"with claim {claim}, address {address:#x} it ends with {outcome}: {where}")

    @staticmethod
    def alone(code, function):
        return {one["line"] for one in code["left_alone"] if one["function"] == function}

    def tell(self, path, code):
        for begin in range(0, len(self.records), 200):
            some = self.records[begin:begin + 200]
            names = []
            for i, known in enumerate(some):
                names.append(os.path.join(self.folder, f"{i}.record"))
                with open(names[-1], "wb") as stream:
                    stream.write(known[7])
            done = subprocess.run([self.options.tell, path] + names, capture_output=True, text=True)
            if done.returncode != 0:
                self.wrong(path, f"instrument_tell ends with {done.returncode}: {done.stderr[:200]}")
                break
            for known, told in zip(some, json.loads(done.stdout)["traps"]):
                self.judge(path, code, known, told)
        self.records = []

    def judge(self, path, code, known, told):
        kernel, expected, special, block, place, arguments, branches, _, where = known
        self.counts["records told of"] += 1
        if told["problem"]:
            return self.wrong(path, f"{told['problem']}: {where}")
        if told["kernels"] != [kernel] and kernel not in told["kernels"]:
            return self.wrong(path, f"told of {told['kernels']}: {where}")
        if told["block"] != block or told["thread"] != place:
            return self.wrong(path, f"told of block {told['block']} thread {told['thread']}: {where}")
        site = code["sites"][told["site"] - 1]
        direct = (site["function"], site["line"]) == (expected.function, expected.line)
        on_the_way = [(function, line) for function, line in expected.calls]
        if not direct and (site["function"], site["line"]) not in on_the_way:
            return self.wrong(path, f"told of {site['function']} line {site['line']}, not {expected}: {where}")
        if len(told["parameters"]) == len(arguments) and max(map(len, arguments)) <= 8:  # no aggregates
            for parameter, argument in zip(told["parameters"], arguments):
                if parameter["type"] in ("f32", "f64") or parameter["value"] is None:
                    continue
                value = parameter["value"] & ((1 << 8 * len(argument)) - 1)
                if value != int.from_bytes(argument, "little"):
                    self.wrong(path, f"parameter {parameter['name']} told as {parameter['value']}: {where}")
        ways = site["ways"]
        if told["way"] is None:
            self.counts["ways that cannot be told"] += 1
        else:
            line = ways[told["way"]]["branch_line"]
            lines = {way["branch_line"] for way in ways}
            here = [b for b in branches if b[0] == site["function"] and b[1] in lines]
            if line is not None and (not here or here[-1][1] != line):
                self.wrong(path, f"told of the way by line {line}, not {here[-1:]}: {where}")
            self.counts["ways told"] += 1
        sides = told["sides"]
        if len(sides) == 2 and sides[0]["type"] not in ("f16", "f32", "f64") and told["way"] is not None:
            words = (told["condition"] or "").split()
            relation = {">=": "ge", "<=": "le", ">": "gt", "<": "lt", "==": "eq", "!=": "ne"}
            found = [relation[word] for word in words if word in relation]
            values = [side["value"] for side in sides]
            if len(found) == 1 and None not in values:
                self.counts["conditions with both sides known"] += 1
                if not RELATIONS[found[0]](*values):
                    self.wrong(path, f"{told['condition']} with {values}: {where}")
            elif None in values:
                self.counts["conditions with a side not known"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxscope", required=True)
    parser.add_argument("--tell", required=True)
    parser.add_argument("--count", type=int, default=30, help="random kernels")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--runs", type=int, default=6, help="threads of each kernel")
    parser.add_argument("--show", action="store_true", help="say which modules are skipped")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    paths = [pathlib.Path(name) for name in options.files]
    if not paths:
        paths = sorted((HERE / "traps" / "cases").glob("**/*.ptx")) + sorted((HERE / "traps" / "unanswered").glob("*.ptx"))
        paths += sorted((HERE.parent / "samples").glob("*/*.ptx"))
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(options, folder)
        for path in paths:
            judge.module(path, options.runs, random.Random(str(path.name)))
        for seed in range(options.first, options.first + (0 if options.files else options.count)):
            path = pathlib.Path(folder) / f"random{seed}.ptx"
            path.write_text(random_kernels.kernel(seed))
            judge.module(path, options.runs, random.Random(seed))
    for what, count in sorted(judge.counts.items()):
        print(f"{count:7} {what}")
    print("wrong" if judge.counts["wrong"] else "all as expected")
    return 1 if judge.counts["wrong"] or not judge.counts["records told of"] else 0


if __name__ == "__main__":
    sys.exit(main())
