#!/usr/bin/env python3
"""PTX as Triton, Numba, NVRTC and CuPy hand it over, by the samples that docs/python.md shows. None needs a GPU; what is
not installed, or cannot compile on this machine, is skipped with the reason."""

import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import unittest

import support

import ptxscope

sys.path.insert(0, str(support.ROOT / "samples" / "python"))

# What pip calls them.
WHEELS = {"triton": "triton", "numba": "numba numba-cuda", "cuda.bindings": "cuda-python", "cupy": "cupy-cuda12x"}


class ProducerTest(unittest.TestCase):
    def sample(self, name, packages):
        """The sample's module."""
        for package in packages:
            try:
                found = importlib.util.find_spec(package)
            except ModuleNotFoundError:
                found = None
            if found is None:
                self.skipTest(f"there is no {package}: pip install {WHEELS[package]}")
        try:
            return importlib.import_module(name)
        except (ImportError, OSError, RuntimeError) as error:
            self.skipTest(f"{packages[0]} does not start here: {error}")

    def text_of(self, module):
        try:
            return module.compiled()
        except Exception as error:  # whatever their compilers raise where a library of CUDA is missing
            words = str(error)
            if any(word in words.lower() for word in ("libnvvm", "nvvm", "libnvrtc", "nvrtc", "libdevice", "ptxas",
                                                      "cannot open shared object", "not found", "could not find")):
                self.skipTest(f"{module.__name__} finds no compiler here: {words.splitlines()[0]}")
            raise

    def check(self, module, name):
        """Everything works on it, and the sample's own lines come out."""
        self.assertTrue(module.ok, module.diagnostics)
        kernels = [one.name for one in module.kernels]
        self.assertTrue(any(name in one for one in kernels), kernels)
        kernel = module.kernels[0]
        self.assertTrue(kernel.params and kernel.blocks and kernel.instructions)
        self.assertTrue(ptxscope.check(module).declared.ok)
        self.assertTrue(ptxscope.diff(module, module).identical)
        self.assertEqual(ptxscope.stats(module).functions[0].instructions, len(kernel.instructions))

    def output(self, sample):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            sample.main()
        return printed.getvalue()

    def test_triton(self):
        with tempfile.TemporaryDirectory() as cache:
            os.environ["TRITON_CACHE_DIR"] = cache
            sample = self.sample("triton_add", ["triton"])
            kernel = self.text_of(sample)
            self.check(ptxscope.parse(kernel.asm["ptx"]), "add")
            printed = self.output(sample)
            self.assertIn("n must be positive", printed)

    def test_numba(self):
        sample = self.sample("numba_add", ["numba"])
        self.check(ptxscope.parse(self.text_of(sample)), "add")
        self.assertIn("global.x", self.output(sample))

    def test_nvrtc(self):
        sample = self.sample("nvrtc_add", ["cuda.bindings"])
        self.check(ptxscope.parse(self.text_of(sample)), "add")
        self.assertIn("global.x >= n", self.output(sample))

    def test_cupy(self):
        sample = self.sample("cupy_add", ["cupy"])
        self.check(ptxscope.parse(self.text_of(sample)), "add")
        self.assertIn("global.x >= n", self.output(sample))


if __name__ == "__main__":
    support.main()
