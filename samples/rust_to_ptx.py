#!/usr/bin/env python3
"""Compiles one Rust file to PTX without a Rust standard library for the GPU.

    rust_to_ptx.py SOURCE OUTPUT [--panic trap|asm|call] [--target sm_80] [--isa +ptx70] [--no-lines] [--O0]

rustc writes LLVM IR for the host; what differs on the GPU is rewritten in that text (triple, kernel calling
convention, special registers); opt and llc do the rest. Every public #[no_mangle] function becomes a kernel.
A source declares the special registers it reads as `unsafe extern "C" { safe fn tid_x() -> u32; }`.

--panic says what becomes of calls into core::panicking: `trap` (llvm.trap), `asm` (inline assembly `trap;`), or
`call` (left as calls to functions that are not in the module, as a crate has that was not linked with core).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

DATA_LAYOUT = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
SPECIAL = re.compile(r"@((?:n?(?:tid|ctaid)_[xyz])|laneid|warpsize)\b")
PANIC = re.compile(
    r"panicking|unwrap_failed|expect_failed|len_mismatch|slice_error_fail|slice_\w*index|str_index|bounds_fail"
)


def tool(*names):
    for name in names:
        if shutil.which(name):
            return name
    sys.exit(f"rust_to_ptx.py: none of {', '.join(names)} is installed")


def retarget(ir, panic, lines):
    """The host's LLVM IR made into the GPU's."""
    ir = re.sub(r"^target datalayout = .*$", f'target datalayout = "{DATA_LAYOUT}"', ir, flags=re.M)
    ir = re.sub(r"^target triple = .*$", 'target triple = "nvptx64-nvidia-cuda"', ir, flags=re.M)
    ir = re.sub(r' ?"(?:probe-stack|target-cpu|target-features)"="[^"]*"', "", ir)
    ir = SPECIAL.sub(lambda m: "@llvm.nvvm.read.ptx.sreg." + m.group(1).replace("_", "."), ir)
    ir = ir.replace(" uwtable", "").replace(" nonlazybind", "")
    ir = re.sub(r"^(attributes #\d+ = \{.*) noinline( .*noreturn.*\})$", r"\1\2", ir, flags=re.M)
    ir = re.sub(r"^(attributes #\d+ = \{) *\}$", r"\1 nounwind }", ir, flags=re.M)
    ir = re.sub(r"^define (?:dso_local )?void @(?!_R)(\w+)\(", r"define ptx_kernel void @\1(", ir, flags=re.M)
    if panic != "call":
        body = "call void @llvm.trap()" if panic == "trap" else 'call void asm sideeffect "trap;", ""()'
        found = []

        def give_body(match):
            if not PANIC.search(match.group(0)):
                return match.group(0)
            found.append(match)
            return f"define internal void @{match.group(1)}({match.group(2)}) #9999 {{\n  {body}\n  unreachable\n}}"

        ir = re.sub(r"^declare void @([\w$.]+)\((.*)\) unnamed_addr.*$", give_body, ir, flags=re.M)
        if found:
            ir += "\nattributes #9999 = { alwaysinline noreturn nounwind }\n"
            if panic == "trap":
                ir += "declare void @llvm.trap()\n"
    if lines:
        # Line directives only, with file names as they were given; no .debug sections.
        ir = ir.replace("emissionKind: LineTablesOnly", "emissionKind: DebugDirectivesOnly")
        ir = re.sub(r'(DIFile\(filename: "[^/"][^"]*", directory: )"[^"]*"', r'\1""', ir)
        ir = re.sub(r"/@/[\w.-]+", "", ir)
    return ir


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("output")
    parser.add_argument("--panic", choices=["trap", "asm", "call"], default="trap")
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--isa", default="+ptx70")
    parser.add_argument("--no-lines", action="store_true")
    parser.add_argument("--O0", action="store_true")
    parser.add_argument("--checked", action="store_true", help="overflow checks, as in a debug build")
    options = parser.parse_args()
    output = os.path.abspath(options.output)
    folder = os.path.dirname(os.path.abspath(options.source))
    # The file is named from the crate's root, as cargo does.
    root = os.path.dirname(folder) if os.path.basename(folder) == "src" else folder
    source = os.path.relpath(os.path.abspath(options.source), root)
    rustc = os.environ.get("RUSTC", "rustc")
    with tempfile.TemporaryDirectory() as scratch:
        host, gpu, small = (os.path.join(scratch, name) for name in ("host.ll", "gpu.ll", "small.ll"))
        command = [
            rustc,
            "--edition",
            "2024",
            "--emit=llvm-ir",
            "-C",
            "panic=abort",
            "-C",
            "codegen-units=1",
            "-C",
            "no-prepopulate-passes",
            "-C",
            "symbol-mangling-version=v0",
            "-C",
            "overflow-checks=" + ("on" if options.checked else "off"),
            "-C",
            "opt-level=" + ("0" if options.O0 else "3"),
            source,
            "-o",
            host,
        ]
        if not options.no_lines:
            command[1:1] = ["-C", "debuginfo=line-tables-only"]
        subprocess.run(command, cwd=root, check=True)
        with open(host, encoding="utf-8") as stream:
            ir = retarget(stream.read(), options.panic, not options.no_lines)
        with open(gpu, "w", encoding="utf-8") as stream:
            stream.write(ir)
        passes = "always-inline" if options.O0 else "internalize,default<O2>"
        keep = ",".join(re.findall(r"^define ptx_kernel void @(\w+)", ir, flags=re.M))
        subprocess.run(
            [
                tool("opt-22", "opt"),
                "-S",
                "-passes=" + passes,
                "-internalize-public-api-list=" + keep,
                "-mcpu=" + options.target,
                gpu,
                "-o",
                small,
            ],
            check=True,
        )
        subprocess.run(
            [
                tool("llc-22", "llc"),
                "-mcpu=" + options.target,
                "-mattr=" + options.isa,
                "-O" + ("0" if options.O0 else "2"),
                "-fp-contract=fast",
                small,
                "-o",
                output,
            ],
            check=True,
        )


if __name__ == "__main__":
    main()
