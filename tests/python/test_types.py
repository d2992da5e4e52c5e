#!/usr/bin/env python3
"""mypy, strictly, over the package and over a use of it; skipped where there is no mypy."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support

USE = '''
import ptxscope
from ptxscope.results import Given, Trap

def first(path: str) -> str | None:
    module: ptxscope.Module = ptxscope.load(path)
    report = ptxscope.explain_traps(module, grid=(4, 1), block=256, args={"a.len": 512})
    trap: Trap = report.functions[0].traps[0]
    given: Given | None = trap.given
    threads: int = given.threads if given is not None else 0
    text: str = module["vecadd"].instructions[0].value("%r1")
    edges: tuple[ptxscope.Edge, ...] = module.kernels[0].blocks[0].successors
    counts: dict[str, int] = ptxscope.stats(module).totals.memory
    lower, result = ptxscope.retarget(module, isa="min")
    reveal_type(lower)
    return edges[0].guard if threads and counts and text and result.ok else None
'''

WRONG = '''
import ptxscope

ptxscope.parse(12)
ptxscope.stats(ptxscope.parse("")).total
'''


def mypy(*words):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "--config-file",
                           str(support.ROOT / "pyproject.toml"), *words],
                          capture_output=True, text=True, check=False, cwd=support.ROOT / "python",
                          env={"MYPYPATH": str(support.ROOT / "python"), "PATH": "/usr/bin:/bin"})


@unittest.skipUnless(importlib.util.find_spec("mypy"), "there is no mypy: pip install mypy, or the package mypy")
class TypesTest(unittest.TestCase):
    def test_the_package(self):
        done = mypy("ptxscope")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def check(self, code):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "use.py"
            path.write_text(code, encoding="utf-8")
            return mypy(str(path))

    def test_a_use(self):
        done = self.check(USE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Union[ptxscope.model.Module, None]", done.stdout.replace("ptxscope.model.Module | None",
                                                                              "Union[ptxscope.model.Module, None]"))

    def test_a_wrong_use(self):
        done = self.check(WRONG)
        self.assertEqual(done.returncode, 1)
        self.assertIn('incompatible type "int"', done.stdout)
        self.assertIn('"Stats" has no attribute "total"', done.stdout)


if __name__ == "__main__":
    support.main()
