"""doctor and load on a GPU: what doctor says against nvidia-smi and nvcc; what load says against ptxas and check. What both
print goes into the folder of PTXSCOPE_GPU_OUT, for docs/doctor.md and docs/load.md."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import keep_document

ROOT = pathlib.Path(__file__).resolve().parents[2]
PTXSCOPE = os.environ.get("PTXSCOPE", "ptxscope")
SAMPLES = sorted(ROOT.glob("samples/*/*.ptx"))
PATH = os.environ.get("PATH", "") + ":/usr/local/cuda/bin"

HEADER = ".version {version}\n.target {target}\n.address_size 64\n"
STORE = """.visible .entry store(.param .u64 out)
{{
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, {value};
  st.global.u32 [%rd1], %r1;
  ret;
}}
"""


def run(*arguments, seconds=120, environment=None):
    return subprocess.run([PTXSCOPE, *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=seconds,
                          env={**os.environ, **(environment or {})})


def document(*arguments, environment=None, codes=(0,)):
    done = run(*arguments, "--format", "json", environment=environment)
    assert done.returncode in codes, done.stdout + done.stderr
    written = json.loads(done.stdout)
    keep_document(written)
    return written


def keep(tmp_path, *commands):
    """Output as people see it, one command after the other."""
    folder = pathlib.Path(os.environ.get("PTXSCOPE_GPU_OUT") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "doctor_load.txt", "a", encoding="utf-8") as file:
        for command in commands:
            done = subprocess.run([PTXSCOPE, *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  encoding="utf-8", timeout=120)
            text = f"$ ptxscope {' '.join(command)}\n{done.stdout}[exit status {done.returncode}]\n\n"
            print(text)
            file.write(text)


def smi(query):
    program = shutil.which("nvidia-smi", path=PATH + ":/usr/local/nvidia/bin:/usr/lib/wsl/lib")
    if not program:
        pytest.skip("no nvidia-smi")
    return subprocess.run([program, f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True,
                          check=True).stdout.strip().splitlines()


def ptx(tmp_path, name, version, target, body):
    path = tmp_path / name
    path.write_text(HEADER.format(version=version, target=target) + body)
    return str(path)


@pytest.fixture(scope="module")
def found():
    return document("doctor", codes=(0, 1))


def test_doctor_sees_what_nvidia_smi_sees(found, tmp_path):
    keep(tmp_path, ["doctor"])
    assert found["driver"]["version"] == smi("driver_version")[0]
    assert [one["name"] for one in found["driver"]["devices"]] == smi("name")
    assert [one["capability"] for one in found["driver"]["devices"]] == smi("compute_cap")
    assert found["driver"]["status"] == 0
    wrong = [one for one in found["checks"] if one["result"] == "wrong" and one["group"] != "toolkits"]
    assert wrong == []


def test_doctor_knows_the_targets(found):
    device = found["driver"]["devices"][0]
    number = device["capability"].replace(".", "")
    assert f"sm_{number}" in device["targets"]
    if int(number) >= 90:
        assert f"sm_{number}a" in device["targets"]


def test_doctor_sees_nvcc(found):
    nvcc = shutil.which("nvcc", path=os.environ.get("PATH"))
    if not nvcc:
        pytest.skip("no nvcc in PATH")
    told = re.search(r", V([\d.]+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout)
    parts = [part for toolkit in found["toolkits"] for part in toolkit["parts"] if part["part"] == "nvcc"]
    assert told.group(1) in [part["version"] for part in parts]


def test_doctor_sees_wheels(found):
    python = shutil.which("python3")
    code = "import nvidia, pathlib; print(*[p for n in nvidia.__path__ for p in pathlib.Path(n).glob('*/lib/libnvrtc.so*')])"
    wheels = subprocess.run([python, "-c", code], capture_output=True, text=True)
    if wheels.returncode != 0 or not wheels.stdout.strip():
        pytest.skip("python3 has no wheel of NVRTC")
    assert "wheels" in [toolkit["kind"] for toolkit in found["toolkits"]]


def test_hidden_gpus():
    done = run("doctor", environment={"CUDA_VISIBLE_DEVICES": "-1"})
    assert done.returncode == 1
    assert "CUDA_VISIBLE_DEVICES=-1 hides" in done.stdout
    done = run("load", str(SAMPLES[0]), environment={"CUDA_VISIBLE_DEVICES": "-1"})
    assert done.returncode == 2 and "CUDA_ERROR_NO_DEVICE (100)" in done.stderr


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_load_agrees_with_check(sample):
    """What check says of this driver and GPU is what the driver does."""
    check = document("check", "--device", str(sample), codes=(0, 1))
    loaded = document("load", str(sample), codes=(0, 1))
    if any("Unresolved extern" in one["text"] for one in loaded["messages"]):
        assert not loaded["loaded"] and ".extern .func" in sample.read_text()
        return
    assert loaded["loaded"] == check["against"]["ok"], (loaded["error"], loaded["log"])
    if loaded["loaded"]:
        assert loaded["kernels"] and all("error" not in kernel for kernel in loaded["kernels"])
    else:
        assert loaded["reasons"]


def test_unresolved_function_is_marked_where_it_is_declared(tmp_path):
    done = run("load", "samples/panic/panic.ptx")
    keep(tmp_path, ["load", "samples/panic/panic.ptx"])
    assert done.returncode == 1 and "Unresolved extern" in done.stderr, done.stdout + done.stderr
    assert "help: link it" in done.stderr


def test_registers_are_those_of_ptxas(found):
    """The driver's compiler and the toolkit's, where they are of one CUDA."""
    ptxas = shutil.which("ptxas", path=PATH)
    if not ptxas:
        pytest.skip("no ptxas")
    release = re.search(r"release ([\d.]+)", subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout)
    if release.group(1) != found["driver"]["cuda"]:
        pytest.skip(f"ptxas is of CUDA {release.group(1)}, the driver of {found['driver']['cuda']}")
    number = found["driver"]["devices"][0]["capability"].replace(".", "")
    compared = 0
    for sample in SAMPLES:
        loaded = document("load", str(sample), codes=(0, 1))
        done = subprocess.run([ptxas, "-v", f"-arch=sm_{number}", "-o", os.devnull, str(sample)], capture_output=True, text=True)
        if done.returncode != 0 or not loaded["loaded"]:
            continue
        name = None
        theirs = {}
        for line in done.stderr.splitlines():
            if match := re.search(r"Compiling entry function '(.*?)'", line):
                name = match.group(1)
            if match := re.search(r"Used (\d+) registers", line):
                theirs[name] = int(match.group(1))
        ours = {kernel["name"]: kernel["registers"] for kernel in loaded["kernels"]}
        assert ours == theirs, sample
        compared += len(ours)
    print(f"{compared} kernels with the registers of ptxas")
    assert compared >= 5


def test_load_text(tmp_path):
    keep(tmp_path, ["load", "samples/vecadd/vecadd.ptx"],
         ["load", "--block", "128,256,1024", "--repeat", "9", "samples/vecadd_cuda/vecadd.ptx"])


def test_occupancy_and_times():
    loaded = document("load", "--block", "32,256,1024", "--repeat", "9", "samples/vecadd_cuda/vecadd.ptx")
    assert len(loaded["milliseconds"]) == 9 and loaded["median_milliseconds"] > 0
    for kernel in loaded["kernels"]:
        assert [one["block"] for one in kernel["occupancy"]] == [32, 256, 1024]
        assert all(0 < one["occupancy"] <= 1 for one in kernel["occupancy"])
        assert kernel["max_threads"] in range(32, 1025)


def test_spills_are_told(tmp_path):
    count = 200
    loads = "".join(f"  ld.volatile.global.f32 %f{i}, [%rd1+{4 * i}];\n" for i in range(count))
    stores = "".join(f"  st.volatile.global.f32 [%rd1+{4 * i}], %f{count - 1 - i};\n" for i in range(count))
    body = (f".visible .entry many(.param .u64 p)\n.maxnreg 32\n{{\n  .reg .b64 %rd<2>;\n  .reg .f32 %f<{count}>;\n"
            f"  ld.param.u64 %rd1, [p];\n{loads}{stores}  ret;\n}}\n")
    path = ptx(tmp_path, "many.ptx", "8.0", "sm_80", body)
    kernel = document("load", path)["kernels"][0]
    assert kernel["registers"] <= 32 and kernel["local_bytes"] > 0
    assert kernel["spill_store_bytes"] and kernel["spill_load_bytes"]
    keep(tmp_path, ["load", path])


def test_unknown_symbol_is_marked_on_its_line(tmp_path):
    path = ptx(tmp_path, "unknown.ptx", "8.0", "sm_80", STORE.format(value="%nosuch"))
    done = run("load", path)
    keep(tmp_path, ["load", path])
    assert done.returncode == 1, done.stdout
    assert f"{path}:9:" in done.stderr and "[PTX-JIT]" in done.stderr
    told = document("load", path, codes=(1,))
    assert told["status"] == 218 and {one["line"] for one in told["messages"]} == {9}, told["log"]


def test_too_new_ptx(found, tmp_path):
    if found["driver"]["at_least"]:
        pytest.skip("the driver is newer than the table of releases")
    major, minor = map(int, found["driver"]["isa"].split("."))
    path = ptx(tmp_path, "new.ptx", f"{major}.{minor + 1}", "sm_80", STORE.format(value=1))
    told = document("load", path, codes=(1,))
    assert told["status"] == 222, told
    assert any(found["driver"]["isa"] in one["message"] or found["driver"]["isa"] in (one["remedy"] or "")
               for one in told["reasons"]), told["reasons"]
    keep(tmp_path, ["load", path])


def test_target_of_another_gpu(found, tmp_path):
    number = found["driver"]["devices"][0]["capability"].replace(".", "")
    other = "sm_90a" if number != "90" else "sm_100a"
    path = ptx(tmp_path, "other.ptx", "8.8", other, STORE.format(value=1))
    told = document("load", path, codes=(1,))
    assert not told["loaded"] and told["reasons"], told
    keep(tmp_path, ["load", path])
