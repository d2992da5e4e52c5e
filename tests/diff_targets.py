#!/usr/bin/env python3
"""`ptxscope diff` against ptxas, on the same source built for two targets.

    diff_targets.py --ptxscope PATH [--shared DIR] [--targets sm_80,sm_90a] [--seconds N]

Each file of generated/ that exists for both targets is compared, and both sides are made into machine code of the second
target. Functions that diff calls the same code must become the same machine code. Where it finds edits and the machine
code is the same nevertheless, ptxas' optimiser took the difference away (a scope of an atomic, an operation that has the
same result), or diff found one too many: that may be so of one function in ten of those that differ.

Exit status 1 when a property does not hold, 77 without the corpus or ptxas.
"""

import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time


def ran(command, seconds=120):
    return subprocess.run(command, capture_output=True, timeout=seconds, text=True, errors="replace")


def text_sections(elf):
    """{function: its machine code} of a 64-bit little-endian ELF file, which a cubin is."""
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names_at = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    names = sections[names_at][4]
    found = {}
    for name, _, _, _, offset, length in sections:
        name = elf[names + name:elf.index(b"\0", names + name)].decode()
        if name.startswith(".text."):
            found[name.removeprefix(".text.")] = elf[offset:offset + length]
    return found


def machine_code(ptx, target, folder):
    """{function: its machine code}; None when ptxas refuses the text."""
    cubin = pathlib.Path(folder, "out.cubin")
    # -c: calls of functions that are linked in later.
    if ran(["ptxas", f"-arch={target}", "-c", str(ptx), "-o", str(cubin)]).returncode != 0:
        return None
    return text_sections(cubin.read_bytes())


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ptxscope", required=True)
    arguments.add_argument("--shared", default=os.environ.get("PTXSCOPE_SHARED", "../shared"))
    arguments.add_argument("--targets", default="sm_80,sm_90a")
    arguments.add_argument("--seconds", type=float, default=600, help="no further file after this time")
    arguments.add_argument("files", nargs="*", help="names of files in generated/, without .ptx")
    options = arguments.parse_args()
    first, second = options.targets.split(",")
    generated = pathlib.Path(options.shared, "corpus", "generated")
    if not generated.is_dir():
        print(f"diff_targets: no corpus at {generated}; name it with --shared or PTXSCOPE_SHARED")
        return 77
    if shutil.which("ptxas") is None:
        print("diff_targets: ptxas is not installed")
        return 77
    pairs = [(p, generated / second / p.name) for p in sorted((generated / first).glob("*.ptx"))
             if (generated / second / p.name).is_file() and (not options.files or p.stem in options.files)]
    began = time.monotonic()
    problems, same, changed, needless, files = [], 0, 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for a, b in pairs:
            if time.monotonic() - began > options.seconds:
                print(f"diff_targets: stopped after {options.seconds:.0f} s, {files} of {len(pairs)} files done")
                break
            done = ran([options.ptxscope, "diff", "--format", "json", str(a), str(b)])
            if done.returncode not in (0, 1):
                problems.append(f"{a.stem}: exit status {done.returncode}: {done.stderr[-300:]}")
                continue
            codes = [machine_code(one, second, folder) for one in (a, b)]
            if None in codes:
                print(f"{a.stem}: ptxas refuses it for {second}")
                continue
            files += 1
            for one in json.loads(done.stdout)["functions"]:
                if one["status"] in ("added", "removed"):
                    continue
                code = [codes[i].get(one[side]["name"]) for i, side in enumerate("ab")]
                if None in code:  # inlined
                    continue
                is_same = not any(e["effect"] == "changes" for e in one["edits"])
                same += is_same
                changed += not is_same
                if is_same and code[0] != code[1]:
                    problems.append(f"{a.stem}: {one['name']}: same code, but ptxas makes {len(code[0])} and "
                                    f"{len(code[1])} bytes of it that differ")
                if not is_same and code[0] == code[1]:
                    needless.append(f"{a.stem}: {one['name'][:60]}: {len(one['edits'])} edits, "
                                    "the same machine code nevertheless")
    for one in needless + problems:
        print(one)
    print(f"{files} files, {first} against {second}: {same} functions the same code, {changed} different "
          f"({len(needless)} of them the same machine code); {len(problems)} problems")
    return 1 if problems or 10 * len(needless) > changed else 0


if __name__ == "__main__":
    sys.exit(main())
