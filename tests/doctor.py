#!/usr/bin/env python3
"""doctor and load on machines that are not there: each case builds a folder that stands in for /, with a library that
plays driver and toolkit (tests/fake_toolkit), and compares what is said with tests/fake_toolkit/NAME.expected.

    doctor.py --ptxscope PATH --fake LIBRARY              compares; exit status 1 when something differs
    doctor.py --ptxscope PATH --fake LIBRARY --update     rewrites the .expected files
"""

import argparse
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent / "fake_toolkit"
SAMPLES = FOLDER.parent.parent / "samples"
NVCC = """#!/bin/sh
echo "nvcc: NVIDIA (R) Cuda compiler driver"
echo "Cuda compilation tools, release {0}, V{1}"
"""
LIBRARIES = "/usr/lib/x86_64-linux-gnu"


class Machine:
    """A folder that stands in for /."""

    def __init__(self, root, fake):
        self.root = pathlib.Path(root)
        self.fake = fake
        self.environment = {"PATH": "/usr/bin:/bin"}

    def file(self, path, text="", program=False):
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        if program:
            place.chmod(0o755)
        return place

    def library(self, path, answers):
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.fake, place)
        self.file(path + ".answers", "".join(line + "\n" for line in answers))

    def driver(self, version="580.65.06", cuda=13000, devices=("90 150754820096 NVIDIA H200",), folder=LIBRARIES,
               init=0, module=None, count=None, link=True):
        answers = [f"cuda {cuda}", f"init {init}"] + [f"device {one}" for one in devices]
        self.library(f"{folder}/libcuda.so.{version}", answers)
        # dladdr() gives the name that was opened, not the one behind the link.
        for name in ["libcuda.so.1"] + (["libcuda.so"] if link else []):
            self.link(f"{folder}/{name}", f"libcuda.so.{version}")
        self.file(f"{folder}/libcuda.so.1.answers", "".join(line + "\n" for line in answers))
        self.library(f"{folder}/libnvidia-ml.so.1", [f"nvml {version} {len(devices) if count is None else count}"])
        self.file(f"{folder}/libnvidia-ptxjitcompiler.so.1")
        if module != "":
            self.file("/proc/driver/nvidia/version",
                      f"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {module or version}  Release Build\n")
        self.file("/proc/version", "Linux version 6.8.0-generic (builder)\n")

    def wsl(self):
        self.file("/proc/version", "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@builder)\n")

    def link(self, path, target):
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink():
            place.unlink()
        place.symlink_to(target)

    def toolkit(self, folder, version, full=None, ir="2 0 3 2", libdevice=True, jitlink=None):
        full = full or version + ".48"
        major, minor = version.split(".")
        for name in ("nvcc", "ptxas"):
            self.file(f"{folder}/bin/{name}", NVCC.format(version, full), program=True)
        self.library(f"{folder}/nvvm/lib64/libnvvm.so.4", [f"nvvm {ir}"])
        if libdevice:
            self.file(f"{folder}/nvvm/libdevice/libdevice.10.bc")
        self.library(f"{folder}/lib64/libnvrtc.so.{major}", [f"nvrtc {major} {minor}"])
        self.file(f"{folder}/lib64/libnvrtc-builtins.so.{major}")
        self.library(f"{folder}/lib64/libnvJitLink.so.{major}", [f"nvjitlink {jitlink or major + ' ' + minor}"])

    def python(self, folders):
        # What the program prints for sys.path.
        self.file("/usr/bin/python3", "#!/bin/sh\necho\n" + "".join(f"echo {one}\n" for one in folders), program=True)


def h200(machine):
    machine.driver()
    machine.toolkit("/usr/local/cuda-13.0", "13.0", "13.0.88")
    # As the packages do it; an absolute link begins at the folder that stands in for /.
    machine.link("/usr/local/cuda", "/etc/alternatives/cuda")
    machine.link("/etc/alternatives/cuda", "/usr/local/cuda-13.0")
    machine.link("/usr/local/cuda-99", "/usr/local/cuda-99")
    machine.environment["PATH"] = "/usr/local/cuda/bin:/usr/bin"
    machine.environment["CUDA_HOME"] = "/usr/local/cuda"


def toolkit_too_new(machine):
    machine.driver("570.133.20", 12080, ["120 33661911040 NVIDIA GeForce RTX 5090"])
    machine.toolkit("/usr/local/cuda-13.0", "13.0")
    machine.toolkit("/usr/local/cuda-12.8", "12.8", "12.8.93")
    machine.environment["PATH"] = "/usr/local/cuda-13.0/bin:/usr/bin"
    machine.environment["CUDA_PATH"] = "/usr/local/cuda-12.8"


def toolkit_too_old(machine):
    machine.driver("580.65.06", 13000, ["120 33661911040 NVIDIA GeForce RTX 5090"])
    machine.toolkit("/opt/cuda", "12.4", ir="2 0 3 1")


def wsl(machine):
    machine.driver("580.88", 13000, ["89 25757220864 NVIDIA GeForce RTX 4090"], folder="/usr/lib/wsl/lib", module="")
    machine.wsl()


def wsl_found(machine):
    wsl(machine)
    machine.file("/etc/ld.so.conf.d/ld.wsl.conf", "# This file was automatically generated by WSL.\n/usr/lib/wsl/lib\n")


def wsl_linux_driver(machine):
    wsl_found(machine)
    machine.driver("535.183.01", 12020, [], init=100, module="")
    machine.wsl()
    machine.environment["LD_LIBRARY_PATH"] = LIBRARIES


def update_without_reboot(machine):
    machine.driver("580.65.06", init=803, module="575.57.08")


def hidden(machine):
    machine.driver(devices=["90 150754820096 NVIDIA H200", "90 150754820096 NVIDIA H200"])
    machine.environment["CUDA_VISIBLE_DEVICES"] = "-1"


def one_of_two(machine):
    machine.driver(devices=["90 150754820096 NVIDIA H200", "80 85899345920 NVIDIA A100-SXM4-80GB"])
    machine.environment["CUDA_VISIBLE_DEVICES"] = "1"


def no_gpu(machine):
    machine.driver(devices=[], init=100)


def nothing(machine):
    machine.file("/proc/version", "Linux version 6.8.0-generic (builder)\n")


def no_module(machine):
    machine.driver(init=999, module="")


def crashing(machine):
    machine.driver(init="crash")


def stub(machine):
    machine.driver(init=34)


def wheels(machine):
    machine.driver("570.133.20", 12080)
    site = "/home/me/venv/lib/python3.12/site-packages"
    machine.python([site])
    cu12 = site + "/nvidia"
    machine.file(cu12 + "/cuda_nvcc/bin/ptxas", NVCC.format("12.9", "12.9.86"), program=True)
    machine.library(cu12 + "/cuda_nvcc/nvvm/lib64/libnvvm.so", ["nvvm 2 0 3 2"])
    machine.file(cu12 + "/cuda_nvcc/nvvm/libdevice/libdevice.10.bc")
    machine.library(cu12 + "/nvjitlink/lib/libnvJitLink.so.12", ["nvjitlink 12 6"])
    machine.library(cu12 + "/cuda_nvrtc/lib/libnvrtc.so.12", ["nvrtc 12 8"])
    machine.file(site + "/triton/backends/nvidia/bin/ptxas", NVCC.format("12.8", "12.8.93"), program=True)


def broken_parts(machine):
    machine.driver()
    machine.toolkit("/usr/local/cuda", "13.0", libdevice=False)
    machine.file("/usr/local/cuda/bin/ptxas", "#!/bin/sh\nexit 3\n", program=True)
    machine.library("/usr/local/cuda/nvvm/lib64/libnvvm.so.4", ["nvvm crash"])
    machine.file("/usr/local/cuda/lib64/libnvrtc.so.13", "not a library")
    machine.environment["PATH"] = "/usr/local/cuda/bin:/usr/bin"
    machine.environment["CUDA_HOME"] = "/opt/nothing"


def several(machine):
    machine.driver()
    machine.toolkit("/usr/local/cuda-13.0", "13.0")
    machine.toolkit("/usr/local/cuda-11.8", "11.8", ir="1 9 3 1")
    machine.environment["PATH"] = "/usr/local/cuda-11.8/bin:/usr/local/cuda-13.0/bin:/usr/bin"
    machine.environment["CUDA_HOME"] = "/usr/local/cuda-13.0"


def jit_off(machine):
    machine.driver(link=False)
    (machine.root / LIBRARIES.lstrip("/") / "libnvidia-ptxjitcompiler.so.1").unlink()
    machine.environment["CUDA_DISABLE_PTX_JIT"] = "1"


MACHINES = [h200, toolkit_too_new, toolkit_too_old, wsl, wsl_found, wsl_linux_driver, update_without_reboot, hidden,
            one_of_two, no_gpu, nothing, no_module, crashing, stub, wheels, broken_parts, several, jit_off]

MODULE = """target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64"
target triple = "nvptx64-nvidia-cuda"

define void @kernel() {
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{void ()* @kernel, !"kernel", i32 1}
"""
DEBUG = """!llvm.dbg.cu = !{!3}
!3 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !4, emissionKind: FullDebug)
!4 = !DIFile(filename: "lib.rs", directory: "/src")
"""
FLAG = """!llvm.module.flags = !{!5}
!5 = !{i32 2, !"Debug Info Version", i32 3}
"""
IR_FILES = {
    "no_version": MODULE,
    "good": MODULE + "!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0}\n",
    "old": MODULE + "!nvvmir.version = !{!1}\n!1 = metadata !{i32 1, i32 6}\n",
    "debug_without": MODULE + DEBUG + FLAG + "!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0}\n",
    "debug_dropped": MODULE + DEBUG + "!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0, i32 3, i32 1}\n",
    "two_nodes": MODULE + "!nvvmir.version = !{!1, !2}\n!1 = !{i32 2, i32 0}\n!2 = !{i32 1, i32 0}\n",
    "nothing_listed": MODULE + "!nvvmir.version = !{}\n",
    "nothing_listed_debug": MODULE + DEBUG + FLAG + "!nvvmir.version = !{}\n",
    "over_lines": MODULE + "!nvvmir.version\n=\n  !{\n!1\n}\n!1\n= ; x\n!{i32\n2, i32 0}\n",
    "computed": MODULE + "!nvvmir.version = !{!1}\n!1 = !{i32 add (i32 1, i32 1), i32 0}\n",
    "bitcode": "BC\xc0\xde\x35\x14",
    "ptx": ".version 8.0\n.target sm_90\n",
    "ptx_predicated": "// made\n//\n\n.version 8.0\n.target sm_90\n.entry k()\n{\n@%p1 bra A;\n%r1 = x\n}\n",
    "elf": "\x7fELF\x02\x01\x01\0\0\0\n@x = 1\n!0 = !{i32 1}\n",
    "noise": "\x9a\x03\n@x = 1\n!0 = !{i32 1}\n%%\n",
    "prose": "Dear reader,\n",
}


class Comparison:
    def __init__(self, ptxscope, update):
        self.ptxscope = ptxscope
        self.update = update
        self.failed = 0
        self.count = 0

    def run(self, arguments, environment, cwd):
        done = subprocess.run([self.ptxscope, *arguments], env={"LC_ALL": "C.UTF-8", "TERM": "dumb", **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, cwd=cwd)
        text = done.stdout.decode() + ("--- stderr\n" + done.stderr.decode() if done.stderr else "")
        return text.replace(str(cwd), "ROOT") + (f"--- exit {done.returncode}\n" if done.returncode else "")

    def compare(self, name, text):
        self.count += 1
        path = FOLDER / (name + ".expected")
        old = path.read_text(encoding="utf-8") if path.exists() else None
        if text == old:
            return
        if self.update:
            path.write_text(text, encoding="utf-8")
            print("updated", path.name)
            return
        self.failed += 1
        sys.stdout.writelines(difflib.unified_diff((old or "").splitlines(keepends=True), text.splitlines(keepends=True),
                                                   path.name + " (expected)", path.name + " (now)"))

    def require(self, condition, message):
        self.count += 1
        if not condition:
            self.failed += 1
            print("doctor.py:", message)


def machines(compare, fake):
    for case in MACHINES:
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(folder, fake)
            case(machine)
            started = time.monotonic()
            text = compare.run(["doctor", "--root", folder], machine.environment, folder)
            compare.require(time.monotonic() - started < 60, f"{case.__name__}: took a minute")
            compare.compare("doctor_" + case.__name__, text)
            if case in (h200, toolkit_too_new, wsl, nothing, broken_parts):
                out = compare.run(["doctor", "--root", folder, "--format", "json"], machine.environment, folder)
                document = json.loads(out.split("--- ")[0])
                compare.require(document["schema"] == "ptxscope.doctor/1", f"{case.__name__}: schema")
                compare.require(document["ok"] == ("--- exit 1" not in text), f"{case.__name__}: ok and exit status")
                compare.require(len([one for one in document["checks"] if one["result"] == "wrong"]) == text.count("✗"),
                                f"{case.__name__}: JSON and text count differently")
                if case is h200:
                    compare.compare("doctor_h200_json", out)


def modules(compare, fake):
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, fake)
        several(machine)
        text = ""
        for name, content in IR_FILES.items():
            pathlib.Path(folder, name + ".ll").write_text(content, encoding="latin-1")
            text += f"$ ptxscope doctor {name}.ll\n"
            text += compare.run(["doctor", "--root", folder, name + ".ll"], {**machine.environment, "PATH":
                                "/usr/local/cuda-13.0/bin:/usr/bin"}, folder) + "\n"
        compare.compare("doctor_modules", text)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "no_version.ll").write_text(MODULE)
        compare.compare("doctor_module_alone",
                        compare.run(["doctor", "--root", folder, "no_version.ll"], {"PATH": "/usr/bin"}, folder) +
                        compare.run(["doctor", "--root", folder, "--format", "json", "no_version.ll"],
                                    {"PATH": "/usr/bin"}, folder) +
                        compare.run(["doctor", "missing.ll"], {"PATH": "/usr/bin"}, folder) +
                        compare.run(["doctor", "--root", "/nowhere"], {"PATH": "/usr/bin"}, folder))


LOG = ("ptxas info    : 0 bytes gmem\\nptxas info    : Compiling entry function 'vecadd' for 'sm_90'\\n"
       "ptxas info    : Function properties for vecadd\\n"
       "ptxas         .     16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\\n"
       "ptxas info    : Used 16 registers, used 0 barriers, 384 bytes cmem[0]\\n"
       "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
       "insufficient register resources for the wgmma pipeline in the function 'vecadd'\\n")


def loads(compare, fake):
    driver = ["cuda 13000", "device 90 150754820096 NVIDIA H200"]
    kernel = "kernel vecadd 16 0 1024 384 1024 80 90"
    cases = {
        "load": (driver + [kernel, "info-log " + LOG], ["--block", "128,16x16", "--block", "2048"]),
        "load_unknown_symbol": (driver + ["load 218", "error-log ptxas application ptx input, line 21; error   : Unknown "
                                "symbol '%rd9'\\nptxas application ptx input, line 9999; error   : Far away\\nptxas fatal   "
                                ": Ptx assembly aborted due to errors\\n"], []),
        "load_unresolved": (driver + ["load 209", "error-log ptxas fatal   : Unresolved extern function 'vecadd'\\nsomething "
                            "of another shape\\nptxas fatal   : Unresolved extern variable 'elsewhere'\\n"], []),
        "load_too_new": (["cuda 10020", "device 75 16106127360 Tesla T4", "load 222",
                          "error-log ptxas application ptx input, line 5; fatal   : Unsupported .version 7.0; current "
                          "version is '6.5'\\n"], []),
        "load_no_compiler": (driver + ["load 221"], []),
        "load_kernel_not_there": (driver + ["kernel other 16 0 0 384 1024 80 90"], ["--kernel", "vec*"]),
        "load_no_gpu": (["cuda 13000"], []),
        "load_mismatch": (driver + ["init 803"], []),
        "load_usage": (driver, ["--block", "0"]),
        "load_axes": (driver, ["--block", "8x8x8x8"]),
        "load_shared": (driver, ["--shared", "-5"]),
        "load_device_below": (driver, ["--device", "-1"]),
        "load_device": (driver, ["--device", "3"]),
        "load_name": (driver + [kernel], ["--kernel", "vecad"]),
    }
    with tempfile.TemporaryDirectory() as folder:
        sample = shutil.copy(SAMPLES / "vecadd" / "vecadd.ptx", folder)
        for name, (answers, flags) in cases.items():
            library = pathlib.Path(folder, "libcuda.so.1")
            shutil.copy(fake, library)
            pathlib.Path(str(library) + ".answers").write_text("".join(line + "\n" for line in answers))
            environment = {"PTXSCOPE_LIBCUDA": str(library)}
            text = compare.run(["load", *flags, "vecadd.ptx"], environment, folder)
            # The only thing that differs from run to run.
            text = re.sub(r"^  in [\d.]+ ms$", "  in TIME", text, flags=re.MULTILINE)
            compare.compare(name, text)
            out = compare.run(["load", *flags, "--repeat", "3", "--format", "json", os.path.basename(sample)], environment,
                              folder).split("--- ")[0]
            if not out:
                continue
            document = json.loads(out)
            compare.require(document["schema"] == "ptxscope.load/1", f"{name}: schema")
            loaded = not any(one.startswith("load ") for one in answers)
            compare.require(document["loaded"] == loaded, f"{name}: loaded")
            compare.require(len(document["milliseconds"]) == (3 if loaded else 0), f"{name}: times")
            compare.require(loaded or document["reasons"] or name in ("load_unknown_symbol", "load_unresolved", "load_no_compiler"), f"{name}: no reasons")
        compare.compare("load_no_driver", compare.run(["load", "vecadd.ptx"],
                                                      {"PTXSCOPE_LIBCUDA": folder + "/none.so"}, folder))
        # What is wrong with the command line is told without a GPU, too.
        compare.compare("load_no_driver_usage", "".join(
            compare.run(["load", *words], {"PTXSCOPE_LIBCUDA": folder + "/none.so"}, folder)
            for words in (["nowhere.ptx"], ["--kernel", "nope", "vecadd.ptx"], ["vecadd.ptx", "vecadd.ptx"])))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True, help="the executable")
    arguments.add_argument("--fake", required=True, help="the library of tests/fake_toolkit")
    arguments.add_argument("--update", action="store_true", help="rewrite the .expected files")
    options = arguments.parse_args()
    compare = Comparison(os.path.abspath(options.ptxscope), options.update)
    machines(compare, options.fake)
    modules(compare, options.fake)
    loads(compare, options.fake)
    print(f"doctor and load: {compare.count - compare.failed} of {compare.count} as expected")
    return 1 if compare.failed else 0


if __name__ == "__main__":
    sys.exit(main())
