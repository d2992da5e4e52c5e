#!/usr/bin/env python3
"""Draws the pictures of docs/viewer.md and README.md anew, on Qt's offscreen platform: look at them before you commit.

    screenshots.py GUI_SCREENSHOT [--out FOLDER] [NAME...]
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VECADD = "samples/vecadd/vecadd.ptx"
PICTURES = {
    "viewer-diff": ["--theme", "light", "--size", "1500x940", "--diff", "--line", "31", VECADD,
                    "samples/vecadd_cuda/vecadd.ptx"],
    "viewer-trap": ["--theme", "light", "--size", "1500x940", "--panel", "Traps", "--trap", "1", VECADD],
    "viewer-dark": ["--theme", "dark", "--size", "1500x940", "--panel", "Instruction", "--symbol", "%rd4, %rd6", VECADD],
    "viewer-launch": ["--theme", "light", "--size", "1500x940", "--panel", "Launch", "--trap", "2",
                      "--launch", "arg0.len=1000,arg1.len=20,arg2.len=1000", VECADD],
    "viewer-requirements": ["--theme", "light", "--size", "1500x940", "--panel", "Requirements", "--ask", "sm_80",
                            "samples/targets/sm_90.ptx"],
}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/images")
    arguments.add_argument("names", nargs="*")
    options = arguments.parse_args()
    unknown = [name for name in options.names if name not in PICTURES]
    if unknown:
        sys.exit(f"screenshots.py: {', '.join(unknown)}: no such picture (there are {', '.join(PICTURES)})")
    options.out.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", LC_ALL="C.UTF-8")
    for name in options.names or PICTURES:
        target = options.out.resolve() / f"{name}.png"
        subprocess.run([options.program.resolve(), target, *PICTURES[name]], cwd=ROOT, env=environment, check=True,
                       timeout=120)
        print(target)


if __name__ == "__main__":
    main()
