"""ptxscope run on a GPU: programs that do not fail give the same bits with and without it; programs whose kernels trap end
as they would, and their failing checks are told. The programs are in programs/, built here by this machine's nvcc."""

import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys

import pytest
from conftest import keep_document

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "gpu" / "programs"
VECADD = ROOT / "samples" / "vecadd" / "vecadd.ptx"
CUDA_VECADD = ROOT / "samples" / "vecadd_cuda" / "vecadd.ptx"
BOTH = ["-gencode", "arch=compute_90,code=[sm_90,compute_90]"]
PTX_ONLY = ["-gencode", "arch=compute_90,code=compute_90"]
BUILDS = {
    "static": BOTH,
    "shared": [*BOTH, "--cudart", "shared"],
    "ptx_only": PTX_ONLY,
    "older_ptx": ["-gencode", "arch=compute_80,code=compute_80"],
    "compressed": [*BOTH, "-Xfatbin", "-compress-all"],
    "rdc": [*BOTH, "-rdc=true"],
    "rdc_two": [*BOTH, "-rdc=true", str(PROGRAMS / "second.cu")],
    "debug": [*BOTH, "-G"],
}
MODES = ["bounds", "assert", "null", "multi", "function", "loop", "divide", "stream"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory, cuda_tool):
    folder = tmp_path_factory.mktemp("programs")
    nvcc = cuda_tool("nvcc")
    cuda = pathlib.Path(os.path.realpath(nvcc)).parent.parent
    stubs = next((str(path.parent) for path in cuda.glob("**/stubs/libcuda.so")), str(cuda / "lib64" / "stubs"))
    driver = ["-I", str(cuda / "include"), "-L", stubs, "-lcuda", "-lpthread", "-ldl"]
    commands = {
        f"traps_{name}": [nvcc, "-O2", "-lineinfo", "-std=c++17", *flags, str(PROGRAMS / "traps.cu")]
        for name, flags in BUILDS.items()
    }
    commands["traps_cubin_only"] = [nvcc, "-O2", "-gencode", "arch=compute_90,code=sm_90", str(PROGRAMS / "traps.cu")]
    for name in ("static", "shared"):
        commands[f"mixed_{name}"] = [nvcc, "-O2", "-std=c++17", *BUILDS[name], str(PROGRAMS / "mixed.cu"), "-lpthread"]
    commands["timing"] = ["g++", "-O2", "-std=c++17", str(PROGRAMS / "timing.cpp"), *driver]
    app = str(ROOT / "tests" / "fake_driver" / "app.cpp")
    commands["app"] = ["g++", "-O2", "-std=c++20", app, *driver]
    commands["app_linked"] = ["g++", "-O2", "-std=c++20", "-DLINKED", app, *driver]
    def build(item):
        name, command = item
        command = [word for word in command if not (word == "-lineinfo" and "-G" in command)]
        return name, subprocess.run([*command, "-o", str(folder / name)], capture_output=True, text=True, timeout=300)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, done in pool.map(build, commands.items()):
            if done.returncode != 0:
                print(f"{name}: {done.stderr}", file=sys.stderr)
    return folder


def run_alone(*command, **environment):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **environment))


class Watched:
    def __init__(self, ptxscope, folder):
        self.ptxscope, self.folder = ptxscope, folder

    def __call__(self, *command, options=(), **environment):
        path = self.folder / "report.json"
        done = subprocess.run([self.ptxscope, "run", "-v", "--json", str(path), *options, "--", *map(str, command)],
                              capture_output=True, text=True, timeout=180, env=dict(os.environ, **environment))
        report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        keep_document(report)
        return done, report


@pytest.fixture
def watched(ptxscope, tmp_path):
    return Watched(ptxscope, tmp_path)


def need(path):
    if not path.exists():
        pytest.fail(f"{path.name} could not be built")
    return path


def same(plain, done):
    assert done.stdout == plain.stdout, done.stderr
    assert done.returncode == plain.returncode, done.stderr


def test_a_library_without_a_context(programs, watched, notes):
    """It is tried out when it is loaded, in a context that is made for that; the program's own comes later."""
    app = need(programs / "app")
    for length in ("1024", "512"):
        command = [app, "--load", "early", "--len", length, VECADD]
        done, report = watched(*command, options=["--names", "a,b,c"])
        notes[length] = done.stderr
        same(run_alone(*command), done)
        assert report["modules"][0]["outcome"] == "instrumented", report["modules"]
        assert len(report["traps"]) == (length == "512"), done.stderr
    assert "a.len = 512" in done.stderr, done.stderr


@pytest.mark.parametrize("via,load", [("dlsym", "data"), ("dlsym", "dataex"), ("dlsym", "file"), ("dlsym", "library"),
                                      ("dlsym", "link"), ("proc", "data"), ("proc", "library"), ("linked", "data"),
                                      ("linked", "link")])
def test_driver_api(programs, watched, notes, via, load):
    app = need(programs / ("app_linked" if via == "linked" else "app"))
    command = [app, "--via", via, "--load", load, VECADD]
    done, report = watched(*command)
    same(run_alone(*command), done)
    assert any(module["outcome"] == "instrumented" for module in report["modules"]), done.stderr
    assert sum(kernel["launches"] for kernel in report["kernels"]) == 1
    assert not report["traps"]
    command = [app, "--via", via, "--load", load, "--len", "512", VECADD]
    done, report = watched(*command, options=["--names", "a,b,c"])
    notes["stderr"] = done.stderr
    same(run_alone(*command), done)
    assert "vecadd trapped: index out of bounds: global.x = " in done.stderr and "a.len = 512" in done.stderr, done.stderr
    trap, = report["traps"]
    assert trap["whole"] and trap["threads"] == {"trapping": 512, "of": 1024, "exact": True}, trap
    index = 256 * trap["block"][0] + trap["thread"][0]
    assert 512 <= index < 1024 and f"global.x = {index}, " in done.stderr, done.stderr


@pytest.mark.parametrize("build", BUILDS)
def test_runtime_without_a_trap(programs, watched, notes, build):
    program = need(programs / f"traps_{build}")
    plain, (done, report) = run_alone(program, "ok"), watched(program, "ok")
    notes["modules"], notes["stderr"] = report["modules"], done.stderr
    assert plain.returncode == 0
    same(plain, done)
    assert {kernel["name"] for kernel in report["kernels"] if kernel["launches"]} >= {"_Z6boundsPKfjPfj"} or any(
        "bounds" in (kernel["name"] or "") for kernel in report["kernels"]), report["kernels"]
    assert any(module["outcome"] == "instrumented" for module in report["modules"]), report["modules"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("build", ["static", "shared", "rdc", "rdc_two", "debug"])
def test_runtime_trap(programs, watched, notes, build, mode):
    if build != "static" and mode not in ("bounds", "assert", "function"):
        pytest.skip("one build in full is enough")
    program = need(programs / f"traps_{build}")
    plain, (done, report) = run_alone(program, mode), watched(program, mode)
    notes["stderr"], notes["traps"] = done.stderr, report["traps"]
    assert plain.returncode == 3
    same(plain, done)
    assert len(report["traps"]) == 1 and report["traps"][0]["whole"], done.stderr
    assert " trapped: " in done.stderr, done.stderr
    if mode == "assert":
        assert "index[i] >= 0" in done.stderr, done.stderr


def test_machine_code_only(programs, watched, notes):
    program = need(programs / "traps_cubin_only")
    plain, (done, report) = run_alone(program, "bounds"), watched(program, "bounds")
    notes["stderr"] = done.stderr
    same(plain, done)
    assert {module["outcome"] for module in report["modules"]} == {"no-ptx"}, report["modules"]
    assert "-gencode" in done.stderr, done.stderr


@pytest.mark.parametrize("build", ["static", "shared"])
def test_mixed(programs, watched, notes, build):
    program = need(programs / f"mixed_{build}")
    plain, (done, report) = run_alone(program), watched(program)
    notes["stderr"], notes["kernels"], notes["modules"] = done.stderr, report["kernels"], report["modules"]
    assert plain.returncode == 0, plain.stdout
    same(plain, done)
    assert report["graph_launches"] >= 6, report.get("graph_launches")


WITH_PTX = {"CUPY_COMPILE_WITH_PTX": "1"}


@pytest.mark.parametrize("name,arguments,environment,options", [
    ("with_cupy", [], {}, []),
    ("with_cupy", ["trap"], {}, []),
    ("with_cupy", [], WITH_PTX, []),
    ("with_cupy", ["trap"], WITH_PTX, []),
    ("with_torch", [], {}, []),
    ("with_torch", ["trap"], {}, []),
    ("with_triton", [], {}, []),
    ("with_triton", [], {}, ["--triton-cache"]),
    ("with_triton", ["trap"], {}, ["--triton-cache"]),
    ("with_numba", [], {}, []),
], ids=["cupy", "cupy-trap", "cupy_ptx", "cupy_ptx-trap", "torch", "torch-trap", "triton", "triton_cache",
        "triton_cache-trap", "numba"])
def test_python(watched, notes, tmp_path, name, arguments, environment, options):
    environment = dict(environment, CUPY_CACHE_DIR=str(tmp_path / "cupy"), TRITON_CACHE_DIR=str(tmp_path / "triton"))
    command = [sys.executable, PROGRAMS / f"{name}.py", *arguments]
    plain = run_alone(*command, **environment)
    if "ModuleNotFoundError" in plain.stderr:
        pytest.skip(plain.stderr.strip().splitlines()[-1])
    # NVRTC's PTX is seen when it compiles: what the run before left in CuPy's cache would hide it.
    environment["CUPY_CACHE_DIR"] = str(tmp_path / "cupy_watched")
    done, report = watched(*command, options=options, **environment)
    notes["stdout"], notes["stderr"] = done.stdout, done.stderr
    notes["modules"] = [{key: module[key] for key in ("origin", "call", "outcome", "reason")}
                        for module in report["modules"]][:40]
    same(plain, done)
    assert report["kernels"], done.stderr
    if arguments:
        assert " trapped: " in done.stderr and len(report["traps"]) == 1, done.stderr
    if name == "with_triton":
        words = [module["reason" if options else "remedy"] or "" for module in report["modules"]]
        assert any("Triton's cache" in word for word in words), report["modules"]
    elif name == "with_torch" or (name == "with_cupy" and not environment.get("CUPY_COMPILE_WITH_PTX")):
        assert any("NVRTC made its PTX" in (module["reason"] or "") for module in report["modules"]), report["modules"]


def test_record_is_whole_every_time(programs, watched, notes):
    program = need(programs / "traps_ptx_only")
    whole = told = 0
    runs = 20
    for _ in range(runs):
        done, report = watched(program, "bounds")
        whole += len(report["traps"]) == 1 and report["traps"][0]["whole"]
        told += "bounds trapped: index out of bounds" in done.stderr or " trapped: " in done.stderr
    notes["whole"], notes["told"], notes["runs"] = whole, told, runs
    assert whole == told == runs


@pytest.mark.parametrize("sample", ["rust", "cuda"])
def test_time(programs, ptxscope, notes, sample):
    """Pairs of processes, in turn, alternating which comes first; the kernel's median time of each, size by size."""
    timing, file = need(programs / "timing"), VECADD if sample == "rust" else CUDA_VECADD
    sizes = ["10", "16", "20", "24", "26"]
    rows = []
    for pair in range(9):
        row = {}
        for is_watched in ((False, True) if pair % 2 == 0 else (True, False)):
            command = [str(timing), str(file), "50", *sizes]
            if is_watched:
                command = [ptxscope, "run", "-q", "--", *command]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stdout + done.stderr
            row["watched" if is_watched else "alone"] = [float(word) for word in done.stdout.split()]
        rows.append(row)
    names = ["load_ms", "host_us_a_launch", *(f"kernel_us_2^{size}" for size in sizes)]
    notes["columns"], notes["rows"] = names, rows
    notes["medians"] = {
        name: {which: statistics.median(row[which][i] for row in rows) for which in ("alone", "watched")} |
              {"ratio": statistics.median(row["watched"][i] / row["alone"][i] for row in rows)}
        for i, name in enumerate(names)}
    for name, found in notes["medians"].items():
        print(sample, name, {key: round(value, 4) for key, value in found.items()})
    for size in sizes:
        assert notes["medians"][f"kernel_us_2^{size}"]["ratio"] < 1.02, notes["medians"]


@pytest.mark.parametrize("sample", ["rust", "cuda"])
def test_bench_of_the_recording_kernel(ptxscope, notes, tmp_path, sample):
    """Original and instrumented kernel in one process, by bench: record address never set, as nothing traps."""
    file = VECADD if sample == "rust" else CUDA_VECADD
    keep = pathlib.Path(os.environ.get("PTXSCOPE_GPU_OUT") or tmp_path) / f"bench_instrumented_{sample}.json"
    keep.parent.mkdir(parents=True, exist_ok=True)
    changed = tmp_path / "instrumented.ptx"
    subprocess.run([ptxscope, "instrument", file, "-o", changed], check=True, capture_output=True, timeout=60)
    done = subprocess.run([ptxscope, "bench", file.relative_to(ROOT), changed, "--names", "a,b,c", "--arg", "a=f32[n]:in",
                           "--arg", "b=f32[n]:in", "--arg", "c=f32[n]:out", "--sizes", "2^10,2^16,2^20,2^24,2^26",
                           "--check=0", "--keep", keep], cwd=ROOT, capture_output=True, text=True, timeout=120)
    notes["table"] = done.stdout.replace(str(changed), "instrumented.ptx")
    assert done.returncode == 0, done.stdout + done.stderr
    text = keep.read_text(encoding="utf-8").replace(str(changed), "instrumented.ptx")
    keep.write_text(text, encoding="utf-8")
    measured = json.loads(text)
    notes["ratios"] = {str(size["n"]): size["ratio"] for size in measured["sizes"]}
    for size in measured["sizes"]:
        assert size["ratio"]["median"] < 1.02, notes["ratios"]
        assert all(check["different"] == 0 for check in size["checks"]), size["checks"]


def test_beside_compute_sanitizer(programs, watched, cuda_tool, notes):
    program = need(programs / "traps_ptx_only")
    sanitizer = cuda_tool("compute-sanitizer")
    for mode in ("bounds", "assert"):
        theirs = run_alone(sanitizer, program, mode)
        ours, _ = watched(program, mode)
        notes[mode] = {"compute-sanitizer": theirs.stdout + theirs.stderr, "ptxscope run": ours.stderr}


def test_stays_up_when_the_parent_is_killed(programs, ptxscope, tmp_path):
    app = need(programs / "app")
    output = tmp_path / "output"
    with open(output, "w", encoding="utf-8") as file:
        started = subprocess.Popen([ptxscope, "run", "--", "sh", "-c", f"sleep 1; exec {app} {VECADD}"], stdout=file,
                                   stderr=subprocess.DEVNULL)
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(0.5)
        started.kill()
        started.wait()
    for _ in range(200):
        if "sum" in output.read_text(encoding="utf-8"):
            break
        subprocess.run(["sleep", "0.1"], check=True)
    assert "sum 524288.0" in output.read_text(encoding="utf-8")
