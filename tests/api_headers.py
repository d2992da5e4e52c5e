#!/usr/bin/env python3
"""Does docs/public_headers list the headers of the library, as its head says which they are? And does none of them
include one that is not installed?

    tests/api_headers.py"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = ("parser", "isa", "analysis", "report", "driver")
USERS = ("cli", "gui", "lsp", "python")
NOT_PUBLIC = {"report/json_common.h"}  # nlohmann's type is in it, and users need not have that


def included_by(path):
    text = path.read_text(encoding="utf-8")
    return {name for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)
            if name.endswith(".h") and name.split("/")[0] in LIBRARIES}


def main():
    listed = re.findall(r"^INPUT \+= (\S+)$", (ROOT / "docs/public_headers").read_text(encoding="utf-8"), re.MULTILINE)
    sources = [path for folder in USERS for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp")]
    wanted = set()
    work = {header for path in sources for header in included_by(path)} - NOT_PUBLIC
    while work:
        header = work.pop()
        wanted.add(header)
        work |= included_by(ROOT / header) - wanted
    problems = [f"{header} is listed twice" for header in sorted(set(listed)) if listed.count(header) > 1]
    problems += [f"{header} is not there" for header in listed if not (ROOT / header).is_file()]
    problems += [f"{header} is missing: cli/, gui/, lsp/, python/ or a public header includes it; add it, and a comment "
                 "to each of its symbols" for header in sorted(wanted - set(listed))]
    problems += [f"{header} is not included by cli/, gui/, lsp/, python/ or a public header: take it out"
                 for header in sorted(set(listed) - wanted)]
    for problem in problems:
        print(f"docs/public_headers: {problem}")
    print(f"api_headers: {len(listed)} headers, {len(problems)} problems")
    return 1 if problems or len(listed) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
