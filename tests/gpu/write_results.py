#!/usr/bin/env python3
"""Puts the results of the GPU tests into docs/: what stands between `<!-- GPU tests: NAME -->` and `<!-- end -->`.

    write_results.py gpu_notes.json        the file that tests/gpu/run.sh leaves in $PTXSCOPE_GPU_OUT
    write_results.py gpu_notes.json -n     changes nothing; exit status 1 when a page would change

A block whose test did not run keeps what it says, and that is told."""

import argparse
import datetime
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["docs/gpu-tests.md", "docs/run.md"]
BLOCK = re.compile(r"(<!-- GPU tests: (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
KINDS = ["passed", "failed", "error", "skipped"]


def plain(text):
    """Without the paths of the machine that the tests ran on."""
    text = re.sub(r"[^\s(\"']*/(?=(?:tests/gpu|samples|tests/fake_driver)/)", "", text)
    text = re.sub(r"[^\s(\"']*/pytest-\d+/(?:programs\d+/)?", "./", text)
    text = re.sub(r"[^\s(\"']*/site-packages/", "", text)
    text = re.sub(r"[^\s(\"']*/bin/python3[.\d]*", "python3", text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def fence(*texts):
    return "```\n" + "\n".join(text.strip("\n") for text in texts) + "\n```"


def told(stderr):
    """A trap's own lines: what the program itself printed before them, and what -v lists after them, is left out."""
    kept, is_of_trap = [], False
    for line in plain(stderr).splitlines():
        is_of_trap = " trapped: " in line if not line.startswith("  ") else is_of_trap and not line.startswith("    ")
        if is_of_trap:
            kept.append(line)
    return "\n".join(kept)


def counts_line(results):
    counts = results["counts"]
    words = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind] or kind == "passed")
    name, _, driver = results["gpu"].partition(", ")
    machine = f"{name}, driver {driver}" + (f", CUDA {results['cuda']}" if results.get("cuda") else "")
    took = f", in {results['seconds']} s" if results.get("seconds") else ""
    return f"**{words}**{took}: {machine}; {results['date']}."


def results_of(results, notes):
    lines = [counts_line(results)]
    if results.get("files"):
        lines += ["", "| file | " + " | ".join(KINDS) + " |", "|---|" + "---:|" * len(KINDS)]
        for name, counts in sorted(results["files"].items()):
            lines.append(f"| `{name}` | " + " | ".join(str(counts[kind]) for kind in KINDS) + " |")
    if results.get("failed"):
        lines += ["", "Not passed: " + ", ".join(f"`{name}`" for name in results["failed"]) + "."]
    reasons = [reason.removeprefix("Skipped: ") for reason in results.get("skipped_because", [])]
    if reasons:
        lines += ["", "Skipped: " + "; ".join(plain(reason) for reason in reasons) + "."]
    return "\n".join(lines)


def times(results, notes):
    lines = ["| | Rust, alone | with `run` | ratio | CUDA C++, alone | with `run` | ratio |", "|---|" + "---:|" * 6]
    samples = [notes["test_time[rust]"]["medians"], notes["test_time[cuda]"]["medians"]]
    for name in samples[0]:
        if name.startswith("kernel_us_"):
            words = f"kernel, {name.removeprefix('kernel_us_')} elements, µs"
        else:
            words = {"load_ms": "loading the module, ms", "host_us_a_launch": "a launch on the host, µs"}[name]
        cells = []
        for sample in samples:
            found = sample[name]
            ratio = "" if name == "load_ms" else f"{found['ratio']:.3f}"
            cells.append(f"{found['alone']:.4g} | {found['watched']:.4g} | {ratio}")
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def whole(results, notes):
    found = notes["test_record_is_whole_every_time"]
    return f"Whole and told in {min(found['whole'], found['told'])} of {found['runs']} runs."


def bench(results, notes):
    return fence(*(plain(notes[f"test_bench_of_the_recording_kernel[{sample}]"]["table"]) for sample in ("rust", "cuda")))


def vecadd(results, notes):
    said = told(notes["test_driver_api[dlsym-data]"]["stderr"])
    command = "ptxscope run --names a,b,c -- ./app" if " a.len = " in said else "ptxscope run -- ./app"
    return f"    $ {command}\n" + "\n".join(f"    {line}" for line in said.splitlines())


def python_traps(results, notes):
    names = [name for name in ("cupy-trap", "torch-trap", "triton_cache-trap") if f"test_python[{name}]" in notes]
    if not names:
        raise KeyError("test_python")
    return "\n\n".join(f"{name.split('-')[0].split('_')[0]}:\n\n" + fence(told(notes[f"test_python[{name}]"]["stderr"]))
                       for name in names)


def shortened(text):
    """One of many messages that are the same but for the thread, and what comes after them."""
    lines = plain(text).splitlines()
    ends = [i for i, line in enumerate(lines) if line.strip() == "="  * 9]
    same = [i for i in ends if i + 1 < len(lines) and lines[i + 1] == lines[1]]
    if len(same) < 2:
        return "\n".join(lines)
    rest = next((i for i in ends if i >= same[-1] + 1), len(lines))
    return "\n".join([*lines[:same[0] + 1], f"[… {len(same)} times more, for other threads]", *lines[rest + 1:]])


def sanitizer(results, notes):
    out = []
    for mode, what in (("bounds", "An index out of bounds"), ("assert", "An assertion")):
        both = notes["test_beside_compute_sanitizer"][mode]
        out.append(f"{what}. compute-sanitizer:\n\n{fence(shortened(both['compute-sanitizer']))}\n\n"
                   f"`ptxscope run`:\n\n{fence(told(both['ptxscope run']))}")
    return "\n\n".join(out)


BLOCKS = {"results": results_of, "times": times, "whole": whole, "bench": bench, "vecadd": vecadd,
          "python": python_traps, "sanitizer": sanitizer}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notes", type=pathlib.Path)
    parser.add_argument("-n", "--dry-run", action="store_true")
    options = parser.parse_args()
    results = json.loads(options.notes.read_text(encoding="utf-8"))
    if not results["gpu"]:
        sys.exit(f"{options.notes}: of a run without a GPU, in which everything was skipped; nothing is written")
    changed = datetime.datetime.fromtimestamp(options.notes.stat().st_mtime, datetime.timezone.utc)
    results.setdefault("date", changed.strftime("%Y-%m-%d %H:%M UTC"))
    differs = False
    for page in PAGES:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")

        def fill(match):
            try:
                return match[1] + BLOCKS[match["name"]](results, results["notes"]) + "\n" + match[3]
            except KeyError as missing:
                print(f"{page}: {match['name']}: {missing} is not in {options.notes}; left as it was")
                return match[0]

        new = BLOCK.sub(fill, text)
        differs |= new != text
        if not options.dry_run:
            path.write_text(new, encoding="utf-8")
    return 1 if options.dry_run and differs else 0


if __name__ == "__main__":
    sys.exit(main())
