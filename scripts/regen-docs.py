#!/usr/bin/env python3
"""Reruns the commands whose output README.md and docs/*.md show, and rewrites that output.

A command stands in a comment, its output in the fence after it:

    <!-- run: ptxscope cfg samples/vecadd/vecadd.ptx -->
    ```console
    $ ptxscope cfg samples/vecadd/vecadd.ptx
    ...
    ```

It is a shell command, run at the top of the source tree with ptxscope in PATH, and the Python package beside it. A command
that uses the package is left out where it was not built. `<!-- run, exit 1: ... -->` expects
that exit status. `<!-- run, hidden: ... -->` leaves the `$ ...` line out, for output that is quoted alone.

    regen-docs.py --ptxscope PATH            rewrites
    regen-docs.py --ptxscope PATH --check    exit status 1 when something is no longer what the program says
    regen-docs.py --ptxscope PATH PAGE...    only these pages
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"^<!-- run(?P<hidden>, hidden)?(?:, exit (?P<exit>\d+))?: (?P<command>.*?) -->\n(?P<fence>```\w*)\n(?P<old>.*?)^```$",
    re.MULTILINE | re.DOTALL)
NEEDS_PACKAGE = re.compile(r"python3 (samples/python/|-c .*import ptxscope)")
MARKER = re.compile(r"^\s*<!-- run", re.MULTILINE)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True, help="the executable")
    arguments.add_argument("--check", action="store_true", help="change nothing, only say what differs")
    arguments.add_argument("pages", nargs="*", type=pathlib.Path)
    options = arguments.parse_args()
    executable = pathlib.Path(options.ptxscope).resolve()
    if not executable.is_file():
        sys.exit(f"regen-docs.py: {executable}: no such file; build the target ptxscope first")
    package = executable.parent / "python"
    has_package = any(package.glob("ptxscope/_core*"))
    environment = {"PATH": f"{executable.parent}:{pathlib.Path(sys.executable).parent}:"
                           f"{os.environ.get('PATH', '/usr/bin:/bin')}",
                   "LC_ALL": "C.UTF-8", "TERM": "dumb", "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    problems = 0
    commands = 0

    def rerun(page, match):
        nonlocal problems, commands
        commands += 1
        command = match["command"]
        if NEEDS_PACKAGE.search(command) and not has_package:
            print(f"{page}: left out, there is no Python package beside the program: {command}")
            return match[0]
        try:
            done = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        except subprocess.TimeoutExpired:
            problems += 1
            print(f"{page}: still running after 120 s: {command}")
            return match[0]
        output = done.stdout.decode("utf-8", "backslashreplace")
        if done.returncode != int(match["exit"] or 0):
            problems += 1
            print(f"{page}: exit status {done.returncode} instead of {match['exit'] or 0}: {command}\n{output}")
            return match[0]
        if output and not output.endswith("\n"):
            output += "\n"
        if not match["hidden"]:
            output = f"$ {command}\n{output}"
        marker = match[0].split("\n", 1)[0]
        return f"{marker}\n{match['fence']}\n{output}```"

    all_pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for path in [page.resolve() for page in options.pages] or all_pages:
        page = path.relative_to(ROOT)
        text = path.read_text(encoding="utf-8")
        if len(MARKER.findall(text)) != len(list(BLOCK.finditer(text))):
            problems += 1
            print(f"{page}: a 'run' comment without a fence right after it")
        new = BLOCK.sub(lambda match: rerun(page, match), text)
        if new == text:
            continue
        if options.check:
            problems += 1
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(keepends=True), new.splitlines(keepends=True),
                                                       str(page), f"{page} (now)", n=1))
        else:
            path.write_text(new, encoding="utf-8")
            print(f"updated {page}")
    print(f"documentation: {commands} commands run, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
