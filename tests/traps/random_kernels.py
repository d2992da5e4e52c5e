#!/usr/bin/env python3
"""Random kernels against the interpreter: for each launch, exactly the threads that trap when run must be said to trap.

    random_kernels.py --ptxscope BINARY [--first SEED] [--count N]

A kernel is made of integer and predicate arithmetic, guarded instructions, forward branches, a counted loop, stores to
and loads from .local memory of any width, and calls of functions that may trap themselves. "Cannot tell" is allowed; a
wrong number of threads, a wrong first one, a trap called dead that fires or one that is not reported is not.
"""

import argparse
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare_runs  # noqa: E402
import ptx_reader  # noqa: E402

WORDS = [f"%r{i}" for i in range(8)]
DOUBLES = [f"%rd{i}" for i in range(6)]
PREDICATES = [f"%p{i}" for i in range(6)]
CONSTANTS = ("0", "1", "2", "3", "5", "7", "8", "31", "32", "33", "100", "255", "-1", "-5", "65535", "0x80000000")


class Body:
    """Statements of one function."""

    def __init__(self, rng, prefix, callees, local):
        self.rng, self.prefix, self.callees, self.local = rng, prefix, callees, local
        self.lines, self.labels, self.calls = [], 0, 0

    def word(self):
        return self.rng.choice(WORDS) if self.rng.random() < 0.75 else self.rng.choice(CONSTANTS)

    def double(self):
        return (
            self.rng.choice(DOUBLES)
            if self.rng.random() < 0.8
            else self.rng.choice(("0", "1", "3", "63", "-1", "4096"))
        )

    def predicate(self):
        return self.rng.choice(PREDICATES)

    def sign(self):
        return self.rng.choice("us")

    def guard(self):
        return f"@{self.rng.choice(('', '!'))}{self.predicate()} "

    def compare(self):
        pick = self.rng.choice
        kind = pick(("u32", "s32", "b32", "u64", "s64", "u32", "s32"))
        ops = ["eq", "ne"] if kind[0] == "b" else ["eq", "ne", "lt", "le", "gt", "ge"]
        if kind[0] == "u":
            ops += ["lo", "ls", "hi", "hs"]
        sides = f"{pick(WORDS)}, {self.word()}" if kind.endswith("32") else f"{pick(DOUBLES)}, {self.double()}"
        target, op, form = self.predicate(), pick(ops), self.rng.random()
        if form < 0.6:
            return f"setp.{op}.{kind} {target}, {sides};"
        combine = pick(("and", "or", "xor"))
        if form < 0.8:
            return f"setp.{op}.{combine}.{kind} {target}, {sides}, {pick(('', '!'))}{self.predicate()};"
        other = pick([p for p in PREDICATES if p != target])
        return f"setp.{op}.{combine}.{kind} {target}|{other}, {sides}, {self.predicate()};"

    def arithmetic(self):
        pick, word, s = self.rng.choice, self.word, self.sign()
        d, wide = pick(WORDS), pick(DOUBLES)
        a, b, c = pick(WORDS), pick(WORDS), pick(WORDS)
        return pick(
            (
                f"add.s32 {d}, {a}, {word()};",
                f"sub.u32 {d}, {a}, {word()};",
                f"mul.lo.u32 {d}, {a}, {word()};",
                f"mad.lo.s32 {d}, {a}, {word()}, {word()};",
                f"mul.wide.{s}32 {wide}, {a}, {word()};",
                f"mul.hi.{s}32 {d}, {a}, {word()};",
                f"{pick(('and', 'or', 'xor'))}.b32 {d}, {a}, {word()};",
                f"{pick(('and', 'or', 'xor'))}.pred {self.predicate()}, {self.predicate()}, {self.predicate()};",
                f"not.pred {self.predicate()}, {self.predicate()};",
                f"shl.b32 {d}, {a}, {word()};",
                f"shr.{s}32 {d}, {a}, {word()};",
                f"{pick(('min', 'max'))}.{s}32 {d}, {a}, {word()};",
                f"selp.b32 {d}, {word()}, {word()}, {self.predicate()};",
                f"cvt.{self.sign()}64.{s}32 {wide}, {a};",
                f"cvt.u32.u64 {d}, {pick(DOUBLES)};",
                f"cvt.{s}32.{pick(('u8', 's8', 'u16', 's16'))} {d}, {a};",
                f"bfe.{s}32 {d}, {a}, {pick((0, 1, 4, 8, 16, 31))}, {pick((0, 1, 4, 8, 16, 32))};",
                f"bfi.b32 {d}, {a}, {b}, {pick((0, 1, 4, 8, 16, 31))}, {pick((0, 1, 4, 8, 16))};",
                f"prmt.b32 {d}, {a}, {b}, 0x{self.rng.randrange(65536):x};",
                f"lop3.b32 {d}, {a}, {b}, {c}, 0x{self.rng.randrange(256):x};",
                f"shf.{pick('lr')}.{pick(('wrap', 'clamp'))}.b32 {d}, {a}, {b}, {word()};",
                f"popc.b32 {d}, {a};",
                f"clz.b32 {d}, {a};",
                f"brev.b32 {d}, {a};",
                f"add.u64 {wide}, {pick(DOUBLES)}, {self.double()};",
                f"{pick(('shl.b64', 'shr.u64', 'shr.s64'))} {wide}, {pick(DOUBLES)}, {word()};",
                f"set.{pick(('lt', 'eq', 'ge'))}.u32.{s}32 {d}, {a}, {word()};",
                f"{pick(('neg.s32', 'not.b32', 'abs.s32'))} {d}, {a};",
                f"mov.b64 {wide}, {{{a}, {b}}};",
                f"mov.b64 {{{a}, {b}}}, {wide};" if a != b else f"mov.u32 {d}, {a};",
                f"{pick(('min', 'max'))}.{s}64 {wide}, {pick(DOUBLES)}, {self.double()};",
                f"mad.wide.{s}32 {wide}, {a}, {b}, {pick(DOUBLES)};",
            )
        )

    def memory(self):
        pick = self.rng.choice
        size = pick((1, 2, 4, 4, 4, 8))
        offset = size * self.rng.randrange(32 // size)
        space, base = pick(((".local", "%SPL"), ("", "%SP")))
        register = pick(DOUBLES) if size == 8 else pick(WORDS)
        form = self.rng.random()
        if form < 0.1:
            pair = self.rng.sample(WORDS, 2)
            offset = 8 * self.rng.randrange(4)
            return [
                pick(
                    (
                        f"st{space}.v2.u32 [{base}+{offset}], {{{pair[0]}, {pair[1]}}};",
                        f"ld{space}.v2.u32 {{{pair[0]}, {pair[1]}}}, [{base}+{offset}];",
                    )
                )
            ]
        if form < 0.17:  # a place that only the thread knows
            return [
                f"and.b32 %at, {pick(WORDS)}, 28;",
                "cvt.u64.u32 %place, %at;",
                "add.u64 %place, %SPL, %place;",
                pick((f"st.local.u32 [%place], {pick(WORDS)};", f"ld.local.u32 {pick(WORDS)}, [%place];")),
            ]
        if form < 0.55:
            return [f"st{space}.u{8 * size} [{base}+{offset}], {register};"]
        kind = self.sign() if size < 4 else "u"
        return [f"ld{space}.{kind}{8 * size} {register}, [{base}+{offset}];"]

    def call(self):
        pick = self.rng.choice
        callee, guard = pick(self.callees), self.guard() if self.rng.random() < 0.2 else ""
        lines = [
            "{",
            ".param .b32 in0;",
            ".param .b32 in1;",
            ".param .b32 result;",
            f"st.param.b32 [in0], {self.word()};",
            f"st.param.b32 [in1], {pick(WORDS)};",
            f"{guard}call.uni (result), {callee}, (in0, in1);",
        ]
        if not guard:
            lines.append(f"ld.param.b32 {pick(WORDS)}, [result];")
        return lines + ["}"]

    def label(self):
        self.labels += 1
        return f"{self.prefix}{self.labels}"

    def fill(self, count, depth=0):
        waiting = []
        for i in range(count):
            form = self.rng.random()
            if form < 0.27:
                self.lines.append(self.compare())
            elif form < 0.45 and self.local:
                self.lines += self.memory()
            elif form < 0.50 and self.callees and self.calls < 3:
                self.calls += 1
                self.lines += self.call()
            elif form < 0.53 and depth == 0 and count > 12:
                top, counter = self.label(), "%count"
                self.lines += [f"mov.u32 {counter}, 0;", top + ":"]
                self.fill(self.rng.randrange(2, 6), 1)
                self.lines += [
                    f"add.u32 {counter}, {counter}, 1;",
                    f"setp.lt.u32 %again, {counter}, {self.rng.randrange(1, 4)};",
                    f"@%again bra {top};",
                ]
            else:
                self.lines.append((self.guard() if self.rng.random() < 0.15 else "") + self.arithmetic())
            form = self.rng.random()
            if form < 0.12:
                over = self.label()
                self.lines.append(f"{self.guard()}bra {over};")
                waiting.append((i + self.rng.randrange(1, 6), over))
            elif form < 0.16 and i > 3:
                self.lines.append(f"{self.guard()}trap;")
            elif form < 0.20 and i > 3:
                self.lines.append(f"{self.guard()}bra {self.prefix}TRAP{self.rng.randrange(2)};")
            for due in [w for w in waiting if w[0] <= i]:
                self.lines.append(due[1] + ":")
                waiting.remove(due)
        self.lines += [w[1] + ":" for w in waiting]

    def traps(self):
        """The trap blocks that something branches to."""
        used = [f"{self.prefix}TRAP{i}" for i in range(2)]
        return [
            line for label in used if any(f"bra {label};" in s for s in self.lines) for line in (label + ":", "trap;")
        ]


REGISTERS = [".reg .pred %p<6>, %again;", ".reg .b32 %r<8>, %count, %at;", ".reg .b64 %rd<6>, %SP, %SPL, %place;"]


def started(rest):
    lines = REGISTERS + [".local .align 8 .b8 depot[32];", "mov.u64 %SPL, depot;", "cvta.local.u64 %SP, %SPL;"] + rest
    lines += [f"cvt.u64.u32 %rd{i}, %r{i};" for i in range(1, 6)]
    lines += [f"setp.lt.u32 %p{i}, %r{i}, %r{i + 1};" for i in range(6)]
    return lines + [f"st.local.u64 [%SPL+{8 * i}], %rd{i + 1};" for i in range(4)]


def kernel(seed):
    rng = random.Random(seed)
    features = rng.choice((("plain",), ("local",), ("calls",), ("local", "calls")))
    lines = [".version 8.3", ".target sm_90", ".address_size 64"]
    names = ["f0", "f1"] if "calls" in features else []
    for i, name in enumerate(names):
        body = Body(rng, f"{name}_", names[:i], "local" in features)
        body.fill(rng.randrange(3, 8))
        lines += [f".func (.param .b32 out) {name}(.param .b32 x, .param .b32 y)", "{"]
        lines += started(
            [
                "ld.param.u32 %r0, [x];",
                "ld.param.u32 %r1, [y];",
                "mov.u32 %r2, %tid.x;",
                "add.u32 %r3, %r0, %r1;",
                "mov.u32 %r4, 3;",
                "xor.b32 %r5, %r0, %r1;",
                "mov.u32 %r6, %ctaid.x;",
                "mov.u32 %r7, 1;",
                "mov.u64 %rd0, 9;",
            ]
        )
        lines += body.lines + [f"st.param.b32 [out], {rng.choice(WORDS)};", "ret;"] + body.traps() + ["}"]
    body = Body(rng, "L", names, "local" in features)
    body.fill(rng.randrange(8, 26))
    # The last statement is a trap block, used or not: one that is not must be seen to be out of reach.
    lines += [".visible .entry k(.param .u32 a, .param .u32 b, .param .u64 c)", "{"]
    lines += started(
        [
            "ld.param.u32 %r0, [a];",
            "ld.param.u32 %r1, [b];",
            "mov.u32 %r2, %tid.x;",
            "mov.u32 %r3, %ctaid.x;",
            "mov.u32 %r4, %ntid.x;",
            "mad.lo.u32 %r5, %r3, %r4, %r2;",
            "mov.u32 %r6, 17;",
            "mov.u32 %r7, %r0;",
            "ld.param.u64 %rd0, [c];",
        ]
    )
    lines += body.lines + [body.compare(), f"{body.guard()}trap;", "ret;"] + body.traps() + ["never:", "trap;", "}"]
    return "\n".join(lines) + "\n"


def complaints(binary, path, text, rng):
    """For a few launches: (verdict, sentence) of each trap that is not simply right; and the number of answers."""
    found, answers = [], 0
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    module = ptx_reader.Module(text)
    for _ in range(2):
        blocks, threads = rng.choice(((1, 8), (2, 4), (3, 5)))
        values = [
            rng.choice((0, 1, 2, 5, 7, 8, 31, 32, 33, 255, 2**31, 2**32 - 1, rng.randrange(2**32))) for _ in range(2)
        ]
        values.append(rng.choice((0, 1, 5, 2**32, 2**63, 2**64 - 1, rng.randrange(2**64))))
        arguments = [v.to_bytes(n, "little") for v, n in zip(values, (4, 4, 8))]
        special = {"ntid.x": threads, "ntid.y": 1, "ntid.z": 1, "nctaid.x": blocks, "nctaid.y": 1, "nctaid.z": 1}
        ends, external, _ = compare_runs.simulate(module, "k", arguments, special, (blocks, 1, 1), (threads, 1, 1), 1)
        flags = ["--grid", str(blocks), "--block", str(threads)]
        for i, value in enumerate(values):
            flags += ["--arg", f"#{i}={value}"]
        document, problem = compare_runs.run_tool(binary, path, *flags)
        if problem:
            return [("wrong", problem)], answers
        traps = next(f for f in document["functions"] if f["name"] == "k")["traps"]
        ended = {o.key() for _, _, o in ends if o.kind not in ("return", "fuel")}
        for key in ended - {(t["kind"], t["function"], t["line"]) for t in traps}:
            found.append(("wrong", f"{key} is not reported, with {values}"))
        for trap in traps:
            answers += 1
            if trap["dead"] and (trap["kind"], trap["function"], trap["line"]) in ended:
                found.append(("wrong", f"line {trap['line']} is called dead, but fires with {values}"))
            judged = compare_runs.judge_given(trap, trap["given"], [ends], external)
            if judged:
                found.append(
                    (judged[0], f"line {trap['line']}: {judged[1]}, with {values}, {blocks} blocks of {threads}")
                )
    return found, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxscope", default=os.environ.get("PTXSCOPE", "ptxscope"))
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--show", action="store_true", help="print the kernels that are not answered rightly")
    options = parser.parse_args()
    right = wrong = unknown = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            text = kernel(seed)
            found, answers = complaints(options.ptxscope, os.path.join(folder, "k.ptx"), text, random.Random(-seed))
            bad = [sentence for verdict, sentence in found if verdict == "wrong"]
            for sentence in bad:
                print(f"WRONG   seed {seed}: {sentence}")
            if bad and options.show:
                print("\n".join(f"{i:4} {line}" for i, line in enumerate(text.split("\n"), 1)))
            right += answers - len(found)
            wrong += len(bad)
            unknown += len(found) - len(bad)
    print(f"{right} passed, {wrong} failed, {unknown} skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
