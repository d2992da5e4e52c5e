#!/usr/bin/env python3
"""Outputs against docs/schemas: every document of every command is valid, and has no field that its schema does not name.

    tests/schemas.py --ptxscope build/release/ptxscope [--shared ../shared] [--preload … --driver …] [FILE.json ...]

With the library that run preloads and the folder of the fake driver, those of `run` too. FILEs are documents to look at besides. Needs the Python package jsonschema; without it, it is skipped (exit status 77)."""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("schemas: skipped: the Python package jsonschema is not here (python3-jsonschema)")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "docs", "schemas")
COMMON = "common.schema.json#/$defs/"


def closed(schema):
    """The same schema, taking no field that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("$ref"), str) and schema["$ref"].startswith(COMMON):
        out["$ref"] = "#/$defs/common." + schema["$ref"][len(COMMON):]
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        out.setdefault("additionalProperties", False)
    return out


def validators():
    """By the name that documents give: ptxscope.check/1."""
    common = closed(json.load(open(os.path.join(FOLDER, "common.schema.json"))))["$defs"]
    found = {}
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.schema.json"))):
        command = os.path.basename(path).split(".")[0]
        schema = json.load(open(path))
        jsonschema.Draft202012Validator.check_schema(schema)
        if command == "common":
            continue
        schema = closed(schema)
        if command == "explain":  # its items have further fields, by kind
            del schema["properties"]["items"]["items"]["additionalProperties"]
        schema.setdefault("$defs", {}).update({"common." + name: one for name, one in common.items()})
        found[f"ptxscope.{command}/1"] = jsonschema.Draft202012Validator(schema)
    return found


class Looker:
    def __init__(self):
        self.validators = validators()
        self.seen = {}
        self.wrong = 0

    def look(self, text, what):
        try:
            document = json.loads(text)
        except ValueError as error:
            return self.fail(what, f"is no JSON: {error}")
        name = document.get("schema")
        if name not in self.validators:
            return self.fail(what, f"has no schema in docs/schemas: {name}")
        self.seen[name] = self.seen.get(name, 0) + 1
        for error in list(self.validators[name].iter_errors(document))[:3]:
            deepest = error
            while deepest.context:
                deepest = max(deepest.context, key=lambda one: len(one.absolute_path))
            place = "/".join(str(step) for step in deepest.absolute_path)
            self.fail(what, f"{place}: {deepest.message[:300]}")
        return None

    def fail(self, what, why):
        self.wrong += 1
        print(f"schemas: {what}: {why}")


def runs(ptxscope, files, folder):
    """Command lines with which each command shows what it can."""
    for path in files:
        launch = ["--grid", "4", "--block", "256"]
        out = os.path.join(folder, "out")
        yield ["explain-trap", path]
        yield ["explain-trap", *launch, path]
        yield ["check", path]
        yield ["check", "--target", "sm_120a", "--cuda", "12.0", path]
        yield ["cfg", "--live", path]
        yield ["stats", "--live", "--checks", path]
        yield ["retarget", "--target", "sm_90a", "--isa", "8.7", "-o", out, path]
        yield ["retarget", "--target", "sm_70", path]
        yield ["instrument", "-o", out, path]
        yield ["extract", path]
    for a, b in zip(files, files[1:]):
        yield ["diff", a, b]
    yield ["explain-trap", *files[:3]]
    yield ["extract", *files[:3]]
    for words in (["ld.global"], ["wgmma.mma_async", ".version", "%tid", "cluster"], ["nothing_of_this_name"]):
        yield ["explain", *words]
    yield ["targets"]
    yield ["releases"]
    yield ["releases", "--driver", "580.65"]
    yield ["doctor"]


def reports_of_run(options):
    import run_test
    bench = run_test.Bench(options)
    sample = str(run_test.VECADD)
    for words in (["--len", "512", sample], ["--len", "1024", sample], ["--load", "fat", "--len", "512", bench.fat],
                  ["--load", "link", "--len", "512", sample]):
        yield words, bench.report(bench.app, *words)[1]
    yield ["refused"], bench.report(bench.app, "--load", "link", sample, FAKE_CUDA_REFUSE="link")[1]
    yield ["true"], bench.report("true")[1]
    shutil.rmtree(bench.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptxscope", required=True)
    parser.add_argument("--shared")
    parser.add_argument("--preload")
    parser.add_argument("--driver")
    parser.add_argument("documents", nargs="*")
    options = parser.parse_args()
    looker = Looker()
    files = sorted(glob.glob(os.path.join(ROOT, "samples", "*", "*.ptx")))
    files += sorted(glob.glob(os.path.join(ROOT, "tests", "golden", "*.ptx")))
    if options.shared and os.path.isdir(os.path.join(options.shared, "corpus")):
        corpus = sorted(glob.glob(os.path.join(options.shared, "corpus", "**", "*.ptx"), recursive=True))
        files += [path for path in corpus if os.path.getsize(path) < 60_000][::40]
    else:
        print("schemas: the corpus is not there; going without it")
    with tempfile.TemporaryDirectory() as folder:
        for words in runs(options.ptxscope, files, folder):
            command = [options.ptxscope, words[0], "--format", "json", *words[1:]]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            if done.stdout:
                looker.look(done.stdout, " ".join(words))
            elif done.returncode != 2 and "-o" not in words:
                looker.fail(" ".join(words), f"no output and exit status {done.returncode}")
        scan = subprocess.run([options.ptxscope, "scan", os.path.join(ROOT, "samples")], capture_output=True, text=True)
        for line in scan.stdout.splitlines():
            looker.look(line, "scan samples")
    if options.preload and options.driver:
        for words, document in reports_of_run(options):
            looker.look(json.dumps(document), "run " + " ".join(words))
    for path in options.documents + [os.path.join(ROOT, "docs", "bench", "vecadd.json")]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for one in text.splitlines() if path.endswith(".jsonl") else [text]:
            looker.look(one, path)
    never = sorted(set(looker.validators) - set(looker.seen))
    total = sum(looker.seen.values())
    print(f"schemas: {total} documents of {len(looker.seen)} commands, {looker.wrong} wrong; none of: {', '.join(never) or '-'}")
    return 1 if looker.wrong or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
