"""`ptxscope extract` writes the bytes that cuobjdump writes, over files that this machine's nvcc makes: executables of each
compression mode, with and without -rdc, objects, archives, shared libraries. PTXSCOPE names the executable."""

import os
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import containers  # noqa: E402

PTXSCOPE = os.environ.get("PTXSCOPE", "ptxscope")


def tool(name):
    path = os.environ.get("PATH", "") + ":/usr/local/cuda/bin"
    found = shutil.which(name, path=path)
    if not found:
        pytest.skip(f"no {name} in PATH or /usr/local/cuda/bin")
    return found


def test_same_bytes_as_cuobjdump(tmp_path):
    results = list(containers.compare(shutil.which(PTXSCOPE) or PTXSCOPE, tool("cuobjdump"), tool("nvcc"), tmp_path, True))
    images = sum(count for _, count, _ in results)
    print(f"{len(results)} files, {images} PTX images")
    assert [(name, problem) for name, _, problem in results if problem] == []
    assert len(results) >= 5 and images >= 10


@pytest.mark.parametrize("library", ["libcurand.so", "libcublas.so", "libcusolver.so", "libcudadevrt.a"])
def test_libraries_of_the_toolkit(library, tmp_path):
    """What NVIDIA ships, with hundreds of images compressed in every way."""
    cuobjdump = tool("cuobjdump")
    root = pathlib.Path(os.path.realpath(cuobjdump)).parent.parent
    found = sorted(path for folder in ("lib64", "lib", "targets/x86_64-linux/lib") for path in root.glob(f"{folder}/{library}*"))
    if not found:
        pytest.skip(f"no {library} beside {cuobjdump}")
    (tmp_path / found[0].name).symlink_to(found[0].resolve())
    ours = containers.extracted_by(shutil.which(PTXSCOPE) or PTXSCOPE, found[0].name, tmp_path, "ours")
    theirs = containers.dumped_by(cuobjdump, found[0].name, tmp_path, "theirs")
    # cuobjdump looks into nvcc's sections only; what else there is comes after those in our numbers.
    assert theirs and {key: ours.get(key) for key in theirs} == theirs
