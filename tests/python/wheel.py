#!/usr/bin/env python3
"""pip install of the tree into a new environment: the command, the module, the preloaded library. Needs the package index
for the build's own tools; skipped without it."""

import argparse
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile

import support


def run(*words, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, timeout=1700, **more)
    return done.returncode, done.stdout, done.stderr


def succeed(*words, **more):
    status, out, err = run(*words, **more)
    if status != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit status {status}\n{out[-4000:]}\n{err[-4000:]}")
    return out


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("settings", nargs="*", metavar="NAME=VALUE",
                           help="what CMake is told: with the build's own settings the compiler's cache serves both")
    options = arguments.parse_args()
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        skip("this Python makes no environments: the package python3-venv is missing")
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        venv.create(root / "venv", with_pip=True)
        python = root / "venv" / "bin" / "python"
        status, _, _ = run(python, "-m", "pip", "download", "--no-deps", "--dest", root / "tools",
                           "scikit-build-core", "pybind11", env=environment)
        if status != 0:
            skip("the package index cannot be reached: pip download scikit-build-core pybind11 failed")
        settings = [f"--config-settings=cmake.define.{one}" for one in options.settings if not one.endswith("=")]
        succeed(python, "-m", "pip", "wheel", "--no-deps", *settings, "--wheel-dir", root / "wheel", support.ROOT,
                env=environment)
        [wheel] = (root / "wheel").glob("ptxscope-*.whl")
        names = zipfile.ZipFile(wheel).namelist()
        extension = f"ptxscope/_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        for name in (extension, "ptxscope/__init__.py", "ptxscope/_core.pyi", "ptxscope/py.typed", "ptxscope/bin/ptxscope",
                     "ptxscope/bin/libptxscope-preload.so", "ptxscope/THIRD-PARTY.txt"):
            assert name in names, (name, names)
        strange = [name for name in names if not name.startswith(("ptxscope/", "ptxscope-"))]
        assert not strange, strange
        succeed(python, "-m", "pip", "install", "--no-deps", wheel, env=environment)
        command = root / "venv" / "bin" / "ptxscope"
        out = succeed(command, "explain-trap", support.SAMPLE, cwd=root, env=environment)
        assert "trap 1 fires when global.x >= arg0.len" in out, out
        assert succeed(python, "-m", "ptxscope", "--version", cwd=root, env=environment).startswith("ptxscope ")
        # `run` finds the library beside the program.
        out = succeed(command, "run", "--", "/bin/echo", "ran", cwd=root, env=environment)
        assert "ran" in out, out
        code = (f"import ptxscope; m = ptxscope.load({str(support.SAMPLE)!r}); print(len(ptxscope.explain_traps(m).traps),"
                f" len(ptxscope.scan([{str(support.SAMPLE)!r}])), ptxscope.__version__)")
        out = succeed(python, "-c", code, cwd=root, env=environment)
        assert out.startswith("2 1 "), out
        assert f"ptxscope-{out.split()[2]}-" in wheel.name, (out, wheel.name)
        # What the module is linked with comes with it, but for the C and C++ libraries.
        maps = succeed(python, "-c", "import ptxscope; print(open('/proc/self/maps').read())", cwd=root, env=environment)
        foreign = {line.split()[-1] for line in maps.splitlines() if "libantlr4" in line and str(root) not in line}
        assert not foreign, foreign
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed and used")


if __name__ == "__main__":
    main()
