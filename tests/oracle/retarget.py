#!/usr/bin/env python3
"""Retargets the modules of the shared corpus and asks ptxas: what `ptxscope retarget` writes must be accepted, and for
`--isa min` the version below must be refused.

    retarget.py --ptxscope PATH [--ptxas PATH] [--count 200]

Exit status 0 when all agrees, 1 when not, 77 without a ptxas or without the corpus.
"""
import argparse
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from oracle import Ptxas

VERSION = re.compile(rb"^([ \t\r\n\f]*)?\.version\s+(\d+\.\d+)", re.MULTILINE)
TARGET = re.compile(rb"^[ \t]*\.target\s+(\w+)", re.MULTILINE)


def header(text):
    version, target = VERSION.search(text), TARGET.search(text)
    return version and version[2].decode(), target and target[1].decode()


def accepts(ptxas, text, target):
    return ptxas.run(text.decode("latin-1"), target)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True)
    arguments.add_argument("--ptxas", default=shutil.which("ptxas"))
    arguments.add_argument("--count", type=int, default=200, help="modules, spread over the corpus")
    options = arguments.parse_args()
    shared = os.environ.get("PTXSCOPE_SHARED", str(pathlib.Path(__file__).resolve().parents[3] / "shared"))
    corpus = pathlib.Path(shared) / "corpus"
    if not options.ptxas or not (corpus / "INDEX.tsv").is_file():
        print("retarget.py: skipped: " + ("no ptxas" if not options.ptxas else f"no corpus in {corpus}"))
        sys.exit(77)
    ptxas = Ptxas(options.ptxas)
    rows = [row for row in csv.DictReader((corpus / "INDEX.tsv").open(encoding="utf-8"), delimiter="\t",
                                          quoting=csv.QUOTE_NONE) if row["ptxas"] == "ok"]
    rows = [row for row in rows if (corpus / row["file"]).stat().st_size < 400_000]
    rows = rows[:: max(1, len(rows) // options.count)][: options.count]
    counts = {"written": 0, "accepted": 0, "below": 0, "refused below": 0, "not fitting": 0}
    wrong = []
    for row in rows:
        path = corpus / row["file"]
        for flags in (["--isa", "min"], ["--target", "min", "--isa", "min"],
                      ["--target", "min", "--isa", "min", "--rewrite"],
                      ["--target", "sm_120a"], ["--target", "sm_75", "--isa", "8.0"]):
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "out.ptx"
                done = subprocess.run([options.ptxscope, "retarget", path, "-o", out, *flags], capture_output=True,
                                      timeout=120)
                if done.returncode != 0:
                    counts["not fitting"] += 1
                    if done.returncode != 1 or out.exists():
                        wrong.append((row["file"], flags, f"exit {done.returncode}"))
                    # The header that ptxas accepted needs no change.
                    elif flags == ["--isa", "min"]:
                        wrong.append((row["file"], flags, done.stderr.decode("utf-8", "replace").splitlines()[0]))
                    continue
                text = out.read_bytes()
            version, target = header(text)
            if version not in ptxas.versions:
                continue
            counts["written"] += 1
            status, messages = accepts(ptxas, text, target)
            if status == 0:
                counts["accepted"] += 1
            else:
                wrong.append((row["file"], flags, f"{version} {target}: {messages[0][1]}"))
            if "min" not in flags or version == ptxas.versions[0]:
                continue
            below = ptxas.versions[ptxas.versions.index(version) - 1]
            if below == "5.1":  # no release came with it
                continue
            lower = VERSION.sub(lambda m: m[0].replace(m[2], below.encode()), text, count=1)
            counts["below"] += 1
            if accepts(ptxas, lower, target)[0] != 0:
                counts["refused below"] += 1
            else:
                wrong.append((row["file"], flags, f"{target} takes {below} too, not only {version}"))
    for file, flags, what in wrong:
        print(f"{file} {' '.join(flags)}: {what}")
    print(f"{ptxas.name}: {len(rows)} modules; {counts['accepted']} of {counts['written']} written are accepted; "
          f"{counts['refused below']} of {counts['below']} are refused one version below; "
          f"{counts['not fitting']} did not fit")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
