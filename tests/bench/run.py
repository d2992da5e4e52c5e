#!/usr/bin/env python3
"""bench from the command line to the verdict, on a GPU that is made up (fake_cuda.cpp): what is told apart, what is
found wrong, and what is kept when a kernel fails."""

import argparse
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

FOLDER = pathlib.Path(__file__).resolve().parent
KERNELS = FOLDER / "kernels.ptx"
ARGUMENTS = ["--names", "from,to,n", "--arg", "from=f32[n]:in", "--arg", "to=f32[n]:out", "--arg", "n=n"]


class Bench:
    def __init__(self, ptxscope, library):
        self.ptxscope = ptxscope
        self.environment = {**os.environ, "PTXSCOPE_LIBCUDA": str(library)}
        self.problems = 0

    def run(self, *arguments, seconds=60):
        return subprocess.run([self.ptxscope, "bench", *map(str, arguments)], env=self.environment, capture_output=True,
                              encoding="utf-8", timeout=seconds)

    def pair(self, a, b, *arguments, sizes="2^14..2^16"):
        return self.run(KERNELS, "--kernel-a", a, "--kernel-b", b, *ARGUMENTS, "--sizes", sizes, *arguments)

    def expect(self, name, condition, done):
        if condition:
            return
        self.problems += 1
        print(f"{name}: not so (exit status {done.returncode})\n{done.stdout}{done.stderr}")


def verdicts(done):
    return [size["verdict"]["kind"] for size in json.loads(done.stdout)["sizes"]]


def judged(bench):
    for a, b, wanted in [("copy", "copy", {"no-difference"}), ("copy", "copy_again", {"no-difference"}),
                         ("copy", "copy_slow", {"slower"}), ("copy_slow", "copy", {"faster"}),
                         ("copy", "copy_fast", {"faster"}), ("copy_noisy", "copy_noisy", {"no-difference", "cannot-tell"})]:
        for cold in ([], ["--cold"]) if b == "copy_slow" else ([],):
            done = bench.pair(a, b, "--format", "json", *cold)
            bench.expect(f"{a} against {b} {cold}", done.returncode == 0 and set(verdicts(done)) <= wanted, done)
    # A launch takes 2 µs: all of the time, and a sixth.
    done = bench.pair("copy", "copy", "--format", "json", sizes="1,1000")
    shares = [round(size["launch_share"], 2) for size in json.loads(done.stdout)["sizes"]]
    bench.expect("launch shares", shares[0] > 0.99 and 0.15 < shares[1] < 0.18, done)
    bench.expect("launching hides", verdicts(done)[0] == "cannot-tell", done)
    done = bench.run(KERNELS, "--kernel", "copy", *ARGUMENTS, "--sizes", "2^14", "--csv")
    row = next(csv.DictReader(io.StringIO(done.stdout)))
    bench.expect("A alone", 160 < float(row["a_us"]) < 171 and row["bytes"] == str(8 << 14) and "ratio" not in row, done)


def checked(bench):
    done = bench.pair("copy", "copy_again", "--check")
    bench.expect("the same results", done.returncode == 0 and "results: to the same" in done.stdout, done)
    done = bench.pair("copy", "copy_wrong", "--check")
    bench.expect("a wrong result", done.returncode == 1 and "differs at 1 of 16,384 elements, first at [3]" in done.stdout, done)
    done = bench.pair("copy", "copy_wrong", "--check=0.6")
    bench.expect("a wrong result within the tolerance", done.returncode == 0, done)
    # Buffers get their contents back: a sum of sums would differ.
    done = bench.pair("sum", "sum", "--check=0", "--format", "json")
    bench.expect("sums", done.returncode == 0 and all(size["checks"][0]["different"] == 0
                                                      for size in json.loads(done.stdout)["sizes"]), done)
    done = bench.pair("copy", "copy_back", "--check")
    bench.expect("an input written to", done.returncode == 2 and "B (copy_back" in done.stderr
                 and "writes to from, which is marked in" in done.stderr, done)
    done = bench.pair("copy", "copy_beyond")
    bench.expect("written behind the end", done.returncode == 2
                 and "writes outside of buffer to, byte 1 behind its end: is it too small with n elements" in done.stderr, done)


def kept(bench, folder):
    out = folder / "out.csv"
    keep = folder / "keep.json"
    plot = folder / "plot.svg"
    done = bench.pair("copy", "copy_trap", "--csv", "-o", out, "--keep", keep, "--plot", plot, sizes="2^10..2^12")
    bench.expect("a trap", done.returncode == 2 and "n = 2048: B (copy_trap of" in done.stderr
                 and "CUDA_ERROR_LAUNCH_FAILED (719), unspecified launch failure" in done.stderr
                 and "explain-trap --kernel 'copy_trap' --grid 8 --block 256 --names from,to,n --arg n=2048" in done.stderr,
                 done)
    rows = list(csv.DictReader(open(out, newline="", encoding="utf-8")))
    bench.expect("what was measured before", [row["n"] for row in rows] == ["1024"] and plot.exists(), done)
    drawn = xml.etree.ElementTree.parse(plot).getroot()
    bench.expect("the plot is SVG", drawn.tag == "{http://www.w3.org/2000/svg}svg", done)
    document = json.loads(keep.read_text())
    bench.expect("the stop in JSON", document["stopped"]["n"] == 2048 and len(document["sizes"]) == 1, done)
    again = bench.run("--replay", keep)
    bench.expect("replay of it", again.returncode == 2 and "stopped at n = 2^11" in again.stdout, again)
    done = bench.pair("copy", "copy_stuck", "--seconds", "1", "--csv", sizes="2^10..2^12")
    bench.expect("a kernel that does not end", done.returncode == 2 and "still running after 1 s" in done.stderr
                 and "\n1024," in done.stdout.replace("\r", ""), done)
    done = bench.pair("copy", "copy", sizes="2^24..2^25")
    bench.expect("no room", done.returncode == 2 and "the buffers need 402 MB of the GPU's memory, 268 MB are free" in done.stderr
                 and "cannot tell" not in done.stdout and "2^24" in done.stdout, done)
    bad = folder / "bad.ptx"
    bad.write_text(KERNELS.read_text() + "// refused_by_the_driver\n")
    done = bench.run(bad, "--kernel", "copy", *ARGUMENTS, "--sizes", "1000")
    bench.expect("refused", done.returncode == 2 and "the driver does not take it: ptxas fatal : no" in done.stderr
                 and not done.stdout, done)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--ptxscope", required=True)
    arguments.add_argument("--library", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    bench = Bench(options.ptxscope, options.library)
    judged(bench)
    checked(bench)
    with tempfile.TemporaryDirectory() as folder:
        kept(bench, pathlib.Path(folder))
    print(f"bench on a made-up GPU: {bench.problems} problems")
    return 1 if bench.problems else 0


if __name__ == "__main__":
    sys.exit(main())
