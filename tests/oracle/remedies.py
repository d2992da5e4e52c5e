#!/usr/bin/env python3
"""Do the remedies of `ptxscope check` work? For each story of tests/golden/check_*.ptx: ptxas refuses the module as it
is, the header is changed as the remedy says, and then ptxas takes it and `check` finds that it fits.

    remedies.py --ptxscope build/release/ptxscope [--ptxas PATH]

Without a ptxas it is skipped (exit status 77).
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from oracle import Ptxas  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"

# What is asked, and how the story fails: "refused" by ptxas for the module's own header, "device" or "reader" only there.
STORIES = [
    ("check_invalid_ptx", [], "refused"),
    ("check_wgmma", [], "refused"),
    ("check_removed", [], "refused"),
    ("check_driver", ["--driver", "528.02"], "reader"),
    ("check_driver_code", ["--driver", "528.02"], "reader"),
    ("check_no_kernel_image", ["--device=12.0"], "device"),
]
# Each of these says that no header will do; with those lines taken out, one does.
HOPELESS = [
    ("check_conflict", [], "wgmma"),
    ("check_wgmma", ["--target", "sm_120", "--isa", "8.7"], "wgmma"),
]


def check(ptxscope, path, options):
    done = subprocess.run([ptxscope, "check", "--format", "json", *options, str(path)], capture_output=True, text=True)
    if done.returncode == 2:
        sys.exit(f"{path.name}: {done.stderr}")
    return done.returncode, json.loads(done.stdout)


def fits_alone(document):
    return document["declared"]["ok"]


def header_of(text):
    return re.search(r"^\.version ([\d.]+)", text, re.M)[1], re.search(r"^\.target (\w+)", text, re.M)[1]


def with_header(text, version, target):
    text = re.sub(r"^\.version [\d.]+", f".version {version}", text, flags=re.M)
    return re.sub(r"^\.target \w+", f".target {target}", text, flags=re.M)


def changed(text, remedy):
    """The text with the header that the remedy tells to write; None: it tells nothing of the kind."""
    version, target = header_of(text)
    told = re.search(r"write (?=\.)(?:\.version (?P<v>[\d.]+\d))?(?: and )?(?:\.target (?P<t>\w+))?", remedy)
    if told is None:
        told = re.search(r"with \.version (?P<v>[\d.]+\d)(?P<t>)", remedy)
    return with_header(text, told["v"] or version, told["t"] or target) if told else None


def ptxas_takes(ptxas, text):
    target = header_of(text)[1]
    return ptxas.run(text, target)


def device_takes(ptxas, text, architecture):
    """Whether the code can be compiled for that device, as its driver would."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.ptx"
        path.write_text(text)
        done = subprocess.run([ptxas.path, f"-arch={architecture}", str(path), "-o", "/dev/null"], capture_output=True, text=True)
        return done.returncode == 0, done.stderr.strip()


def run_story(options, ptxas, name, asked, kind, folder):
    path = GOLDEN / f"{name}.ptx"
    text = path.read_text()
    status, document = check(options.ptxscope, path, asked)
    answer = document["against"] or document["declared"]
    problems = answer["problems"]
    failures = []
    if status != 1 or not problems:
        return [f"exit status {status} with {len(problems)} problems; a story has one"]
    accepted, messages = ptxas_takes(ptxas, text)
    if kind == "refused" and accepted == 0:
        failures.append("ptxas takes it as it is")
    if kind != "refused" and accepted != 0:
        failures.append(f"ptxas refuses it as it is: {messages}")
    if kind == "device" and device_takes(ptxas, text, "sm_120")[0]:
        failures.append("ptxas compiles it for that device as it is")
    fixes = {changed(text, problem["remedy"] or "") for problem in problems} - {None}
    if not fixes:
        return failures + [f"no remedy names a header: {[problem['remedy'] for problem in problems]}"]
    for fixed in sorted(fixes):
        version, target = header_of(fixed)
        status, messages = ptxas_takes(ptxas, fixed)
        if status != 0:
            failures.append(f"ptxas refuses it with .version {version} and .target {target}: {messages}")
        if kind == "device":
            taken, message = device_takes(ptxas, fixed, "sm_120")
            if not taken:
                failures.append(f"for that device ptxas refuses it with .target {target}: {message}")
        changed_file = folder / f"{name}.ptx"
        changed_file.write_text(fixed)
        again = asked
        if name == "check_driver_code":  # the remedy is the driver
            again = ["--driver", re.search(r"Linux ([\d.]+)", problems[0]["remedy"])[1]]
        if check(options.ptxscope, changed_file, again)[0] != 0:
            failures.append(f"check still objects with .version {version} and .target {target}")
    return failures


def run_hopeless(options, ptxas, name, asked, word, folder):
    path = GOLDEN / f"{name}.ptx"
    _, document = check(options.ptxscope, path, asked)
    answer = document["against"] or document["declared"]
    if not any("take these lines out" in (problem["remedy"] or "") for problem in answer["problems"]):
        return ["no remedy says to take lines out"]
    lines = path.read_text().splitlines(keepends=True)
    told = {line for problem in answer["problems"] for line in problem["lines"]}
    if {number for number, line in enumerate(lines, 1) if line.strip().startswith(word)} != told:
        return [f"the lines told are {sorted(told)}"]
    text = "".join(line for number, line in enumerate(lines, 1) if number not in told)
    version, target = header_of(text)
    if "--target" in asked:
        text = with_header(text, asked[asked.index("--isa") + 1], asked[asked.index("--target") + 1])
    status, messages = ptxas_takes(ptxas, text)
    return [f"ptxas refuses it without them: {messages}"] if status != 0 else []


def newer_than(options, ptxas, folder):
    """A version above all that this ptxas takes is refused by it; the remedy for its release is taken."""
    release = re.search(r"release (\d+\.\d+)", subprocess.run([ptxas.path, "--version"], capture_output=True, text=True).stdout)
    text = (GOLDEN / "check_driver.ptx").read_text()
    versions = subprocess.run([options.ptxscope, "releases", "--format", "json"], capture_output=True, text=True)
    known = sorted({one["isa"] for one in json.loads(versions.stdout).get("releases", []) if one.get("isa")},
                   key=lambda v: tuple(map(int, v.split(".")))) if versions.returncode == 0 else []
    newer = [v for v in known if v not in ptxas.versions and tuple(map(int, v.split("."))) > (7, 0)]
    if not release or not newer:
        return None
    path = folder / "newer.ptx"
    path.write_text(with_header(text, newer[-1], "sm_80"))
    failures = []
    if ptxas_takes(ptxas, path.read_text())[0] == 0:
        failures.append(f"ptxas takes .version {newer[-1]}")
    _, document = check(options.ptxscope, path, ["--cuda", release[1]])
    fixed = changed(path.read_text(), document["against"]["problems"][0]["remedy"])
    status, messages = ptxas_takes(ptxas, fixed)
    if status != 0:
        failures.append(f"ptxas refuses it with .version {header_of(fixed)[0]}: {messages}")
    return failures


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True, help="the executable")
    arguments.add_argument("--ptxas", default=shutil.which("ptxas"), help="default: the one in PATH")
    options = arguments.parse_args()
    if not options.ptxas:
        print("remedies.py: no ptxas in PATH; skipped (--ptxas names one)")
        sys.exit(77)
    ptxas = Ptxas(options.ptxas)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results = [(f"{story[0]} {' '.join(story[1])}".strip(), run_story(options, ptxas, *story, folder)) for story in STORIES]
        results += [(f"{story[0]} {' '.join(story[1])}".strip(), run_hopeless(options, ptxas, *story, folder)) for story in HOPELESS]
        newest = newer_than(options, ptxas, folder)
        if newest is not None:
            results.append(("a .version newer than this ptxas", newest))
    for story, failures in results:
        print(f"{'FAIL' if failures else 'ok  '}  {story}")
        for failure in failures:
            print(f"      {failure}")
        failed += bool(failures)
    print(f"{len(results) - failed} of {len(results)} remedies work with {ptxas.name}")
    sys.exit(1 if failed else 0)


main()
