#!/usr/bin/env python3
"""Compares what the table says instruction forms need with what ptxas accepts.

  compare.py truth --tool BUILD/tests/oracle_forms [--file truth.jsonl] [--category C] [--show N]
      against recorded answers: on which targets ptxas took each form, and from which version on

  compare.py ptxas --tool … --ptxas PTXAS [--heads add,sub] [--limit N] [--given FILE] [--targets sm_90,…] [--show N]
      against a ptxas: forms written out from the table itself (or given ones, {"id", "text", "module"} a line). For
      each target the form must be accepted at the version the table says and refused at the one before; where the
      table says never, refused at the newest.

Exit status 1 when agreement is below --at-least (per cent, default 99.5)."""
import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402


def predict(tool, forms):
    filled = [(f["id"], f["module"].replace("@VERSION@", "9.0").replace("@TARGET@", "sm_90a")) for f in forms]
    text = "".join(json.dumps({"id": identity, "module": module}) + "\n" for identity, module in filled)
    run = subprocess.run([tool, "predict"], input=text, capture_output=True, text=True, check=True)
    return {answer["id"]: answer for answer in map(json.loads, run.stdout.splitlines())}


class Tally:
    """Counts agreements and keeps the differences."""

    def __init__(self):
        self.pairs = self.pairs_right = self.versions = self.versions_right = 0
        self.differences = []

    def percent(self, right, all_of):
        return 100.0 * right / all_of if all_of else 100.0

    def report(self, show, at_least):
        for line in self.differences[:show]:
            print(line)
        if len(self.differences) > show:
            print(f"... and {len(self.differences) - show} more forms that differ (--show)")
        pairs = self.percent(self.pairs_right, self.pairs)
        versions = self.percent(self.versions_right, self.versions)
        print(f"{self.pairs_right} of {self.pairs} (form, target) agree, {pairs:.3f} %; "
              f"{self.versions_right} of {self.versions} minimum versions, {versions:.3f} %; "
              f"{len(self.differences)} forms differ")
        return 0 if min(pairs, versions) >= at_least else 1


def version_key(text):
    major, minor = text.split(".")
    return int(major), int(minor)


def compare_truth(options):
    path = options.file or os.path.join(os.environ.get("PTXSCOPE_SHARED", "../shared"), "oracle", "truth.jsonl")
    if not os.path.exists(path):
        print(f"skipped: {path} is not there; set PTXSCOPE_SHARED")
        return 77
    with open(path, encoding="utf-8") as file:
        forms = [json.loads(line) for line in file]
    if options.category:
        forms = [f for f in forms if any(f["category"].startswith(c) for c in options.category)]
    known = json.loads(subprocess.run([options.tool, "targets"], capture_output=True, text=True, check=True).stdout)
    newest = version_key("9.0")  # the truth was found with ptxas 13.0
    lowest = {name: version for name, version in known["targets"].items() if version_key(version) <= newest}
    answers = predict(options.tool, forms)
    tally = Tally()
    by_category = {}
    for form in forms:
        answer = answers[form["id"]]
        wrong = []
        for target, own in lowest.items():
            tally.pairs += 1
            said = answer["by_target"].get(target)
            if said is not None and version_key(said) > newest:
                said = None
            accepted = target in form["targets"]
            if (said is not None) != accepted:
                wrong.append(f"{target}: table {said or 'never'}, ptxas {'takes it' if accepted else 'refuses'}")
                continue
            tally.pairs_right += 1
            if not accepted:
                continue
            tally.versions += 1
            truth = form["min_version_by_target"].get(target) or max(form["min_version"], own, key=version_key)
            last = form["last_version_by_target"].get(target)
            if said == truth and answer["last"].get(target) == last:
                tally.versions_right += 1
            else:
                wrong.append(f"{target}: table {said} until {answer['last'].get(target)}, ptxas {truth} until {last}")
        count = by_category.setdefault(form["category"], [0, 0])
        count[0] += 1
        if wrong:
            count[1] += 1
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            reasons = " ".join(r[r.rfind("/") + 1:] for r in answer["reasons"])
            unknown = "; ".join(answer["unknown"])
            tally.differences.append(f"{form['category']}: {form['text']}\n    {wrong[-1]}{more}"
                                     f"\n    rows: {reasons or 'none'}" + (f"; not understood: {unknown}" if unknown else ""))
    if options.show:
        for category, (count, bad) in sorted(by_category.items(), key=lambda item: -item[1][1]):
            if bad:
                print(f"{bad:5} of {count:5} differ in {category}")
    return tally.report(options.show, options.at_least)


def compare_ptxas(options):
    if options.given:
        with open(options.given, encoding="utf-8") as file:
            forms = [json.loads(line) for line in file]
        for number, form in enumerate(forms):
            form.setdefault("id", f"given:{number}")
    else:
        command = [options.tool, "examples", str(options.limit)] + (options.heads.split(",") if options.heads else [])
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        forms = [json.loads(line) for line in run.stdout.splitlines()]
    if not forms:
        sys.exit("compare.py: no forms to compare; does the table declare any (PTX_FORM) for these heads?")
    known = json.loads(subprocess.run([options.tool, "targets"], capture_output=True, text=True, check=True).stdout)
    answers = predict(options.tool, forms)
    ptxas = oracle.Ptxas(options.ptxas, options.jobs)
    versions = [v for v in known["versions"] if v in ptxas.versions]
    targets = options.targets.split(",") if options.targets else \
        [t for t, own in known["targets"].items() if version_key(own) <= version_key(versions[-1])]
    tally = Tally()
    wrong = {}

    def at(target, version, chosen, expected, what):
        """Those of `chosen` that ptxas does not answer as expected."""
        answers_there = ptxas.accepts(chosen, version, target, expected)
        for form in chosen:
            accepted, message = answers_there[form["id"]]
            if accepted != expected:
                wrong.setdefault(form["id"], {})[target] = f"{target}: table says {what(form)}; ptxas at {version}: " + \
                    ("takes it" if accepted else message)

    for target in targets:
        groups = {}
        for form in forms:
            said = answers[form["id"]]["by_target"].get(target)
            if said is not None and version_key(said) > version_key(versions[-1]):
                said = None
            groups.setdefault(said, []).append(form)
        for said, chosen in sorted(groups.items(), key=lambda item: item[0] or ""):
            if said is None:
                last = versions[-1]
                at(target, last, chosen, False, lambda form: "never")
                tally.pairs += len(chosen)
                tally.pairs_right += sum(target not in wrong.get(f["id"], {}) for f in chosen)
                continue
            at(target, said, chosen, True, lambda form, v=said: "from " + v)
            tally.pairs += len(chosen)
            right = [f for f in chosen if target not in wrong.get(f["id"], {})]
            tally.pairs_right += len(right)
            tally.versions += len(right)
            # No release had PTX ISA 5.1: ptxas takes it, with much of 6.0, and the recorded answers leave it out too.
            lower = [v for v in versions[:versions.index(said)] if v != "5.1"]
            below = lower[-1] if lower else None
            if below is not None and version_key(below) >= version_key(known["targets"][target]):
                at(target, below, right, False, lambda form, v=said: "from " + v)
            tally.versions_right += sum(target not in wrong.get(f["id"], {}) for f in right)
    by_id = {f["id"]: f for f in forms}
    for identity, by_target in wrong.items():
        lines = list(by_target.values())
        reasons = " ".join(r[r.rfind("/") + 1:] for r in answers[identity]["reasons"])
        tally.differences.append(f"{identity} {by_id[identity].get('text', '')}\n    {lines[-1]}"
                                 + (f" (and {len(lines) - 1} more targets)" if len(lines) > 1 else "")
                                 + f"\n    rows: {reasons or 'none'}")
    print(f"{len(forms)} forms, {len(targets)} targets, {ptxas.runs} runs of {ptxas.name}")
    return tally.report(options.show, options.at_least)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("truth", "ptxas"):
        command = commands.add_parser(name)
        command.add_argument("--tool", required=True, help="the executable oracle_forms of the build")
        command.add_argument("--show", type=int, default=30, help="how many forms that differ to show")
        command.add_argument("--at-least", type=float, default=99.5, help="agreement asked for, in per cent")
        if name == "truth":
            command.add_argument("--file", help="recorded answers; default: oracle/truth.jsonl of PTXSCOPE_SHARED")
            command.add_argument("--category", action="append", help="only categories that begin so")
        else:
            command.add_argument("--ptxas", default="ptxas")
            command.add_argument("--heads", help="only these mnemonics, by comma")
            command.add_argument("--limit", type=int, default=40, help="forms written out per line of the table")
            command.add_argument("--given", help="forms to compare instead of the table's own")
            command.add_argument("--targets", help="only these, by comma")
            command.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    sys.exit(compare_truth(options) if options.command == "truth" else compare_ptxas(options))


if __name__ == "__main__":
    main()
