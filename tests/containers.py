#!/usr/bin/env python3
"""Compares `ptxscope extract` with cuobjdump, over files that nvcc makes here: every compression mode, -rdc, several
targets, objects, archives, shared libraries.

    containers.py --ptxscope PATH [--cuobjdump PATH] [--all]

Needs nvcc; exit status 77 without it. Without cuobjdump, what is extracted is compared from mode to mode, and shown to
ptxas.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KERNELS = r"""
__device__ float helper(float x);
__global__ void vecadd(const float* a, const float* b, float* c, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i]; else __trap();
}
__global__ void sines(float* a) { a[threadIdx.x] = sinf(a[threadIdx.x]) + REST; }
int main() { float* p = nullptr; vecadd<<<1, 32>>>(p, p, p, 1); sines<<<1, 32>>>(p); return 0; }
"""
HELPER = "__device__ float helper(float x) { return x * 2; }\n__global__ void one(float* p) { p[0] = helper(p[0]); }\n"
TWO_TARGETS = ["-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-gencode", "arch=compute_90a,code=[sm_90a,compute_90a]"]
MODES = ["none", "size", "speed", "balance", "default"]


def run(command, folder, **options):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, **options)


def built(command, folder):
    done = run(command, folder)
    if done.returncode != 0:
        print(f"cannot be built, left out: {' '.join(command)}\n  {done.stdout.decode(errors='replace').strip()[:300]}")
    return done.returncode == 0


def samples(nvcc, folder, everything):
    """Builds the files; yields their names."""
    (folder / "k.cu").write_text(KERNELS.replace("helper(float x);", "helper(float x) { return x; }").replace("REST", "1"))
    (folder / "rdc.cu").write_text(KERNELS.replace("REST", "helper(2)"))
    (folder / "d.cu").write_text(HELPER)
    takes_modes = b"--compress-mode" in run([nvcc, "--help"], folder).stdout
    for mode in MODES if takes_modes else [None]:
        flags = ["--compress-mode=" + mode] if mode else []
        name = mode or "plain"
        if built([nvcc, *flags, *TWO_TARGETS, "-fatbin", "-o", f"{name}.fatbin", "k.cu"], folder):
            yield f"{name}.fatbin"
        # Linking takes the longest.
        if (everything or mode in (None, "default")) and \
                built([nvcc, *flags, *TWO_TARGETS, "-o", f"app_{name}", "k.cu"], folder):
            yield f"app_{name}"
        if (everything or mode in (None, "speed")) and \
                built([nvcc, "-rdc=true", *flags, *TWO_TARGETS, "-o", f"rdc_{name}", "rdc.cu", "d.cu"], folder):
            yield f"rdc_{name}"
    if built([nvcc, "-lib", "-rdc=true", *TWO_TARGETS, "-o", "both.a", "rdc.cu", "d.cu"], folder):
        yield "both.a"
    if not everything:
        return
    if built([nvcc, "-Xfatbin", "-compress-all", *TWO_TARGETS, "-fatbin", "-o", "all.fatbin", "k.cu"], folder):
        yield "all.fatbin"
    if built([nvcc, *TWO_TARGETS, "-c", "-o", "k.o", "k.cu"], folder):
        yield "k.o"
    if built([nvcc, "-shared", "-Xcompiler", "-fPIC", *TWO_TARGETS, "-o", "libk.so", "k.cu"], folder):
        yield "libk.so"
    if built([nvcc, "-lineinfo", "-Xptxas", "-O2", *TWO_TARGETS, "-fatbin", "-o", "lines.fatbin", "k.cu"], folder):
        yield "lines.fatbin"


def extracted_by(ptxscope, name, folder, out):
    """{(number, target): bytes} of the PTX, by us."""
    done = subprocess.run([ptxscope, "extract", name, "-o", f"{out}/", "--format", "json"], cwd=folder,
                          capture_output=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{name}: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    images = {}
    for image in json.loads(done.stdout)["images"]:
        if image["kind"] == "ptx":
            images[image["number"], image["target"]] = (folder / image["written"]).read_bytes()
    return images


def dumped_by(cuobjdump, name, folder, out):
    """The same, by cuobjdump, which names them app.NUMBER.TARGET.ptx in the current folder; where the source's name is
    kept (-lineinfo), SOURCE.TARGET.ptx: the number is 0 then."""
    (folder / out).mkdir()
    done = run([cuobjdump, "-all", "-xptx", "all", str(folder / name)], folder / out)
    if done.returncode != 0:
        raise AssertionError(f"cuobjdump {name}: {done.stdout.decode(errors='replace')}")
    images = {}
    for path in (folder / out).glob("*.ptx"):
        number, target = re.search(r"(?:\.(\d+))?\.(sm_\w+)\.ptx$", path.name).groups()
        images[int(number or 0), target] = path.read_bytes()
    return images


def difference(ours, theirs):
    if theirs and all(number == 0 for number, _ in theirs):
        ours = {(0, target): text for (_, target), text in ours.items()}
    wrong = sorted(key for key in {*ours, *theirs} if ours.get(key) != theirs.get(key))
    return f"differs from cuobjdump in {wrong}" if wrong or not ours else ""


def compare(ptxscope, cuobjdump, nvcc, folder, everything):
    """Yields (file, images, what is wrong or "")."""
    ptxas = shutil.which("ptxas", path=f"{pathlib.Path(nvcc).parent}:{os.environ.get('PATH', '')}")
    by_kind = {}
    for name in samples(nvcc, folder, everything):
        try:
            ours = extracted_by(ptxscope, name, folder, f"ours_{name}")
            if cuobjdump:
                theirs = dumped_by(cuobjdump, name, folder, f"theirs_{name}")
                yield name, len(ours), difference(ours, theirs)
                continue
            kind = re.sub(f"({'|'.join(MODES)})", "", name)
            expected = by_kind.setdefault(kind, ours)
            problem = "" if ours == expected else "differs from another compression mode"
            for (number, target), text in ours.items():
                path = folder / "one.ptx"
                path.write_bytes(text)
                done = run([ptxas, "-c", f"-arch={target}", "-o", "one.cubin", "one.ptx"], folder)
                if done.returncode != 0:
                    problem = f"ptxas refuses {target}:{number}: {done.stdout.decode(errors='replace')}"
            yield name, len(ours), problem or ("" if ours else "no PTX")
        except AssertionError as error:
            yield name, 0, str(error)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True)
    arguments.add_argument("--cuobjdump", default=shutil.which("cuobjdump"))
    arguments.add_argument("--all", action="store_true", help="executables in each compression mode, and more kinds of files")
    options = arguments.parse_args()
    nvcc = shutil.which("nvcc")
    if not nvcc:
        print("containers: skipped, there is no nvcc in PATH")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        results = list(compare(os.path.abspath(options.ptxscope), options.cuobjdump, nvcc, pathlib.Path(folder), options.all))
    for name, _, problem in results:
        if problem:
            print(f"{name}: {problem}")
    failed = sum(1 for result in results if result[2])
    what = "the same bytes as cuobjdump" if options.cuobjdump else "the same in each mode, taken by ptxas (no cuobjdump in PATH)"
    print(f"containers: {len(results) - failed} of {len(results)} files, {sum(r[1] for r in results)} PTX images: {what}")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
