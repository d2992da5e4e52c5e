"""bench on a GPU: the same kernel twice, a planted difference, wrong results, kernels that fail, and the comparison of
docs/bench.md. Results of that one go into the folder of PTXSCOPE_GPU_OUT."""

import csv
import io
import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXSCOPE = os.environ.get("PTXSCOPE", "ptxscope")
CUDA = "samples/vecadd_cuda/vecadd.ptx"
RUST = "samples/vecadd/vecadd.ptx"
KERNELS = "tests/gpu/bench/kernels.ptx"
VECADD = ["--names", "a,b,c", "--arg", "a=f32[n]:in", "--arg", "b=f32[n]:in", "--arg", "c=f32[n]:out"]
SCALE = ["--kernel", "scale", "--arg", "#0=f32[n]:in", "--arg", "#1=f32[n]:out"]
STEPS = ["--kernel", "steps", "--arg", "#0=f32[n]:out"]


def bench(*arguments, seconds=90):
    return subprocess.run([PTXSCOPE, "bench", *arguments], cwd=ROOT, capture_output=True, encoding="utf-8",
                          timeout=seconds)


def document(*arguments):
    done = bench(*arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def kinds(measured):
    return [size["verdict"]["kind"] for size in measured["sizes"]]


def out_folder(tmp_path):
    folder = pathlib.Path(os.environ.get("PTXSCOPE_GPU_OUT") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_the_same_file_twice(tmp_path):
    keep = out_folder(tmp_path) / "bench_same.json"
    done = bench(RUST, RUST, *VECADD, "--sizes", "2^10,2^14,2^18,2^22,2^26", "--keep", str(keep))
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    measured = json.loads(keep.read_text())
    assert set(kinds(measured)) <= {"no-difference", "cannot-tell"}, done.stdout
    assert kinds(measured)[-1] == "no-difference", done.stdout


def test_rust_against_cuda(tmp_path):
    folder = out_folder(tmp_path)
    keep = folder / "bench_vecadd.json"
    done = bench(CUDA, RUST, *VECADD, "--sizes", "2^10..2^26", "--check", "--keep", str(keep), "--plot",
                 str(folder / "bench_vecadd.svg"))
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    table = bench("--replay", str(keep), "--csv", "-o", str(folder / "bench_vecadd.csv"))
    assert table.returncode == 0, table.stderr
    measured = json.loads(keep.read_text())
    assert [size["n"] for size in measured["sizes"]] == [2**k for k in range(10, 27)]
    assert all(len(size["pairs"]["a_us"]) == 30 for size in measured["sizes"])
    assert all(check["different"] == 0 for size in measured["sizes"] for check in size["checks"])
    assert measured["driver"] and measured["device"]["name"]
    # Of a thousand elements launching is a large part, of 2^26 none to speak of.
    assert measured["sizes"][0]["launch_share"] > 0.2
    assert measured["sizes"][-1]["launch_share"] < 0.1
    assert measured["sizes"][-1]["verdict"]["kind"] != "cannot-tell"
    if "H200" in measured["device"]["name"]:
        assert 3e12 < measured["sizes"][-1]["a"]["bytes_per_second"] < 4.9e12


@pytest.mark.parametrize("rounds, kind", [(1040, "slower"), (970, "faster"), (1000, "no-difference")])
def test_a_planted_difference(rounds, kind):
    measured = document(KERNELS, KERNELS, *STEPS, "--arg-a", "#1=1000", "--arg-b", f"#1={rounds}", "--sizes", "2^20,2^22")
    assert kinds(measured) == [kind, kind]
    if kind == "slower":
        for size in measured["sizes"]:
            low, high = size["verdict"]["by"]
            assert 0.02 < low <= high < 0.06
            assert low < high


def test_results_are_compared():
    same = bench(KERNELS, KERNELS, *SCALE, "--arg", "#2=2.0", "--sizes", "2^16", "--check=0")
    assert same.returncode == 0 and "the same in A and B at every size" in same.stdout, same.stdout + same.stderr
    scaled = ["--arg-a", "#2=2.0", "--arg-b", "#2=2.001", "--sizes", "2^16"]
    wrong = bench(KERNELS, KERNELS, *SCALE, *scaled, "--check=1e-6")
    assert wrong.returncode == 1 and "results differ at n = 2^16: #1 differs at" in wrong.stdout, wrong.stdout
    near = bench(KERNELS, KERNELS, *SCALE, *scaled, "--check=0.01")
    assert near.returncode == 0, near.stdout + near.stderr


def test_one_file_alone():
    done = bench(KERNELS, *SCALE, "--arg", "#2=2.0", "--sizes", "2^20..2^24:4", "--csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [int(row["n"]) for row in rows] == [2**20, 2**22, 2**24]
    times = [float(row["a_us"]) for row in rows]
    assert times == sorted(times)
    assert all(row["bytes"] == str(8 * int(row["n"])) for row in rows)


def test_a_cold_cache_is_slower():
    sizes = [*SCALE, "--arg", "#2=2.0", "--sizes", "2^21"]
    warm = document(KERNELS, *sizes)["sizes"][0]["a"]["median"]
    cold = document(KERNELS, *sizes, "--cold")["sizes"][0]["a"]["median"]
    assert cold > 1.1 * warm


def test_a_trap_ends_it_and_results_are_kept(tmp_path):
    table = tmp_path / "table.csv"
    done = bench(RUST, CUDA, *VECADD, "--arg", "a.len=min(n,2^11)", "--sizes", "2^10..2^13", "--csv", "-o", str(table))
    assert done.returncode == 2
    assert "n = 4096: A (vecadd of samples/vecadd/vecadd.ptx) with grid 16 and block 256 fails" in done.stderr
    assert "(719)" in done.stderr and "ptxscope explain-trap" in done.stderr
    assert [row["n"] for row in csv.DictReader(open(table, newline="", encoding="utf-8"))] == ["1024", "2048"]
    # What it says to run next does run, and finds the check.
    command = done.stderr.split("ptxscope explain-trap ")[1].splitlines()[0]
    explained = subprocess.run(f"'{PTXSCOPE}' explain-trap {command}", shell=True, cwd=ROOT, capture_output=True,
                               encoding="utf-8", timeout=60)
    assert explained.returncode == 1 and "fires in 2048 of 4096 threads" in explained.stdout, explained.stdout + explained.stderr


def test_writing_out_of_range():
    done = bench(KERNELS, *SCALE, "--arg", "#2=2.0", "--sizes", "1000")
    assert done.returncode == 2
    # The first byte that differs from what the guard held: which of a float's four, its value decides.
    assert re.search(r"writes outside of buffer #1, byte [1-4] behind its end", done.stderr), done.stderr
    done = bench(KERNELS, *SCALE, "--arg", "#2=2.0", "--grid", "2^22", "--sizes", "2^10")
    assert done.returncode == 2 and "n = 1024: A (scale" in done.stderr, done.stderr


def test_a_kernel_that_takes_too_long():
    done = bench(KERNELS, *STEPS, "--arg", "#1=2e9", "--sizes", "2^10", "--seconds", "1", seconds=60)
    assert done.returncode == 2
    assert "still running after 1 s" in done.stderr
