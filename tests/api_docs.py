#!/usr/bin/env python3
"""Has every symbol of the public headers a comment? Runs Doxygen by docs/Doxyfile into a folder of the build; skipped (77)
where it is not installed.

    tests/api_docs.py BUILD_FOLDER"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNDOCUMENTED = """/// \\file
/// \\namespace ptxscope
/// Here.
namespace ptxscope {
struct NobodySaysWhat {
  int this_is = 0;
};
void nor_this();
}  // namespace ptxscope
"""


def doxygen(*settings):
    """Exit status, and what was said."""
    configuration = "\n".join(["@INCLUDE = docs/Doxyfile", *settings, ""])
    done = subprocess.run(["doxygen", "-"], input=configuration, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600)
    return done.returncode, done.stdout.replace(f"{ROOT}/", "")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if shutil.which("doxygen") is None:
        print("skipped: there is no doxygen (package doxygen)")
        return 77
    build = pathlib.Path(sys.argv[1]).resolve()
    build.mkdir(parents=True, exist_ok=True)
    status, said = doxygen(f'OUTPUT_DIRECTORY = "{build}"')
    print(said, end="")
    if status != 0 or said:
        print("api_docs: say in a comment what the name does not: CONTRIBUTING.md, docs/public_headers")
        return 1
    pages = len(list((build / "api").glob("*.html")))
    print(f"api_docs: {pages} pages in {build / 'api'}")
    if pages < 100:
        print("api_docs: these are too few for the library")
        return 1

    # That nothing is said does not come from nothing being looked at.
    with tempfile.TemporaryDirectory() as scratch:
        header = pathlib.Path(scratch) / "undocumented.h"
        header.write_text(UNDOCUMENTED, encoding="utf-8")
        status, said = doxygen(f'OUTPUT_DIRECTORY = "{scratch}"', f'INPUT = "{header}"')
    missed = [name for name in ("NobodySaysWhat", "this_is", "nor_this") if name not in said]
    if status == 0 or missed:
        print(f"api_docs: doxygen has nothing against undocumented symbols ({', '.join(missed) or 'status 0'})\n{said}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
