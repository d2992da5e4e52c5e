"""Many files at once: the rows of `ptxscope scan`, and the program itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from ._core import Error

T = TypeVar("T")


def program() -> str:
    """The path of the ptxscope program that belongs to this package."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "ptxscope")
    if not os.access(path, os.X_OK):
        raise Error(f"{path}: the program is not there; install the package again")
    return path


def environment() -> dict[str, str]:
    """What the program is told of this interpreter: it writes Parquet through it."""
    return {**os.environ, "PTXSCOPE_PYTHON": sys.executable}


def scan(paths: Iterable[str | os.PathLike[str]], *, jobs: int = 1, seconds: int = 60,
         memory: int = 4096) -> list[dict[str, Any]]:
    """A row for each kernel in these files and folders, as docs/scan.md describes them; in the order of the paths.

    Runs `ptxscope scan`, which reads each file in a process of its own with a limit of time and memory: a bad file is a
    row that says so, and nothing else is lost.

    jobs      processes to work with
    seconds   how long one file may take
    memory    how much memory it may take, in MiB; 0: no limit
    """
    return list(iterate_scan(paths, jobs=jobs, seconds=seconds, memory=memory))


def path_bytes(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> bytes:
    """A path as the program takes it."""
    encoded = os.fsencode(path)
    if not encoded:
        raise Error("'': an empty path names nothing; \".\" is this folder")
    if b"\0" in encoded:
        raise ValueError(f"{path!r}: embedded null byte")
    return encoded


def several(what: str, values: Iterable[T]) -> list[T]:
    """What was given as a list; one text by itself is none, although Python would take it letter by letter."""
    if isinstance(values, (str, bytes, os.PathLike)):
        raise TypeError(f"{what}={values!r}: expected a list, [{values!r}]")
    return list(values)


def iterate_scan(paths: Iterable[str | os.PathLike[str]], *, jobs: int = 1, seconds: int = 60,
                 memory: int = 4096) -> Iterator[dict[str, Any]]:
    """The same, one row after another as they come."""
    given_paths = b"".join(path_bytes(path) + b"\0" for path in several("paths", paths))
    if not given_paths:
        return
    command = [program(), "scan", "--files-from", "-", "--jobs", str(jobs), "--seconds", str(seconds), "--memory",
               str(memory)]
    # The list of files goes through a file: a pipe would have to be fed while rows are read.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
        given.write(given_paths)
        given.seek(0)
        with subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=said) as child:
            assert child.stdout is not None
            try:
                for line in child.stdout:
                    yield json.loads(line)
            except BaseException:  # nobody wants the rest
                child.kill()
                raise
        if child.returncode != 0:
            said.seek(0)
            raise Error(said.read().decode("utf-8", "replace").strip() or f"ptxscope scan: exit status {child.returncode}")


def partitions(paths: Iterable[str | os.PathLike[str]], size: int) -> list[list[str]]:
    """The paths in lists of at most `size`, in their order: what scan() is given on several machines."""
    if size < 1:
        raise ValueError(f"size={size}: a list holds at least one path")
    every = [os.fspath(path) for path in several("paths", paths)]
    return [every[i:i + size] for i in range(0, len(every), size)]


def files_in(folder: str | os.PathLike[str]) -> list[str]:
    """All files in a folder and below, in the order in which `ptxscope scan` takes them."""
    def told(error: OSError) -> None:
        if error.filename == os.fspath(folder):
            raise Error(f"{os.fsdecode(folder)}: cannot be listed: {error.strerror}; name a folder that you may read")
        warnings.warn(f"{error.filename}: cannot be listed: {error.strerror}; what is in it is left out", stacklevel=3)

    found = [os.path.join(place, name) for place, _, names in os.walk(folder, onerror=told) for name in names]
    return sorted((path for path in found if os.path.isfile(path)), key=os.fsencode)
