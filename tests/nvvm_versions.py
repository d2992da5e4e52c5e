#!/usr/bin/env python3
"""Compares what `ptxscope doctor FILE.ll` says of a module's NVVM IR version with what each libNVVM that doctor finds says
when it compiles that module. Exit status 77: no libNVVM here.

    nvvm_versions.py PTXSCOPE
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LAYOUT = ("e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-"
          "v64:64:64-v128:128:128-n16:32:64")
PLAIN = f"""target datalayout = "{LAYOUT}"
target triple = "nvptx64-nvidia-cuda"
define void @k() {{
  ret void
}}
!nvvm.annotations = !{{!0}}
!0 = !{{void ()* @k, !"kernel", i32 1}}
"""
DEBUG = PLAIN.replace("@k() {", "@k() !dbg !5 {").replace("ret void", "ret void, !dbg !8") + """!llvm.dbg.cu = !{!3}
!3 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !4, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!4 = !DIFile(filename: "a.cu", directory: "/src")
!5 = distinct !DISubprogram(name: "k", scope: !4, file: !4, line: 1, type: !6, isLocal: false, isDefinition: true, unit: !3)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocation(line: 2, scope: !5)
!llvm.module.flags = !{!9}
!9 = !{i32 2, !"Debug Info Version", i32 3}
"""
VERSIONS = [None, "1 0", "1 1", "1 9", "1 10", "2 0", "2 1", "3 0", "2", "2 0 3", "2 0 1 0", "2 0 2 0", "2 0 3 0", "2 0 3 1",
            "2 0 3 2", "2 0 3 9", "2 0 4 0", "1 0 3 1", "1 9 3 1", "2 0 / 1 0", "2 0 3 1 / 2 0 3 1", "2 0 / 2 0 3 9"]
# The same in other spellings; of CUDA 11.8, whose LLVM is older, some are wrong syntax.
SPELLINGS = {
    "nothing listed": "!nvvmir.version = !{}\n",
    "the list in the next line": "!nvvmir.version =\n  !{!20}\n!20 = !{i64 2, i64 0, i64 3, i64 1}\n",
    "every word in its line": "!nvvmir.version\n=\n!{\n!20\n}\n!20\n= ; x\n!{i32\n2, i32 0}\n",
    "no space": "!nvvmir.version=!{!20}\n!20=!{i32 2,i32 0,i32 3,i32 1}\n",
    "spaces, one line": "!nvvmir.version = !{! 20} ! 20 = distinct ! { i32 2 , i32 0 }\n",
    "hexadecimal": "!nvvmir.version = !{!20}\n!20 = !{i32 u0x2, i32 0}\n",
    "negative": "!nvvmir.version = !{!20}\n!20 = !{i32 2, i32 -1}\n",
    "more than 32 bits": "!nvvmir.version = !{!20}\n!20 = !{i64 4294967298, i32 0}\n",
    "an escape in the name": "!nvvmir\\2Eversion = !{!20}\n!20 = !{i32 2, i32 0}\n",
    "listed twice": "!nvvmir.version = !{!20}\n!nvvmir.version = !{!21}\n!20 = !{i32 2, i32 0}\n!21 = !{i32 1, i32 0}\n",
    "a string": "!nvvmir.version = !{!20}\n!20 = !{!\"2\", i32 0}\n",
    "in a comment": "; !nvvmir.version = !{!20}\n!20 = !{i32 2, i32 0}\n",
    "in a string": "@x = constant [25 x i8] c\"!nvvmir.version = !{!20}\\00\"\n!20 = !{i32 2, i32 0}\n",
}


def node(number, version):
    return f"!{number} = !{{{', '.join('i32 ' + one for one in version.split())}}}\n"


def module(base, version):
    if version is None:
        return base
    parts = version.split(" / ")
    names = ", ".join(f"!{20 + i}" for i in range(len(parts)))
    return base + f"!nvvmir.version = !{{{names}}}\n" + "".join(node(20 + i, part) for i, part in enumerate(parts))


def compiles(library, text, options=()):
    program = ctypes.c_void_p()
    source = text.encode()
    library.nvvmCreateProgram(ctypes.byref(program))
    library.nvvmAddModuleToProgram(program, source, ctypes.c_size_t(len(source)), b"module")
    status = library.nvvmCompileProgram(program, len(options), (ctypes.c_char_p * 1)(*options))
    library.nvvmDestroyProgram(ctypes.byref(program))
    return status == 0


def doctor(ptxscope, *arguments):
    done = subprocess.run([ptxscope, "doctor", "--format", "json", *arguments], capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout)


def main():
    ptxscope = os.path.abspath(sys.argv[1])
    # Of one that is not in use doctor only warns, whatever it would say.
    found = [part["path"] for toolkit in doctor(ptxscope)["toolkits"] for part in toolkit["parts"]
             if part["nvvm_ir"] and toolkit["in_use"]]
    if not found:
        print("nvvm_versions.py: skipped, there is no libNVVM here")
        return 77
    libraries = {path: ctypes.CDLL(path) for path in found}
    cases = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "module.ll")
        for base in (PLAIN, DEBUG):
            for version, text in [(str(one), module(base, one)) for one in VERSIONS] + [
                    (name, base + lines) for name, lines in SPELLINGS.items()]:
                path.write_text(text)
                checks = [one for one in doctor(ptxscope, str(path))["checks"] if one["id"] == "nvvm-ir"]
                for name, check in zip(found, checks):  # those in use come first
                    cases += 1
                    plain = compiles(libraries[name], text)
                    debug = compiles(libraries[name], text, (b"-g",)) if base is DEBUG else plain
                    answer = "takes" if debug else "takes without -g" if plain else "refuses"
                    if answer != {"ok": "takes", "warning": "takes without -g", "wrong": "refuses"}[check["result"]]:
                        failed += 1
                        print(f"{name}: {version}, {'with' if base is DEBUG else 'without'} debug information: "
                              f"libNVVM {answer} it, doctor says {check['text']}")
    print(f"NVVM IR versions: {cases - failed} of {cases} as libNVVM sees them ({len(found)} of them)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
