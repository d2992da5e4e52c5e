"""What the GPU tests share. PTXSCOPE names the executable (libptxscope-preload.so beside it), PTXSCOPE_GPU_OUT the folder
for what is to be kept; `notes` of a test go into one file there, gpu_notes.json. Without a GPU everything is skipped."""

import datetime
import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTES = {}
START = time.monotonic()


def gpu_name():
    if not shutil.which("nvidia-smi"):
        return ""
    done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                          text=True, timeout=60)
    return done.stdout.strip().splitlines()[0] if done.returncode == 0 and done.stdout.strip() else ""


def cuda_version():
    """Of nvcc, which builds the programs: "13.0"; None: there is none."""
    nvcc = shutil.which("nvcc", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    if not nvcc:
        return None
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, timeout=60).stdout
    return said.split("release ")[1].split(",")[0] if "release " in said else None


def keep_document(document):
    """A line of documents.jsonl, for tests/schemas.py on a machine that has the Python package it needs."""
    folder = os.environ.get("PTXSCOPE_GPU_OUT")
    if folder and document:
        with open(pathlib.Path(folder) / "documents.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(document) + "\n")


GPU = gpu_name()


def pytest_collection_modifyitems(items):
    if GPU:
        return
    for item in items:
        item.add_marker(pytest.mark.skip(reason="no GPU: nvidia-smi is not there or finds none"))


def pytest_terminal_summary(terminalreporter):
    counts = {kind: len(terminalreporter.stats.get(kind, [])) for kind in ("passed", "failed", "error", "skipped")}
    folder = os.environ.get("PTXSCOPE_GPU_OUT")
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        files = {}
        for kind in counts:
            for report in terminalreporter.stats.get(kind, []):
                one = files.setdefault(report.nodeid.split("::")[0], dict.fromkeys(counts, 0))
                one[kind] += 1
        reasons = sorted({report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])
                          if isinstance(report.longrepr, tuple)})
        failed = [report.nodeid for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, [])]
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        text = json.dumps({"gpu": GPU, "cuda": cuda_version(), "date": date, "seconds": round(time.monotonic() - START),
                           "counts": counts, "files": files, "failed": failed, "skipped_because": reasons,
                           "notes": NOTES}, indent=1)
        (pathlib.Path(folder) / "gpu_notes.json").write_text(text + "\n", encoding="utf-8")
    terminalreporter.write_line("GPU tests: {passed} passed, {failed} failed, {error} errors, {skipped} skipped".format(
        **counts) + (f"; {GPU}" if GPU else "; no GPU"))


@pytest.fixture(scope="session")
def ptxscope():
    found = shutil.which(os.environ.get("PTXSCOPE", "ptxscope"))
    if not found:
        pytest.fail("no ptxscope: PTXSCOPE names the executable")
    return os.path.abspath(found)


@pytest.fixture
def notes(request):
    """A dictionary that is kept with the results."""
    return NOTES.setdefault(request.node.name, {})


@pytest.fixture(scope="session")
def cuda_tool():
    def find(name):
        found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
        if not found:
            pytest.skip(f"no {name} in PATH or /usr/local/cuda/bin")
        return found
    return find
