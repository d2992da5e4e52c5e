#!/usr/bin/env python3
"""Holds `ptxscope explain-trap --format json` against trap cases with known answers.

    compare.py --ptxscope BINARY [--cases DIR]... [--only PATTERN] [--verbose] [--no-launches]
    compare.py --ptxscope BINARY --files PTX...     files without answers: only what running them shows

A case is NAME.json, which names its PTX. Four things are compared:
  answers     the set of traps, and for each its kind, check, parameters, guards, whether it is dead, source, call path
  conditions  each way's condition text, evaluated, against which way the branch went when interpreter.py ran it
  paths       the whole condition of each trap, evaluated, against whether the trap fired
  launches    --grid/--block/--arg against interpreter.py run for every thread of that launch
Each comparison is right, wrong, or unknown (the tool said that it does not know). Wrong ones fail; so do more than 5%
unknown answers.
"""

import argparse
import fnmatch
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compare_runs  # noqa: E402
import ptx_reader  # noqa: E402

KINDS = {
    "trap": "trap",
    "trap_inline_asm": "trap",
    "trap_predicated": "trap",
    "assertfail": "assert",
    "panic_call": "noreturn-call",
    "report_exit": "exit",
    "exit": "exit",
    "falls_off_end": "falls-off-end",
    "error_code": "error-code",
}
SPELLED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
NEGATED = {
    "eq": "ne",
    "ne": "eq",
    "lt": "ge",
    "le": "gt",
    "gt": "le",
    "ge": "lt",
    "equ": "ne",
    "neu": "eq",
    "ltu": "ge",
    "leu": "gt",
    "gtu": "le",
    "geu": "lt",
    "num": "nan",
    "nan": "num",
}
NEGATED_FLOAT = dict(NEGATED, eq="neu", ne="equ", lt="geu", le="gtu", gt="leu", ge="ltu")
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "ltu": "gtu", "leu": "geu", "gtu": "ltu", "geu": "leu"}


class Tally:
    def __init__(self, verbose):
        self.right, self.unknown, self.wrong, self.verbose = {}, {}, {}, verbose

    def add(self, subject, verdict, text):
        """verdict: "right", "unknown" or "wrong"; subject: answers, conditions, paths or launches."""
        counts = getattr(self, verdict)
        counts[subject] = counts.get(subject, 0) + 1
        if verdict != "right" or self.verbose:
            print(f"{verdict.upper():7} {subject}: {text}")

    def total(self, verdict):
        return sum(getattr(self, verdict).values())


def guard_lines(record):
    return {g["branch_line"] for g in record["guards"]}


def expected_operations(guard):
    """The operations a way over this guard may state: the compare's, in the way's direction, sides in either order."""
    op = guard.get("op")
    condition = guard.get("condition", "")
    if not op or not condition.startswith("setp.") or condition.split(".")[2].split()[0] in ("and", "or", "xor"):
        return None
    op = SPELLED.get(op, op)
    inverted = (guard["branch_must_be"] == "not taken") != guard["branch"].replace(" ", "").startswith("@!")
    if inverted:
        op = (NEGATED_FLOAT if guard.get("type", "").startswith(("f", "bf")) else NEGATED)[op]
    return {op, MIRRORED.get(op, op)}


def judge_record(record, entries, shared):
    """What is wrong, and what is unknown, about one expected trap. entries: the reported traps at its line, for its
    kernel; shared: whether other records stand at the same line."""
    wrong, unknown = [], []
    lines = guard_lines(record)
    found = [
        (e, w)
        for e in entries
        for w in e["ways"]
        if w["branch_line"] in lines or (not lines and w["branch_line"] is None)
    ]
    if not found and lines:
        return [
            f"no way over branch line {sorted(lines)}; ways over "
            f"{[w['branch_line'] for e in entries for w in e['ways']]}"
        ], []
    parents = []
    for entry, _ in found or [(e, None) for e in entries]:
        if entry not in parents:
            parents.append(entry)
    whole = not shared and len(entries) == 1
    ways = [w for _, w in found]

    for entry in parents:
        if entry["kind"] != KINDS[record["kind"]]:
            wrong.append(f"kind {entry['kind']}, not {KINDS[record['kind']]}")
    checks = {parents[0]["check"]} if whole or not ways else {w["check"] for w in ways}
    if len(checks) > 1:
        checks = {"other"}
    check = checks.pop()
    if check == "unknown":
        unknown.append("check")
    elif check not in record["check"]:
        wrong.append(f"check {check}, not {' or '.join(record['check'])}")

    right = sorted({p["index"] for p in record["params"]})
    given = sorted(parents[0]["params"]) if whole else sorted({p for w in ways for p in w["params"]})
    doubtful = any("?" in w["condition"]["text"] for w in ways if w.get("condition"))
    if given != right:
        (unknown if doubtful and set(given) <= set(right) else wrong).append(f"params {given}, not {right}")
    elif doubtful:
        unknown.append("condition " + next(w["condition"]["text"] for w in ways if "?" in w["condition"]["text"]))

    reached = {w["branch_line"] for w in ways}
    if whole:
        stray = [w["branch_line"] for w in entries[0]["ways"] if w["branch_line"] not in lines and not w.get("dead")]
        if stray and lines:
            wrong.append(f"ways over {stray}, which do not decide it")
    for guard in record["guards"]:
        if guard["branch_line"] not in reached:
            if not record.get("conjunction") and len(lines) > 1 and not any(w["after"] for w in ways):
                wrong.append(f"no way over line {guard['branch_line']}")
            continue
        allowed = expected_operations(guard)
        for way in (w for w in ways if w["branch_line"] == guard["branch_line"]):
            op = (way.get("condition") or {}).get("op")
            if allowed and op not in allowed and not doubtful and not way.get("dead"):
                wrong.append(f"line {guard['branch_line']}: op {op}, not {' or '.join(sorted(allowed))}")
            setp = way.get("setp_line")
            if allowed and setp != guard.get("condition_line"):
                wrong.append(f"line {guard['branch_line']}: setp at {setp}, not {guard.get('condition_line')}")

    dead = {e["dead"] for e in parents}
    if whole and record["dead"] is True and dead != {True}:
        wrong.append("not seen to be dead") if dead == {False} else unknown.append("dead")
    if whole and record["dead"] is False and True in dead:
        wrong.append("called dead")

    expected = record.get("source")
    sources = [
        s for e, w in found or [(e, {}) for e in parents] for s in (w.get("source") if w else None, e["source"]) if s
    ]
    if expected:
        # Where code was inlined, the innermost place and those it was inlined into are all true.
        same = [
            s
            for s in sources
            for x in [expected] + record.get("source_also", [])
            if ("/" + s["file"]).endswith("/" + x["file"])
            and s["line"] == x["line"]
            and (x.get("col") is None or s["column"] == x["col"])
        ]
        if not same:
            wrong.append(f"source {sources[:1] or None}, not {expected}")
    elif sources:
        wrong.append(f"source {sources[0]}, but the PTX tells none")

    if record["function"] != record["kernel"]:
        chains = [w["via"] for w in ways] + [e["via"] for e in parents]
        chains = [c for c in chains if c]
        if not chains:
            wrong.append("no call path")
        elif chains[0][0] != record["kernel"] or chains[0][-1] not in (record["function"], "__assertfail"):
            wrong.append(f"call path {chains[0]}, not from {record['kernel']} to {record['function']}")
    expected_message = record.get("message")
    if expected_message and expected_message not in [e.get("message") for e in parents]:
        wrong.append(f"message {parents[0].get('message')!r}, not {expected_message!r}")
    return wrong, unknown


def judge_answers(case, document, tally):
    name = case["case"]
    reported = {}
    for function in document["functions"]:
        if function["kind"] == "entry":
            for trap in function["traps"]:
                reported.setdefault((function["name"], trap["function"], trap["line"]), []).append(trap)
    expected = {}
    for record in case["traps"]:
        expected.setdefault((record["kernel"], record["function"], record["line"]), []).append(record)
    for key, records in expected.items():
        for record in records:
            entries = reported.get(key, [])
            if not entries:
                tally.add("answers", "wrong", f"{name} {record['id']}: not reported (line {record['line']})")
                continue
            wrong, unknown = judge_record(record, entries, len(records) > 1)
            verdict = "wrong" if wrong else "unknown" if unknown else "right"
            tally.add(
                "answers",
                verdict,
                f"{name} {record['id']} line {record['line']}: {'; '.join(wrong + unknown) or 'as expected'}",
            )
    for key, entries in reported.items():
        if key in expected:
            continue
        for entry in entries:
            if (
                entry["dead"] is True
                or (entry["kind"] in compare_runs.SOFT and case.get("soft_failures") == "allowed")
                or (entry["kind"] == "error-code" and "RETURN CODES" in (case["note"] or ""))
            ):
                continue
            tally.add(
                "answers",
                "wrong",
                f"{name}: {entry['kind']} in {key[1]} line {key[2]} reported for {key[0]}, " f"but nothing fails there",
            )
    entries = {e["name"] for e in case["entries"]}
    missing = entries - {f["name"] for f in document["functions"]}
    if missing:
        tally.add("answers", "wrong", f"{name}: no entry for kernel {', '.join(sorted(missing))}")
    if not case["traps"] and not missing and not reported:
        tally.add("answers", "right", f"{name}: nothing traps")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptxscope", default=os.environ.get("PTXSCOPE", "ptxscope"))
    parser.add_argument(
        "--cases", action="append", help="folder of cases; default: ours, and those of $PTXSCOPE_SHARED"
    )
    parser.add_argument("--only", default="*", help="pattern of case names")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--no-launches", action="store_true")
    parser.add_argument("--launches", type=int, default=5, help="per kernel")
    parser.add_argument("--runs", type=int, default=200, help="per kernel, for conditions")
    parser.add_argument("--files", nargs="+", help="PTX without answers")
    parser.add_argument("--answers-from", help="folder of NAME.json already written by the tool, instead of running it")
    options = parser.parse_args()

    tally = Tally(options.verbose)
    skipped = 0
    for path in options.files or []:
        with open(path, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
        try:
            module = ptx_reader.Module(text)
        except (ptx_reader.Unsupported, AttributeError, KeyError, ValueError, IndexError, TypeError) as reason:
            print(f"SKIPPED {path}: the interpreter cannot read it ({reason})")
            skipped += 1
            continue
        document, problem = compare_runs.run_tool(options.ptxscope, path)
        if problem:
            tally.add("answers", "wrong", f"{path}: {problem}")
            continue
        case = compare_runs.case_without_answers(path, module)
        compare_runs.judge_reported(case, module, document, tally, options.runs)
        compare_runs.judge_conditions(case, module, document, tally, options.runs)
        compare_runs.judge_paths(case, module, document, tally, options.runs)
        if not options.no_launches:
            compare_runs.judge_launches(case, path, options.ptxscope, module, document, tally, options.launches)

    folders = options.cases or []
    if not options.cases and not options.files:
        shared = os.environ.get("PTXSCOPE_SHARED") or os.path.join(here, "..", "..", "..", "shared")
        folders = [os.path.join(here, "cases"), os.path.join(shared, "traps")]
    for folder in folders:
        names = sorted(n[:-5] for n in os.listdir(folder) if n.endswith(".json")) if os.path.isdir(folder) else []
        if not names:
            print(f"SKIPPED no trap cases in {folder} (set PTXSCOPE_SHARED to the folder that holds traps/)")
            skipped += 1
        for name in names:
            if not fnmatch.fnmatch(name, options.only):
                continue
            with open(os.path.join(folder, name + ".json"), encoding="utf-8") as stream:
                case = json.load(stream)
            path = os.path.normpath(os.path.join(folder, case["file"]))
            with open(path, encoding="utf-8") as stream:
                module = ptx_reader.Module(stream.read())
            if options.answers_from:
                try:
                    with open(os.path.join(options.answers_from, name + ".json"), encoding="utf-8") as stream:
                        document, problem = json.load(stream), None
                except OSError:
                    continue
            else:
                document, problem = compare_runs.run_tool(options.ptxscope, path)
            if problem:
                tally.add("answers", "wrong", f"{name}: {problem}")
                continue
            judge_answers(case, document, tally)
            compare_runs.judge_conditions(case, module, document, tally, options.runs)
            compare_runs.judge_paths(case, module, document, tally, options.runs)
            if not options.no_launches and not options.answers_from:
                compare_runs.judge_launches(case, path, options.ptxscope, module, document, tally, options.launches)

    for subject in ("answers", "conditions", "paths", "launches"):
        print(
            f"{subject}: {tally.right.get(subject, 0)} right, {tally.unknown.get(subject, 0)} unknown, "
            f"{tally.wrong.get(subject, 0)} wrong"
        )
    passed, failed = tally.total("right"), tally.total("wrong")
    answers = sum(getattr(tally, v).get("answers", 0) for v in ("right", "unknown", "wrong"))
    if tally.unknown.get("answers", 0) > 0.05 * answers:
        print("more than 5% of the answers are unknown")
        failed += tally.total("unknown")
    else:
        skipped += tally.total("unknown")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
